"""The example project of ``make demo``: exactly the breaks of Dynamo are reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.report.sarif_schema import faults

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo"


def test_demo(gblint: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DEMO)
    result = gblint("check", "--output-format", "json", ".")
    document = json.loads(result.out)
    found = {(Path(item["path"]).as_posix(), item["line"], tuple(item["gb_ids"])) for item in document["findings"]}
    assert {(path, line) for path, line, _ in found} == {
        ("digits/experts.py", 21),
        ("digits/losses.py", 12),
        ("digits/losses.py", 21),
        ("digits/losses.py", 22),
        ("digits/noise.py", 9),
        ("digits/noise.py", 13),
    }
    assert {entry["name"] for entry in document["entries"]} == {"digits.model:Classifier"}
    assert document["errors"] == []


def test_demo_as_sarif(gblint: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DEMO)
    result = gblint("check", "--output-format", "sarif", "--show-fixes", "--no-cache", ".")
    log = json.loads(result.out)
    assert len(log["runs"][0]["results"]) == 6
    assert any("fixes" in each for each in log["runs"][0]["results"])
    assert faults(log) == []
