"""The examples are the contract: Dynamo breaks on the marked lines and on no other, and gblint says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from judge.linter import findings
from judge.marks import marked


def test_dynamo_agrees(case: Any, dynamo: dict[str, Any]) -> None:
    """Dynamo breaks on exactly the marked lines, with exactly the ids given there."""
    if case.name not in dynamo:
        pytest.skip(f"needs {', '.join(('torch', *case.example.needs))}")
    verdict = dynamo[case.name]
    assert verdict.breaks == marked(case.example.source)
    assert (verdict.exception is not None) == case.example.raises, verdict.exception
    if not case.breaks:
        assert verdict.graphs == 1


def test_gblint_agrees(case: Any, tmp_path: Path) -> None:
    """gblint flags exactly the marked lines, with this rule and no other."""
    found = findings(case.example.source, tmp_path)
    said = {(finding.span.line, finding.code) for finding in found}
    assert said == {(line, case.rule.code) for line in marked(case.example.source)}
    for finding in found:
        assert (finding.severity.value == "error") == case.example.raises
