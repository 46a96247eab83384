from __future__ import annotations

import json as stdlib_json
from pathlib import Path

import pytest

from gblint import __version__
from gblint.diagnostics.break_event import Category, Confidence, Consequence
from gblint.diagnostics.count_range import CountRange
from gblint.diagnostics.entry_point import EntryPoint, OptionSource, Region
from gblint.diagnostics.finding import Finding, Severity, SeverityCause
from gblint.diagnostics.fix import Edit, Fix
from gblint.diagnostics.missing_package import MissingPackage
from gblint.diagnostics.reach import ReachCondition
from gblint.diagnostics.report import FileError, Report
from gblint.diagnostics.span import ChainLink, Span
from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.project.source_text import Source
from gblint.report import json


def test_the_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = str(tmp_path / "net.py")
    span = Span(path, 4, 12, 4, 26)
    report = Report(
        "2.13",
        entries=[EntryPoint("net:Net", path, 1, "decorator", Region(), CountRange(3, None))],
        findings=[
            Finding(
                code="GBL101",
                rule="tensor-item",
                category=Category.GRAPH_BREAK,
                severity=Severity.ERROR,
                confidence=Confidence.CERTAIN,
                span=span,
                message="m",
                help="h",
                gb_ids=("GB0124",),
                entries=("net:Net",),
                chain=(ChainLink(path, 4, "Net.forward"),),
                consequence=Consequence("rest-eager", "Net.forward", "try", 3, 12, "net:Net", 12),
                cost=15,
                severity_cause=SeverityCause(OptionSource(path, 2, "fullgraph")),
                reach="option",
                when=(ReachCondition("flag", path, 2, True, "option"),),
                fixes=(Fix("t", "safe", (Edit(span, "new"),)),),
            )
        ],
        errors=[FileError(path, 3, "bad")],
        files=1,
        unresolved=[UnresolvedTarget(path, 9, 5, "self.net", "call", "factory", "`build(...)` makes it", "name it")],
        missing_packages=[MissingPackage("flashy", path, 4, ("flashy.one",), ("net:Net",))],
    )
    document = stdlib_json.loads(json.render(report, Source({path: "\n" * 9})))
    assert [len(each.pop("fingerprint")) for each in document["findings"]] == [32]
    assert document == {
        "version": 1,
        "tool": {"name": "gblint", "version": __version__},
        "torch_version": "2.13",
        "entries": [
            {
                "name": "net:Net",
                "path": "net.py",
                "line": 1,
                "kind": "decorator",
                "region": "default",
                "graphs": {"low": 3, "high": None},
            }
        ],
        "findings": [
            {
                "code": "GBL101",
                "rule": "tensor-item",
                "category": "graph-break",
                "severity": "error",
                "confidence": "certain",
                "path": "net.py",
                "line": 4,
                "column": 12,
                "end_line": 4,
                "end_column": 26,
                "message": "m",
                "help": "h",
                "gb_ids": ["GB0124"],
                "entries": ["net:Net"],
                "chain": [{"path": "net.py", "line": 4, "function": "Net.forward"}],
                "allowed": False,
                "raised_by": {"path": "net.py", "line": 2, "option": "fullgraph"},
                "allowed_by": None,
                "fixes": [
                    {
                        "title": "t",
                        "applicability": "safe",
                        "edits": [
                            {
                                "path": "net.py",
                                "line": 4,
                                "column": 12,
                                "end_line": 4,
                                "end_column": 26,
                                "content": "new",
                            }
                        ],
                        "verified": None,
                        "measured": [],
                    }
                ],
                "confirmation": None,
                "consequence": {
                    "outcome": "rest-eager",
                    "frame": "Net.forward",
                    "reason": "try",
                    "line": 3,
                    "repeats": 12,
                    "layers": 12,
                    "entry": "net:Net",
                    "behind": None,
                },
                "cost": 15,
                "reach": "option",
                "when": [{"text": "flag", "path": "net.py", "line": 2, "holds": True, "reach": "option"}],
            }
        ],
        "errors": [{"path": "net.py", "line": 3, "message": "bad"}],
        "unresolved": [
            {
                "path": "net.py",
                "line": 9,
                "column": 5,
                "expression": "self.net",
                "kind": "call",
                "reason": "factory",
                "message": "`build(...)` makes it",
                "hint": "name it",
                "partly": False,
            }
        ],
        "missing_packages": [
            {
                "package": "flashy",
                "path": "net.py",
                "line": 4,
                "functions": ["flashy.one"],
                "entries": ["net:Net"],
                "message": "`flashy` is not installed in the environment that gblint searched, so `flashy.one`,"
                " called from `net:Net`, was not analysed; --python names another environment",
            }
        ],
    }


def test_statistics_are_an_addition() -> None:
    counts = [{"code": "GBL101", "rule": "tensor-item", "count": 1}]
    assert stdlib_json.loads(json.render(Report("2.13"), Source({}), statistics=counts))["statistics"] == counts


def test_a_path_that_is_no_text_survives() -> None:
    document = stdlib_json.loads(json.render(Report("2.13", errors=[FileError("a\udcff.py", 1, "bad")]), Source({})))
    assert document["errors"][0]["path"] == "a\udcff.py"
