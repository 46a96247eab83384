"""The tests that run Dynamo are left out by name where torch is not installed (``WITHOUT_TORCH`` in the Makefile)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
IGNORED = {"confirm", "knowledge", "packaging"}
WORDS = ("dynamo", "oracle")


def _runs_dynamo(function: ast.FunctionDef) -> bool:
    """Return whether a test calls the oracle itself."""
    calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    owners = [call.value for call in calls if isinstance(call, ast.Attribute)]
    return any(isinstance(owner, ast.Name) and owner.id == "dynamo" for owner in owners)


def _unnamed(file: Path) -> list[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return [f"{file.name}::{test.name}" for test in tests if _runs_dynamo(test) and not _is_named(file, test)]


def _is_named(file: Path, test: ast.FunctionDef) -> bool:
    name = f"{file.relative_to(TESTS)}::{test.name}"
    return any(word in name for word in WORDS)


def test_tests_that_run_dynamo_say_so_in_their_names() -> None:
    files = [each for each in TESTS.rglob("test_*.py") if each.relative_to(TESTS).parts[0] not in IGNORED]
    assert [name for file in files for name in _unnamed(file)] == []


@pytest.mark.parametrize(("name", "expected"), [("test_a", ["test_x.py::test_a"]), ("test_a_in_dynamo", [])])
def test_a_name_without_the_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, expected: list[str]
) -> None:
    monkeypatch.setattr("tests.structure.test_selection.TESTS", tmp_path)
    (tmp_path / "test_x.py").write_text(f"def {name}():\n    dynamo.verdicts([])\n\ndef test_b():\n    pass\n")
    assert _unnamed(tmp_path / "test_x.py") == expected
