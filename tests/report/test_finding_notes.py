"""All reports and editors say the same of a finding below its message."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gblint.diagnostics.break_event import Consequence
from gblint.diagnostics.entry_point import OptionSource
from gblint.diagnostics.finding import Confirmation, Finding, SeverityCause
from gblint.diagnostics.reach import ReachCondition
from gblint.diagnostics.report import Report
from gblint.diagnostics.span import ChainLink
from gblint.editors.server.diagnostics import DiagnosticFactory
from gblint.editors.server.documents import Documents
from gblint.editors.server.hover import of_findings
from gblint.editors.server.jobs import Answer
from gblint.editors.server.positions import Encoding
from gblint.project.source_text import Source, Style
from gblint.report import full, github, html, junit, rdjson, sarif
from gblint.report.finding_notes import FindingNotes
from gblint.report.listing import listing
from tests.report.test_html import Page
from tests.report.test_listing import finding

EAGER = Consequence("frame-eager", "Net.forward", "loop", repeats=1, entry="net:Net")
SPLITS = Consequence("resumes", "Net.forward", repeats=1, entry="net:Net", behind=ChainLink("net.py", 4, "Net.forward"))
WHEN = (ReachCondition("mask is None", "net.py", 3, True, "input"),)
CHAIN = (ChainLink("net.py", 2, "Net.forward"),)


def found() -> list[Finding]:
    """Return two lines that keep a function eager, a break behind them, and one inside a library that raises."""
    raised = SeverityCause(raised_by=OptionSource("train.py", 7, "fullgraph"))
    seen = Confirmation("confirmed", "cpu", "2.13.0", ("GB0124",), "Unsupported", count=1)
    library = (ChainLink("net.py", 9, "Net.forward"), ChainLink("/lib/pkg.py", 5, "norm"))
    common = {"entries": ("net:Net",), "help": "keep it a tensor"}
    return [
        finding(4, chain=(ChainLink("net.py", 4, "Net.forward"),), consequence=EAGER, cost=21, **common),
        finding(6, chain=(ChainLink("net.py", 6, "Net.forward"),), consequence=EAGER, cost=9, **common),
        finding(
            8, chain=(ChainLink("net.py", 8, "Net.forward"),), consequence=SPLITS, reach="input", when=WHEN, **common
        ),
        finding(9, chain=library, severity_cause=raised, confirmation=seen, **common),
    ]


NOTES = [
    [
        "then: all of `Net.forward` runs eagerly: Dynamo cannot resume in a loop; about 20 operators per call are not "
        "compiled, because of this and 1 other line",
        "help: keep it a tensor",
    ],
    [
        "then: all of `Net.forward` runs eagerly: Dynamo cannot resume in a loop; about 20 operators per call are not "
        "compiled, because of this and 1 other line",
        "help: keep it a tensor",
    ],
    [
        "when: `mask is None` (net.py:3) is true: the break is certain then",
        "then: all of `Net.forward` runs eagerly because of net.py:4, 6; once those lines are changed, the graph ends "
        "here, and the next one begins after it",
        "help: keep it a tensor",
    ],
    [
        "raises: `fullgraph=True` at train.py:7 turns the break into an error",
        "run: Dynamo says: GB0124 Unsupported",
        "help: the break is inside a library: make this call outside of the compiled code, or change the library: "
        "keep it a tensor",
    ],
]


def of_full(report: Report) -> list[str]:
    return list(full.render(report, listing(report.findings), Style(), Source({})))


def of_github(report: Report) -> list[str]:
    return [line.partition("::")[2].replace("%0A", "\n") for line in github.render(report)]


def of_junit(report: Report) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(junit.render(report)).iter("failure")]


def of_rdjson(report: Report) -> list[str]:
    return [each["message"] for each in json.loads(rdjson.render(report, Source({})))["diagnostics"]]


def of_sarif(report: Report) -> list[str]:
    (run,) = json.loads(sarif.render(report, Source({})))["runs"]
    return [each["message"]["text"] for each in run["results"]]


def of_html(report: Report) -> list[str]:
    return [Page(html.render(report, Source({}), {})).words]


def of_diagnostics(report: Report) -> list[str]:
    maker = DiagnosticFactory(Encoding("utf-8"), Documents(), True, True, True)
    shown = maker.all(Answer(findings=report.findings))
    return [each.message for found in shown.values() for each in found]


def of_hover(report: Report) -> list[str]:
    hover = of_findings(report.findings, FindingNotes(report.findings), None, None, 0)
    assert hover is not None
    return [hover.contents.value]  # type: ignore[union-attr]


RENDERERS = [of_full, of_github, of_junit, of_rdjson, of_sarif, of_html, of_diagnostics, of_hover]


@pytest.mark.parametrize("texts", RENDERERS)
def test_all_formats_say_the_same(
    texts: Callable[[Report], list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    findings = found()
    said = " ".join(" ".join(texts(Report("2.13", findings=findings))).split()).replace("`", "")
    for each, wanted in zip(findings, NOTES):
        assert FindingNotes(findings).lines(each) == wanted
    for note in {note for notes in NOTES for note in notes}:
        label, _, text = note.replace("`", "").partition(": ")
        if texts in (of_diagnostics, of_hover):  # places in an editor are seen from the file
            text = text.replace("net.py:4, 6", "line 4, 6").replace("net.py:3", "line 3")
        assert text in said, (label, text)
