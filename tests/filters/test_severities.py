"""Severities of rules from the configuration, and the severity from which on a run fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """\
import torch


@torch.compile
def plain(x: torch.Tensor):
    print("plain")
    return x * x.sum().item()


@torch.compile(fullgraph=True)
def whole(x: torch.Tensor):
    print("whole")
    return x
"""


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, {6: "warning", 7: "warning", 12: "error"}),
        ({"GBL4": "info"}, {6: "info", 7: "warning", 12: "error"}),
        ({"GBL": "info", "gbl401": "error"}, {6: "error", 7: "info", 12: "error"}),
        ({"ALL": "info"}, {6: "info", 7: "info", 12: "error"}),
    ],
)
def test_the_longest_prefix_decides_and_what_raises_stays_an_error(
    project: Callable[..., Path], gblint: Callable[..., Any], settings: dict[str, str], expected: dict[int, str]
) -> None:
    table = "".join(f'{code} = "{severity}"\n' for code, severity in settings.items())
    project({"m.py": PROGRAM, "gblint.toml": f"[severity]\n{table}"})
    result = gblint("check", "--no-cache", "--output-format", "json")
    assert {each["line"]: each["severity"] for each in json.loads(result.out)["findings"]} == expected


def test_a_configured_severity_says_nothing_of_the_region(
    project: Callable[..., Path], gblint: Callable[..., Any]
) -> None:
    project({"m.py": PROGRAM, "gblint.toml": 'severity = {GBL401 = "error", GBL101 = "info"}\n'})
    lines = gblint("check", "--no-cache", "--output-format", "concise").out.splitlines()
    assert {line.partition(": ")[0]: "(raises)" in line for line in lines if "GBL401" in line} == {
        "m.py:6:5": False,
        "m.py:12:5": True,
    }
    assert not any("(allowed)" in line for line in lines)
    result = json.loads(gblint("check", "--no-cache", "--output-format", "json").out)
    assert not any(each["allowed"] for each in result["findings"])


@pytest.mark.parametrize(
    ("options", "severity", "status"),
    [
        ((), "info", 1),
        (("--fail-on", "info"), "info", 1),
        (("--fail-on", "warning"), "info", 0),
        (("--fail-on", "warning"), "warning", 1),
        (("--fail-on", "error"), "warning", 0),
        (("--fail-on", "error"), "error", 1),
        (("--config", "fail-on = 'error'"), "warning", 0),
    ],
)
def test_only_severe_findings_fail(
    project: Callable[..., Path], gblint: Callable[..., Any], options: tuple[str, ...], severity: str, status: int
) -> None:
    text = PROGRAM.partition("@torch.compile(full")[0]
    project({"m.py": text, "gblint.toml": f'severity = {{ALL = "{severity}"}}\n'})
    assert gblint("check", "--no-cache", *options).status == status


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ('severity = {GBL999 = "info"}', "severity: no rule has the code 'GBL999'"),
        ('severity = {GBL1 = "fatal"}', "severity.\"GBL1\": 'fatal' is not one of error, warning, info"),
        ('severity = "info"', "severity: a table is expected, not a string"),
        ('fail-on = "any"', "fail-on: 'any' is not one of error, warning, info"),
    ],
)
def test_wrong_values_are_named(
    project: Callable[..., Path], gblint: Callable[..., Any], setting: str, message: str
) -> None:
    project({"m.py": PROGRAM, "gblint.toml": f"{setting}\n"})
    result = gblint("check", "--no-cache")
    assert result.status == 2 and message in result.err
