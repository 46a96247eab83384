"""The benchmark on Dynamo's own tests: scores of small reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.dynamo_tests.__main__ import RECORDS, main
from benchmarks.dynamo_tests.score import read, score

TESTS = """\
import torch


def broken(x):
    y = x + 1
    return (
        y.item()
    )


def whole(x):
    return x.sin()


def raising(x):
    return x.cos()
"""


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    path = tmp_path / "test_small.py"
    path.write_text(TESTS, encoding="utf-8")
    return path


def finding(line: int, code: str, **more: Any) -> dict[str, Any]:
    return {
        "path": "test_small.py",
        "line": line,
        "code": code,
        "confidence": "likely",
        "category": "graph-break",
        **more,
    }


def record(folder: Path) -> Path:
    path = folder / "test_small.json"
    kinds = {"7": ["Unsupported Tensor.item() call with capture_scalar_outputs=False"]}
    path.write_text(json.dumps({"traced": "4-7 12 16", "breaks": kinds, "errors": {"16": ["AssertionError"]}}), "utf-8")
    return path


def test_scores(tests: Path) -> None:
    known = read(record(tests.parent))
    assert known.traced == {4, 5, 6, 7, 12, 16}
    found = [
        finding(6, "GBL101", end_line=8),
        finding(5, "GBL401"),
        finding(12, "GBL402"),
        finding(12, "GBL403", confidence="possible"),
        finding(12, "GBL701", category="recompile"),
        finding(16, "GBL404"),
    ]
    result = score({"findings": found, "entries": [{}, {}]}, known, tests)
    assert (result.found, result.missed, result.right, result.wrong, result.not_judged) == (1, 0, 1, 1, 2)
    assert (result.recall, result.precision, result.entries) == (1.0, 0.5, 2)
    assert result.notes == ["wrong  test_small.py:12 GBL402 return x.sin()"]


def test_a_place_without_a_finding_is_missed(tests: Path) -> None:
    result = score({"findings": [], "entries": []}, read(record(tests.parent)), tests)
    assert (result.found, result.missed) == (0, 1)
    assert result.notes[0].startswith("missed test_small.py:7 y.item() | Unsupported Tensor.item()")


def test_a_missing_file_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path), "test_nothing", "--python", "python"]) == 2
    assert "test_nothing: no such file or no record of it" in capsys.readouterr().err


def test_records_can_be_read() -> None:
    names = sorted(path.stem for path in RECORDS.glob("*.json"))
    assert "test_misc" in names
    for name in names:
        known = read(RECORDS / f"{name}.json")
        assert known.breaks.keys() <= known.traced or name == "test_misc", name
