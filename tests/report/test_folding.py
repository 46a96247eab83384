"""The findings of one line as one entry of the formats for people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gblint.cli.main import run
from gblint.diagnostics.break_event import Category, Confidence, Consequence
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.report import Report
from gblint.diagnostics.span import ChainLink, Span
from gblint.project.source_text import Source, Style
from gblint.report import azure, concise, full, github, grouped, summary
from gblint.report.cost_groups import UNIT
from gblint.report.folding import fold
from gblint.report.listing import listing

PLAIN = Style()


def own(line: int = 4, column: int = 12, **changes: object) -> Finding:
    values: dict[str, object] = {
        "code": "GBL101",
        "rule": "tensor-item",
        "category": Category.GRAPH_BREAK,
        "severity": Severity.WARNING,
        "confidence": Confidence.LIKELY,
        "span": Span("net.py", line, column, line, column + 8),
        "message": f"`x.item()` of column {column}",
        "chain": (ChainLink("net.py", line, "forward"),),
    }
    return Finding(**{**values, **changes})  # type: ignore[arg-type]


def inside(number: int, **changes: object) -> Finding:
    chain = (ChainLink("net.py", 4, "forward"), ChainLink("/lib/site-packages/lib.py", number, "helper"))
    return own(**{"message": f"inside, line {number}", "chain": chain, **changes})  # type: ignore[arg-type]


def rendered(findings: list[Finding], *, show_all: bool = False) -> Iterator[list[str]]:
    report, entries = Report("2.13", findings=findings), listing(findings, show_all=show_all)
    yield list(concise.render(entries, PLAIN))
    yield [line for line in grouped.render(entries, PLAIN) if line.startswith("  ")]
    yield [line for line in full.render(report, entries, PLAIN, Source({})) if line.startswith("net.py:")]
    yield list(github.render(report, show_all=show_all))
    yield list(azure.render(report, show_all=show_all))


def in_full(findings: list[Finding]) -> Iterator[str]:
    return full.render(Report("2.13", findings=findings), listing(findings), PLAIN, Source({}))


@pytest.mark.parametrize("show_all", [False, True])
def test_a_call_with_many_breaks_inside_is_one_entry(show_all: bool) -> None:
    findings = [*(inside(number) for number in range(5)), own(line=9)]
    for lines in rendered(findings, show_all=show_all):
        assert len(lines) == (6 if show_all else 2)


def test_the_suffix_has_the_number_and_the_codes() -> None:
    findings = [inside(1), inside(2, code="GBL203"), inside(3)]
    assert list(concise.render(listing(findings), PLAIN)) == [
        "net.py:4:12: GBL101 [likely] inside, line 1 (and 2 more in this call: GBL101, GBL203)"
    ]
    findings = [own(), own(column=30)]
    assert list(concise.render(listing(findings), PLAIN)) == [
        "net.py:4:12: GBL101 [likely] `x.item()` of column 12 (and 1 more on this line: GBL101)"
    ]


@pytest.mark.parametrize(
    "first",
    [
        inside(9, severity=Severity.ERROR),
        inside(9, confidence=Confidence.CERTAIN),
        own(column=40),
        inside(9, reach="always", cost=9),
    ],
)
def test_the_entry_shows_what_matters_most(first: Finding) -> None:
    rest = [inside(1, reach="default"), inside(2, reach="default", cost=20)]
    (entry,) = fold([*rest, first])
    assert entry.finding is first
    assert list(entry.others) == rest


def test_the_cost_is_that_of_the_findings_that_are_reached_most_easily() -> None:
    (entry,) = fold([own(cost=2), inside(1, cost=5), inside(2, reach="option", cost=20)])
    assert entry.cost == 5 and entry.costliest.message == "inside, line 1"


def test_full_says_what_else_there_is() -> None:
    findings = [own(), own(column=30), inside(1), inside(2), inside(3, code="GBL203", rule="other")]
    said = [line for line in in_full(findings) if "also:" in line]
    assert said == [
        "  = also: GBL101 [likely] at column 30: `x.item()` of column 30",
        "  = also: 3 in libraries, reached through this line: GBL101 tensor-item (2), GBL203 other",
    ]
    said = [line for line in in_full(findings[2:]) if "also:" in line]
    assert said == ["  = also: 2 more in libraries, reached through this line: GBL101 tensor-item, GBL203 other"]


def test_the_costliest_lines_are_listed_once() -> None:
    costly = [inside(n, cost=n, consequence=Consequence("resumes", "f", repeats=n)) for n in (2, 9, 3)]
    findings = [*costly, own(line=7, cost=5, consequence=Consequence("resumes", "f"))]
    said = list(in_full(findings))
    assert said[said.index(f"Costliest first ({UNIT}):") + 1 :] == [
        "  net.py:4: GBL101 tensor-item and 2 more: 14 breaks per call",
        "  net.py:7: GBL101 tensor-item: 1 break per call",
        "",
    ]


def test_the_last_lines_count_the_lines() -> None:
    report = Report("2.13", findings=[inside(1), inside(2), own(line=9)])
    assert list(summary.summary(report, 0, PLAIN, folded=1)) == [
        "Found 3 graph breaks on 2 lines in 1 file.",
        "1 finding is listed with another one of the same line; --show-all lists each.",
    ]


def test_the_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    text = "import torch\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x.tolist(), print(x)\n"
    Path("net.py").write_text(text, encoding="utf-8")
    options = ["check", "--no-cache", "--isolated", "--exit-zero", "--output-format=concise", "net.py"]
    run(options)
    folded = capsys.readouterr().out.splitlines()
    assert len(folded) == 5
    assert "more on this line: GBL" in folded[0]
    assert folded[1:3] == [
        "Default run: a graph break on 1 line (certain), in every call.",
        "Found 2 graph breaks on 1 line in 1 file, reached from 1 entry point (net:f).",
    ]
    run([*options, "--show-all"])
    assert len(capsys.readouterr().out.splitlines()) == 5
