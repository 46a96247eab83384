"""Compiled objects that were not analysed, in every report of ``gblint check`` and ``gblint entries``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from gblint.report.schema import schema
from tests.report.sarif_schema import faults

Write = Callable[..., Path]
Run = Callable[..., Any]

KNOWN = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x + 1\n"
UNKNOWN = """import torch


class Trainer:
    def __init__(self, network, cfg):
        self.network = network
        self.loss = build(cfg)

    def compile(self):
        self.network = torch.compile(self.network)
        self.loss = torch.compile(self.loss)


def build(cfg):
    return eval(cfg.loss)()
"""
BREAKS = KNOWN.replace("x + 1", "x.item()")
MANY = "import torch\n" + "".join(f"def main{n}(model{n}):\n    return torch.compile(model{n})\n" for n in range(5))
NETWORK = "`self.network` (trainer.py:10)"
LOSS = "`self.loss` (trainer.py:11)"


def last(out: str) -> str:
    return str(out.splitlines()[-1])


def test_the_last_line_says_how_much_was_analysed(project: Write, gblint: Run) -> None:
    project({"a.py": KNOWN, "trainer.py": UNKNOWN})
    result = gblint("check")
    assert result.status == 0
    assert last(result.out) == (
        f"No graph breaks found in 1 of 3 compiled objects (a:f) in 2 files; not resolved: {NETWORK}, {LOSS}."
    )


def test_each_place_is_a_warning_that_says_how_to_name_it(project: Write, gblint: Run) -> None:
    project({"a.py": KNOWN, "trainer.py": UNKNOWN})
    assert gblint("check").err.splitlines() == [
        "warning: trainer.py:10: `self.network`, compiled here, was not analysed: `network` of "
        "`Trainer.__init__` sets it, and no visible call passes a known value; name it with --entry "
        'package.module:Class, or pin it: pins = {"trainer:Trainer.network" = "package.module:Class"}',
        "warning: trainer.py:11: `self.loss`, compiled here, was not analysed: `build(...)` returns it, and "
        "its result could not be determined; name it with --entry package.module:Class, or pin it: "
        'pins = {"trainer:Trainer.loss" = "package.module:Class"}',
    ]
    assert gblint("check", "--quiet").err == ""


def test_findings_and_what_was_not_analysed(project: Write, gblint: Run) -> None:
    project({"a.py": BREAKS, "trainer.py": UNKNOWN})
    result = gblint("check")
    assert result.status == 1
    assert result.out.splitlines()[-2:] == [
        "Found 1 graph break in 1 file, reached from 1 entry point (a:f).",
        f"2 of 3 compiled objects were not analysed: {NETWORK}, {LOSS}.",
    ]


def test_three_are_named(project: Write, gblint: Run) -> None:
    project({"m.py": MANY})
    assert last(gblint("check").out) == (
        "Nothing was analysed in 1 file; not resolved: "
        "`model0` (m.py:3), `model1` (m.py:5), `model2` (m.py:7), and 2 more."
    )


def test_modules_are_assumed_to_be_compiled_if_nothing_is_known(project: Write, gblint: Run) -> None:
    net = "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
    project({"net.py": net, "trainer.py": UNKNOWN})
    result = gblint("check")
    assert last(result.out) == (
        "No graph breaks found from 1 assumed entry point (net:Net) in 2 files; "
        f"2 compiled objects were not analysed: {NETWORK}, {LOSS}."
    )
    why = "what torch.compile is applied to could not be resolved (trainer.py:10 and 1 more)"
    hint = "name the objects that you compile with `--entry`, or as `entries` in the configuration"
    assert result.err.splitlines()[-2:] == [
        f"note: the forward of 1 nn.Module is assumed to be compiled, since {why}",
        f"note: {hint}; for example --entry net:Net",
    ]


def test_nothing_is_compiled(project: Write, gblint: Run) -> None:
    project({"a.py": "import torch\n\n\ndef f(x):\n    return torch.relu(x)\n"})
    assert gblint("check").out == "Nothing was analysed: no entry point in 1 file.\n"


def test_a_named_class_is_analysed(project: Write, gblint: Run) -> None:
    net = "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x.sum().item()\n"
    pins = '[pins]\n"trainer:Trainer.network" = "net:Net"\n"trainer:Trainer.loss" = "net:Net"\n'
    project({"net.py": net, "trainer.py": UNKNOWN, "gblint.toml": pins})
    result = gblint("check")
    assert result.err == ""
    assert result.out.splitlines()[-2:] == [
        "Found 1 graph break in 1 file, reached from 2 entry points (net:Net).",
        "All 2 compiled objects were analysed.",
    ]


@pytest.mark.parametrize("command", ["check", "entries"])
def test_strict_entries(project: Write, gblint: Run, command: str) -> None:
    project({"a.py": KNOWN, "trainer.py": UNKNOWN})
    assert gblint(command).status == 0
    assert gblint(command, "--strict-entries").status == 1
    assert gblint(command, "--strict-entries", "a.py").status == 0
    project({"gblint.toml": "strict-entries = true\n"})
    assert gblint(command).status == 1
    assert gblint(command, "--no-strict-entries").status == 0


def test_exit_zero_outweighs_strict_entries(project: Write, gblint: Run) -> None:
    project({"trainer.py": UNKNOWN})
    assert gblint("check", "--strict-entries", "--exit-zero").status == 0


def test_json(project: Write, gblint: Run) -> None:
    project({"a.py": KNOWN, "trainer.py": UNKNOWN})
    document = json.loads(gblint("check", "--output-format", "json").out)
    jsonschema.validate(document, schema())
    first, second = document["unresolved"]
    assert first == {
        "path": "trainer.py",
        "line": 10,
        "column": 24,
        "expression": "self.network",
        "kind": "call",
        "reason": "parameter",
        "message": "`network` of `Trainer.__init__` sets it, and no visible call passes a known value",
        "hint": "name it with --entry package.module:Class, or pin it: "
        'pins = {"trainer:Trainer.network" = "package.module:Class"}',
        "partly": False,
    }
    assert (second["line"], second["reason"]) == (11, "factory")
    assert json.loads(gblint("entries", "--output-format", "json").out)["unresolved"] == [first, second]


def test_entries(project: Write, gblint: Run) -> None:
    project({"a.py": KNOWN, "trainer.py": UNKNOWN})
    lines = gblint("entries").out.splitlines()
    assert lines[0] == "a.py:5: a:f [decorator, default]"
    assert lines[1] == "trainer.py:10: not resolved: self.network [call]"
    assert lines[2].startswith("    `network` of `Trainer.__init__` sets it")
    assert lines[-1] == "Found 1 entry point in 2 files; 2 more compiled objects were not analysed."


def test_sarif(project: Write, gblint: Run) -> None:
    project({"trainer.py": UNKNOWN})
    document = json.loads(gblint("check", "--output-format", "sarif").out)
    assert faults(document) == []
    (run,) = document["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"]
    notification, _ = invocation["toolExecutionNotifications"]
    assert (notification["level"], notification["descriptor"]) == ("warning", {"id": "not-analysed", "index": 0})
    assert notification["locations"][0]["physicalLocation"]["region"] == {"startLine": 10}
    assert [each["id"] for each in run["tool"]["driver"]["notifications"]] == ["not-analysed"]


@pytest.mark.parametrize(
    ("form", "start"),
    [
        (
            "github",
            "::notice file=trainer.py,line=10,title=gblint%3A not analysed completely::`self.network`, compiled",
        ),
        ("azure", "##vso[task.logissue type=warning;sourcepath=trainer.py;linenumber=10;]`self.network`, compiled"),
        ("pylint", "trainer.py:10: [not-analysed] `self.network`, compiled here, was not analysed"),
        ("json-lines", '{"unresolved": {"path": "trainer.py", "line": 10, '),
    ],
)
def test_formats_with_one_line_each(project: Write, gblint: Run, form: str, start: str) -> None:
    project({"trainer.py": UNKNOWN})
    assert gblint("check", "--output-format", form).out.startswith(start)


def test_gitlab(project: Write, gblint: Run) -> None:
    project({"trainer.py": UNKNOWN})
    first, second = json.loads(gblint("check", "--output-format", "gitlab").out)
    assert (first["check_name"], first["severity"]) == ("gblint-not-analysed", "info")
    assert first["location"] == {"path": "trainer.py", "lines": {"begin": 10, "end": 10}}
    assert first["fingerprint"] != second["fingerprint"]


def test_rdjson(project: Write, gblint: Run) -> None:
    project({"trainer.py": UNKNOWN})
    first, _ = json.loads(gblint("check", "--output-format", "rdjson").out)["diagnostics"]
    assert (first["severity"], first["code"]) == ("INFO", {"value": "not-analysed"})
    assert first["location"] == {"path": "trainer.py", "range": {"start": {"line": 10}}}


def test_junit(project: Write, gblint: Run) -> None:
    project({"a.py": KNOWN, "trainer.py": UNKNOWN})
    top = ElementTree.fromstring(gblint("check", "--output-format", "junit").out)
    assert (top.get("tests"), top.get("failures"), top.get("skipped")) == ("3", "0", "2")
    assert [each.get("name") for each in top.iter("testcase")] == [
        "a:f",
        "self.network at line 10, column 24",
        "self.loss at line 11, column 21",
    ]


def test_html(project: Write, gblint: Run) -> None:
    project({"trainer.py": UNKNOWN})
    gblint("check", "--output-format", "html", "--output-file", "report.html")
    page = Path("report.html").read_text(encoding="utf-8")
    assert "Not analysed: 2 compiled objects" in page and "<code>self.network</code>" in page


def test_only_those_in_what_changed_files_affect(project: Write, gblint: Run) -> None:
    project({"trainer.py": UNKNOWN, "other.py": KNOWN, "m.py": MANY})
    document = json.loads(gblint("check", "--changed", "trainer.py", "--output-format", "json").out)
    assert {each["path"] for each in document["unresolved"]} == {"trainer.py"}


def test_a_notebook(project: Write, gblint: Run) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    sources = ["import torch\n", "def main(net):\n    return torch.compile(net)\n"]
    notebook = {
        "cells": [{**cell, "source": text} for text in sources],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    project({"a.ipynb": json.dumps(notebook, indent=1)})
    (target,) = json.loads(gblint("check", "--output-format", "json").out)["unresolved"]
    assert (target["path"], target["cell"], target["line"]) == ("a.ipynb", 2, 2)


def test_the_cache_and_processes_keep_them(project: Write, gblint: Run) -> None:
    files = {f"m{n}.py": MANY for n in range(4)} | {"a.py": BREAKS}
    project(files)
    runs = [("--no-cache", "--jobs", "1"), ("--no-cache", "--jobs", "2"), ("--cache-dir", "c"), ("--cache-dir", "c")]
    first, *others = [gblint("check", *options) for options in runs]
    assert "and 17 more." in last(first.out)
    assert all((each.out, each.err) == (first.out, first.err) for each in others)
    # After a change of one file, the notes about the others are the same.
    project({"a.py": KNOWN})
    changed = gblint("check", "--cache-dir", "c")
    assert changed.err == first.err and last(changed.out).startswith("No graph breaks found in 1 of 21 compiled")
