"""The formats for CI: the requirements of services, and findings with difficult characters."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from email.message import Message
from importlib import metadata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from gblint.diagnostics.break_event import Category, Confidence
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Confirmation, Finding, Severity
from gblint.diagnostics.fix import Edit, Fix
from gblint.diagnostics.report import FileError, Report
from gblint.diagnostics.span import ChainLink, Span
from gblint.project.source_text import Source, Style
from gblint.report import azure, github, gitlab, grouped, junit, pylint, rdjson, sarif
from gblint.report import json as json_report
from gblint.report.fingerprints import fingerprints, with_paths
from gblint.report.listing import listing
from tests.report.sarif_schema import faults

CODE = """\
class Net:
    def forward(self, x):
        peak = x.max().item()
        return self.layers[0](x) * peak

    def other(self, x):
        peak = x.max().item()
        return peak
"""
ODD = 'a 100%: "x", <y> & \x1b[31m\ud800\ufffe, done'


MESSAGE = "`x.max().item()` takes a number out of a tensor"


def finding(path: str = "pkg/net.py", line: int = 3, **changes: object) -> Finding:
    values: dict[str, object] = {
        "code": "GBL101",
        "rule": "tensor-item",
        "category": Category.GRAPH_BREAK,
        "severity": Severity.WARNING,
        "confidence": Confidence.CERTAIN,
        "span": Span(path, line, 16, line, 30),
        "message": MESSAGE,
        "help": "keep it a tensor",
        "gb_ids": ("GB0124",),
        "entries": ("train:main",),
        "chain": (ChainLink("train.py", 9, "main"), ChainLink(path, line, "Net.forward")),
    }
    return Finding(**{**values, **changes})  # type: ignore[arg-type]


def source(text: str = CODE, path: str = "pkg/net.py") -> Source:
    return Source({str(Path(path).absolute()): text})


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.delenv("CI_PROJECT_DIR", raising=False)
    monkeypatch.delenv("BUILD_SOURCESDIRECTORY", raising=False)
    monkeypatch.chdir(tmp_path)


def everything() -> Report:
    fix = Fix("use `detach`", "safe", (Edit(Span("pkg/net.py", 3, 23, 3, 30), ".detach()"),))
    seen = Confirmation("confirmed", "cpu", "2.13.0", ("GB0124",), "Unsupported", count=1)
    findings = [
        finding(fixes=(fix, Fix("think about it")), confirmation=seen),
        finding(line=7, severity=Severity.ERROR, code="GBL102", rule="tensor-tolist"),
        finding(line=4, message="`layers[0](x)` and " + ODD, severity=Severity.INFO),
        finding(path="/elsewhere/a b.py", span=Span("/elsewhere/a b.py", 2, 1, 4, 9), chain=()),
        finding(span=Span("pkg/net.py", 8)),
    ]
    return Report(
        "2.13", findings=findings, errors=[FileError("pkg/bad.py", 2, "invalid syntax"), FileError("x", 0, ODD)]
    )


def run_of(text: str) -> Any:
    (run,) = json.loads(text)["runs"]
    return run


def test_sarif_is_valid() -> None:
    for text in (
        sarif.render(everything(), source(), [finding(line=7)], [finding(line=4)]),
        sarif.render(Report("2.13"), source()),
    ):
        assert faults(json.loads(text)) == []
        assert json.loads(text)["version"] == "2.1.0"


def test_what_is_no_sarif_is_refused() -> None:
    log = json.loads(sarif.render(everything(), source()))
    log["runs"][0]["results"][0]["level"] = "fatal"
    log["runs"][0]["results"][1]["message"] = {}
    assert len(faults(log)) == 2


def test_sarif_describes_its_notifications() -> None:
    (run,) = json.loads(sarif.render(everything(), source()))["runs"]
    used = {each["descriptor"]["id"] for each in run["invocations"][0]["toolExecutionNotifications"]}
    assert used == {each["id"] for each in run["tool"]["driver"]["notifications"]}
    (quiet,) = json.loads(sarif.render(Report("2.13"), source()))["runs"]
    assert "notifications" not in quiet["tool"]["driver"]


def test_notifications_have_a_descriptor_and_a_place(tmp_path: Path) -> None:
    Path("broken.py").write_text("")
    errors = [FileError("broken.py", 0, "cannot be read"), FileError("--entry a:B", 0, "not found")]
    partial = [FileError("train.py", 3, "`a:B` was not analysed completely: too large")]
    run = run_of(sarif.render(Report("2.13", errors=errors, partial=partial), source()))
    described = run["tool"]["driver"]["notifications"]
    in_part, broken, unknown = run["invocations"][0]["toolExecutionNotifications"]
    for each in (in_part, broken, unknown):
        assert described[each["descriptor"]["index"]]["id"] == each["descriptor"]["id"]
    assert in_part["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}
    assert broken["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "broken.py", "uriBaseId": "%SRCROOT%"}
    }
    assert "locations" not in unknown
    assert unknown["message"]["text"] == "--entry a:B: not found"


def test_all_results_have_suppressions_or_none() -> None:
    some = run_of(sarif.render(everything(), source(), [finding(line=7)]))
    assert [len(each["suppressions"]) for each in some["results"]] == [0, 0, 0, 0, 0, 1]
    assert not any("suppressions" in each for each in run_of(sarif.render(everything(), source()))["results"])


def test_what_was_analysed_only_in_part_is_in_every_format() -> None:
    report = Report("2.13", partial=[FileError("train.py", 3, "`a:B` was not analysed completely: too large")])
    texts = [
        *github.render(report),
        *azure.render(report),
        *pylint.render(report),
        gitlab.render(report, source()),
        rdjson.render(report, source()),
        sarif.render(report, source()),
        junit.render(report),
    ]
    assert len(texts) == 7
    assert all("`a:B` was not analysed completely: too large" in text for text in texts)


def test_sarif_has_the_home_page_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    named = Message()
    named["Project-URL"] = "Documentation, https://example.org/gblint"
    monkeypatch.setattr(metadata, "metadata", lambda name: named)
    assert driver()["informationUri"] == "https://example.org/gblint"
    monkeypatch.setattr(metadata, "metadata", lambda name: Message())
    assert "informationUri" not in driver()


def test_rules_in_sarif_lead_to_pages_of_torch() -> None:
    assert driver()["rules"][0]["helpUri"].startswith("https://")


def driver() -> dict[str, Any]:
    """Return the description of gblint in a document."""
    (run,) = json.loads(sarif.render(everything(), source()))["runs"]
    described: dict[str, Any] = run["tool"]["driver"]
    return described


def test_sarif_has_the_pages_of_the_rules() -> None:
    run = run_of(sarif.render(everything(), source()))
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["GBL101", "GBL102"]
    assert rules[0]["name"] == "TensorItem"
    assert "**Instead**" in rules[0]["help"]["markdown"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])


def test_sarif_results() -> None:
    run = run_of(sarif.render(everything(), source(), [finding(line=7)], [finding(line=4)]))
    first, second, third, fourth, fifth, silenced, known = run["results"]
    assert [each["level"] for each in (first, second, third)] == ["warning", "error", "note"]
    place = first["locations"][0]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "pkg/net.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3, "startColumn": 16, "endLine": 3, "endColumn": 30},
    }
    assert place["logicalLocations"] == [{"fullyQualifiedName": "Net.forward", "kind": "function"}]
    (flow,) = first["codeFlows"][0]["threadFlows"]
    assert [step["location"]["physicalLocation"]["region"]["startLine"] for step in flow["locations"]] == [9, 3]
    (fix,) = first["fixes"]
    (replacement,) = fix["artifactChanges"][0]["replacements"]
    assert replacement["insertedContent"] == {"text": ".detach()"}
    assert first["properties"]["confirmation"]["verdict"] == "confirmed"
    assert first["properties"]["confidence"] == "certain"
    assert r"layers\[0\](x)" in third["message"]["text"]
    assert fourth["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///elsewhere/a%20b.py"}
    assert fifth["locations"][0]["physicalLocation"]["region"] == {"startLine": 8}
    assert [[kept["kind"] for kept in each["suppressions"]] for each in (first, silenced, known)] == [
        [],
        ["inSource"],
        ["external"],
    ]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert [each["message"]["text"][:7] for each in invocation["toolExecutionNotifications"]] == ["invalid", "x: a 10"]


def test_fingerprints_survive_what_does_not_concern_them() -> None:
    findings = [finding(), finding(line=7)]
    before = fingerprints(findings, source())
    assert len(set(before)) == 2
    moved = [finding(line=5), finding(line=9)]
    text = "import os\n\n" + CODE.replace("peak = ", "peak  =  ").replace("peak  =  ", "peak = ")
    assert fingerprints(moved, source(text)) == before
    indented = "if True:\n" + "".join("    " + line for line in CODE.splitlines(True))
    assert fingerprints([finding(line=4), finding(line=8)], source(indented)) == before
    # The order of the findings does not matter.
    assert fingerprints(findings[::-1], source()) == before[::-1]


def test_fingerprints_tell_apart() -> None:
    twice = [finding(), replace(finding(), span=Span("pkg/net.py", 3, 20, 3, 22))]
    assert len(set(fingerprints(twice, source()))) == 2
    assert fingerprints([finding()], source()) != fingerprints([finding(code="GBL102")], source())
    changed = CODE.replace("x.max()", "x.min()")
    assert fingerprints([finding()], source(changed)) != fingerprints([finding()], source())
    here, there = finding(), finding(path="pkg/other.py")
    both = Source({str(Path(path).absolute()): CODE for path in ("pkg/net.py", "pkg/other.py")})
    assert len(set(fingerprints([here, there], both))) == 1
    assert len(set(with_paths([here, there], both))) == 2


@pytest.mark.parametrize("text", ["", "def f(:\n", "\x00"])
def test_a_file_that_is_gone_has_fingerprints(text: str) -> None:
    assert len(set(fingerprints([finding(), finding()], source(text)))) == 2


def test_github_escapes() -> None:
    item = finding(path="a,b:c%.py", span=Span("a,b:c%.py", 3, 1, 3, 4), message="100%: a, b\nc", help="", chain=())
    (line,) = github.render(Report("2.13", findings=[item]))
    assert line == (
        "::warning file=a%2Cb%3Ac%25.py,line=3,col=1,endColumn=4,title=GBL101 tensor-item (certain)::100%25: a, b\\x0ac"
    )


def test_github_commands() -> None:
    lines = list(github.render(everything()))
    assert all(re.fullmatch(r"::(error|warning|notice) [^\r\n]*::[^\r\n\x1b]*", line) for line in lines)
    assert [line.split()[0] for line in lines] == [
        "::error",
        "::error",
        "::error",
        "::warning",
        "::warning",
        "::warning",
        "::notice",
    ]
    # A range of columns is allowed only within one line.
    assert "line=2,endLine=4,title=" in lines[3]
    assert lines[0] == "::error file=pkg/bad.py,title=gblint,line=2::invalid syntax"


def test_github_shows_ten_of_a_level_what_matters_most_first() -> None:
    findings = [finding(line=line, cost=line) for line in range(1, 15)]
    *lines, last = github.render(Report("2.13", findings=findings))
    assert "line=14," in lines[0]
    assert last == "GitHub shows only 10 of these 14, the first of each level; the log lists all."


@pytest.mark.parametrize("variable", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
def test_paths_count_from_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, str(tmp_path))
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    (line,) = github.render(Report("2.13", findings=[finding()]))
    assert line.startswith("::warning file=sub/pkg/net.py,")


def test_gitlab() -> None:
    items = json.loads(gitlab.render(everything(), source()))
    assert len({item["fingerprint"] for item in items}) == len(items) == 7
    for item in items:
        assert set(item) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert item["location"]["lines"]["begin"] >= 1
        assert not item["location"]["path"].startswith("./")
    assert [item["severity"] for item in items] == ["blocker", "blocker", "minor", "major", "info", "minor", "minor"]
    assert json.loads(gitlab.render(Report("2.13"), source())) == []


def test_junit() -> None:
    top = ElementTree.fromstring(junit.render(everything()))
    assert top.attrib == {"name": "gblint", "tests": "7", "failures": "5", "errors": "2"}
    assert [suite.get("name") for suite in top] == ["pkg/bad.py", "x", "pkg/net.py", "/elsewhere/a b.py"]
    case = top[2][0]
    assert case.get("name") == "GBL101 at line 3, column 16"
    shown = case[0].text or ""
    assert "chain: train.py:9 in main\n       -> pkg/net.py:3 in Net.forward" in shown
    assert "GBL101 [certain, confirmed on cpu, torch 2.13] `x.max()" in shown
    assert "run: Dynamo says: GB0124 Unsupported" in shown


def test_junit_passes_where_nothing_is_found() -> None:
    entry = EntryPoint("train:main", "train.py", 3, "decorator")
    top = ElementTree.fromstring(junit.render(Report("2.13", entries=[entry])))
    assert [case.get("name") for case in top.iter("testcase")] == ["train:main"]
    assert top.get("failures") == "0"
    assert ElementTree.fromstring(junit.render(Report("2.13"))).get("tests") == "0"


def test_azure_has_a_command_for_each() -> None:
    lines = list(azure.render(everything()))
    assert lines[0] == "##vso[task.logissue type=error;sourcepath=pkg/bad.py;linenumber=2;]invalid syntax"
    assert lines[4] == (
        "##vso[task.logissue type=warning;sourcepath=pkg/net.py;linenumber=3;columnnumber=16;code=GBL101;]"
        "GBL101 [certain, confirmed on cpu, torch 2.13] `x.max().item()` takes a number out of a tensor"
    )
    assert all(line.startswith("##vso[task.logissue type=") and "\x1b" not in line for line in lines)
    odd = list(azure.render(Report("2.13", errors=[FileError("a;]%.py", 0, ODD)])))
    assert odd[0].startswith("##vso[task.logissue type=error;sourcepath=a%3B%5D%AZP25.py;]a 100%AZP25: ")


def test_pylint_has_a_line_for_each() -> None:
    lines = list(pylint.render(everything()))
    assert lines[0] == "pkg/bad.py:2: [gblint] invalid syntax"
    assert lines[2] == f"pkg/net.py:3: [GBL101] [certain, confirmed on cpu, torch 2.13] {MESSAGE}"
    assert all(re.match(r".+?:\d+: \[\w+\] .+", line) for line in lines)


def test_rdjson_counts_bytes() -> None:
    edit = Edit(Span("pkg/net.py", 2, 9, 2, 15), "z")
    text = 'def f(x):\n    "ä"; y = x.item()\n'
    found = finding(line=2, span=Span("pkg/net.py", 2, 10, 2, 18), fixes=(Fix("z", "safe", (edit,)),))
    document = json.loads(
        rdjson.render(Report("2.13", findings=[found], errors=[FileError("x", 0, ODD)]), source(text))
    )
    error, item = document["diagnostics"]
    assert error["location"] == {"path": "x"}
    assert item["code"] == {"value": "GBL101"}
    assert item["severity"] == "WARNING"
    assert item["location"]["range"] == {"start": {"line": 2, "column": 11}, "end": {"line": 2, "column": 19}}
    assert item["suggestions"] == [
        {"range": {"start": {"line": 2, "column": 10}, "end": {"line": 2, "column": 16}}, "text": "z"}
    ]


def test_json_lines() -> None:
    report = everything()
    lines = [json.loads(line) for line in json_report.lines(report).splitlines()]
    assert [each["error"]["path"] for each in lines[:2]] == ["pkg/bad.py", "x"]
    assert [each["code"] for each in lines[2:]] == [each.code for each in report.findings]
    assert json_report.lines(Report("2.13")) == ""


def test_grouped_has_each_file_once() -> None:
    entries = listing([finding("b.py"), finding(), finding(line=17, severity=Severity.ERROR)])
    assert list(grouped.render(entries, Style())) == [
        "pkg/net.py:",
        "  3:16   GBL101 [certain] `x.max().item()` takes a number out of a tensor",
        "  17:16  GBL101 [certain] `x.max().item()` takes a number out of a tensor (raises)",
        "",
        "b.py:",
        "  3:16  GBL101 [certain] `x.max().item()` takes a number out of a tensor",
        "",
    ]
