"""Dynamo and gblint agree on every example: both break or report on the marked lines, and on no others."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Severity
from gblint.knowledge.version_choice import JUDGED
from gblint.knowledge.versions import available_versions
from gblint.rules import Example
from tests.oracle.linter import findings
from tests.oracle.marks import flagged, marked


def test_dynamo_agrees(case: Any, dynamo: dict[str, Any]) -> None:
    """Dynamo breaks on exactly the marked lines, with exactly their ids, and does what the example shows."""
    if case.name not in dynamo:
        pytest.skip(f"needs {', '.join((f'torch {JUDGED}', *case.example.needs))}")
    verdict = dynamo[case.name]
    # Line 0 is that of generated code, whose frame Dynamo compiles apart after a break in it.
    in_source = {line: ids for line, ids in verdict.breaks.items() if line}
    assert (in_source or verdict.breaks) == marked(case.example.source)
    assert (verdict.exception is not None) == case.example.raises, verdict.exception
    _SHOWN[case.kind](case, verdict, dynamo)


def _clean(case: Any, verdict: Any, dynamo: dict[str, Any]) -> None:
    assert not verdict.recompiles if case.example.calls else verdict.graphs == 1
    assert verdict.differs is None


def _diverges(case: Any, verdict: Any, dynamo: dict[str, Any]) -> None:
    assert verdict.differs or not verdict.graphs


def _recompiles(case: Any, verdict: Any, dynamo: dict[str, Any]) -> None:
    assert verdict.recompiles


def _advises(case: Any, verdict: Any, dynamo: dict[str, Any]) -> None:
    instead = dynamo[f"{case.name}-instead"]
    assert _done(verdict) != _done(instead)


def _done(verdict: Any) -> tuple[object, ...]:
    return tuple(verdict.breaks.values()), verdict.graphs, verdict.exception


_SHOWN = {
    "BREAKS": lambda case, verdict, dynamo: None,
    "CLEAN": _clean,
    "DIVERGES": _diverges,
    "RECOMPILES": _recompiles,
    "ADVISES": _advises,
}


def valid_version(example: Example) -> str:
    """Return a torch version that the example is valid for: that of the tests, or else the newest."""
    return next(version for version in (JUDGED, *reversed(available_versions())) if example.is_valid_for(version))


def test_gblint_agrees(case: Any, tmp_path: Path) -> None:
    """gblint flags exactly the marked lines, with this rule and no other that the example does not name."""
    if "torch" in case.example.needs and find_spec("torch") is None:
        pytest.skip("gblint looks up the names of the installed torch")
    found = findings(
        case.example.source,
        tmp_path,
        (case.rule.code,) if case.rule.opt_in else (),
        valid_version(case.example),
        case.example.files,
    )
    if case.kind == "ADVISES":
        found = [finding for finding in found if finding.category is Category.CONFIG]
    others = {finding.span.line for finding in found if finding.code in case.example.others}
    if case.kind == "DIVERGES":
        assert all(finding.category is Category.DIVERGENCE for finding in found if finding.code == case.rule.code)
    reported = {(finding.span.line, finding.code) for finding in found if finding.code not in case.example.others}
    assert reported == {(line, case.rule.code) for line in _flagged(case) - others}
    assert bool(others) == bool(case.example.others)
    if case.kind in ("BREAKS", "CLEAN"):
        assert all((finding.severity is Severity.ERROR) == case.example.raises for finding in found)


def _flagged(case: Any) -> set[int]:
    lines = flagged(case.example.source)
    return lines - set(marked(case.example.source)) if case.kind == "ADVISES" else lines


def test_gblint_takes_the_advice(case: Any, tmp_path: Path) -> None:
    """The rule finds nothing once its advice is taken."""
    if case.example.instead:
        assert all(finding.code != case.rule.code for finding in findings(case.example.instead, tmp_path))
