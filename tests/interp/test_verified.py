"""Short functions that were run under PyTorch 2.13: gblint must agree with the outcomes."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from gblint.config.settings import Config
from gblint.diagnostics.break_event import Category, Confidence
from gblint.pipeline.lint import LintRequest, lint
from tests.oracle.linter import TORCH

CORPUS = Path(__file__).parents[1] / "corpus" / "verified"
LEAST_SHARE = 0.96

MISSED: frozenset[str] = frozenset()
"""Functions that break without a finding."""

FALSE_ALARMS: frozenset[str] = frozenset(("case_verbose_flag",))
"""Functions that are one graph but have a finding."""

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="the corpus has `except*`")


def _recorded() -> dict[str, bool]:
    """Return by function whether it breaks."""
    marks: dict[str, bool] = {}
    for path in sorted(CORPUS.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("case_"):
                mark = lines[node.decorator_list[0].lineno - 2]
                assert re.fullmatch("# (breaks|whole)", mark), f"{path.name}: {node.name} has no mark"
                assert node.name not in marks, node.name
                marks[node.name] = mark == "# breaks"
    return marks


def _reported() -> frozenset[str]:
    """Return the functions in which gblint reports a break."""
    report = lint(
        LintRequest(tuple(sorted(CORPUS.glob("*.py")))), Config(CORPUS).with_values(torch_version=TORCH)
    ).report
    assert not report.errors
    return frozenset(
        entry.partition(":")[2]
        for finding in report.findings
        if finding.category is Category.GRAPH_BREAK and finding.confidence is not Confidence.POSSIBLE
        for entry in finding.entries
    )


@pytest.fixture(scope="module")
def wrong() -> tuple[frozenset[str], frozenset[str], int]:
    """Return the functions with missed breaks, those with false alarms, and the number of functions."""
    marks, reported = _recorded(), _reported()
    missed = frozenset(name for name, breaks in marks.items() if breaks and name not in reported)
    false = frozenset(name for name, breaks in marks.items() if not breaks and name in reported)
    return missed, false, len(marks)


def test_most_functions_agree(wrong: tuple[frozenset[str], frozenset[str], int]) -> None:
    missed, false, count = wrong
    assert 1 - len(missed | false) / count >= LEAST_SHARE


def test_disagreements_are_the_known_ones(wrong: tuple[frozenset[str], frozenset[str], int]) -> None:
    missed, false, _ = wrong
    assert (sorted(missed), sorted(false)) == (sorted(MISSED), sorted(FALSE_ALARMS))
