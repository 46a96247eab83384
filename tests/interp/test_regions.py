"""The effect of the options around a break: Dynamo and gblint on every row of the table in docs/regions.md."""

from __future__ import annotations

import importlib.util
import json as stdlib_json
import sys
import textwrap
from pathlib import Path

import pytest

from gblint.config.settings import Config
from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Finding, Severity
from gblint.pipeline.lint import LintRequest, lint
from gblint.project.source_text import Style
from gblint.report import full, json
from gblint.report.listing import listing
from tests.interp.regions import TABLE, Row
from tests.oracle import dynamo, linter
from tests.oracle.marks import marked

ROWS = [row for rows in TABLE.values() for row in rows]
PAGE = Path(__file__).parents[2] / "docs" / "regions.md"
_BREAKS = (Category.GRAPH_BREAK, Category.COMPILE_ERROR)


def source_of(row: Row) -> str:
    return textwrap.dedent(row.source).strip() + "\n"


def table() -> str:
    """Return the table as it should be in the documentation."""
    lines = []
    for section, rows in TABLE.items():
        lines += [f"### {section}", "", "| Where | A break |", "| --- | --- |"]
        lines += [f"| {row.title} | {row.becomes} |" for row in rows]
        lines.append("")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def verdicts() -> dict[str, dynamo.Verdict]:
    """Return the verdict of Dynamo on each row."""
    sources = [source_of(row) for row in ROWS]
    return dict(zip(sources, dynamo.verdicts([(source, "(torch.randn(4),)") for source in sources])))


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or sys.version_info[:2] != (3, 11),
    reason="the marks were made with torch 2.13 and Python 3.11",
)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_dynamo_agrees(row: Row, verdicts: dict[str, dynamo.Verdict]) -> None:
    verdict = verdicts[source_of(row)]
    assert verdict.breaks == marked(source_of(row))
    assert (verdict.exception is not None) == (row.becomes == "raises"), verdict.exception


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_gblint_agrees(row: Row, tmp_path: Path) -> None:
    found = [f for f in linter.findings(source_of(row), tmp_path) if f.category in _BREAKS]
    assert _lines(found) == {line: set(ids) for line, ids in marked(source_of(row)).items()}
    severities = {finding.severity for finding in found}
    if row.becomes == "raises":
        assert Severity.ERROR in severities
    else:
        allowed = {"allowed": {Severity.INFO}, "breaks": {Severity.WARNING}}
        assert severities == allowed.get(row.becomes, set())


def _lines(found: list[Finding]) -> dict[int, set[str]]:
    lines: dict[int, set[str]] = {}
    for finding in found:
        lines.setdefault(finding.span.line, set()).update(finding.gb_ids if finding.gb_ids else ())
    return lines


def test_the_page_has_the_table() -> None:
    assert table().strip() in PAGE.read_text(encoding="utf-8")


# -- which line decides ----------------------------------------------------------------------------------------------

DECIDED = """
import torch

@torch.compile(
    mode="default",
    fullgraph=True,
)
def f(x: torch.Tensor):
    print("here")
    return x + 1

@torch.compile
def g(x: torch.Tensor):
    with torch._dynamo.error_on_graph_break(True):
        print("here")
    with torch._dynamo.error_on_graph_break(False):
        print("there")
    return x + 1

def h(x: torch.Tensor):
    print("here")
    return x + 1

h = torch._dynamo.error_on_graph_break(True)(torch.compile(h))
"""


def test_the_line_that_decides(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text(DECIDED.lstrip())
    outcome = lint(LintRequest((path,)), Config(root=tmp_path))
    deciding = {}
    for found in outcome.report.findings:
        decided = found.raised_by or found.allowed_by
        deciding[found.span.line] = (found.severity.value, decided and (decided.line, decided.option))
    assert deciding == {
        8: ("error", (5, "fullgraph")),
        14: ("error", (13, "error_on_graph_break")),
        16: ("info", (15, "error_on_graph_break")),
        20: ("error", (23, "error_on_graph_break")),
    }
    text = "\n".join(full.render(outcome.report, listing(outcome.report.findings), Style(False), outcome.source))
    assert f"raises: `fullgraph=True` at {path}:5 turns the break into an error" in text
    assert f"allowed: `error_on_graph_break(False)` at {path}:15 allows the break" in text
    written = stdlib_json.loads(json.render(outcome.report, outcome.source))["findings"]
    assert [item["raised_by"]["line"] for item in written if item["raised_by"]] == [5, 13, 23]
    assert [item["allowed_by"]["line"] for item in written if item["allowed_by"]] == [15]


def test_toggle_with_an_effect_in_one_region_is_not_reported(tmp_path: Path) -> None:
    source = """
        import torch

        @torch._dynamo.error_on_graph_break(True)
        def helper(x: torch.Tensor):
            return x + 1

        @torch.compile(fullgraph=True)
        def f(x: torch.Tensor):
            return helper(x)

        @torch.compile
        def g(x: torch.Tensor):
            return helper(x)
    """
    assert linter.findings(textwrap.dedent(source), tmp_path) == []
    assert _codes(source.replace("@torch.compile\n", "@torch.compile(fullgraph=True)\n"), tmp_path) == ["GBL907"]


def _codes(source: str, folder: Path) -> list[str]:
    return [finding.code for finding in linter.findings(textwrap.dedent(source), folder)]
