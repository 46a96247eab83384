"""The page of counterparts names classes and functions that exist in gblint and in the installed torch."""

from __future__ import annotations

import ast
import importlib
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from gblint.interp.state.interpreter import Interpreter

PAGE = (Path(__file__).parents[2] / "docs" / "dynamo-counterparts.md").read_text("utf-8")


def rows(title: str) -> list[tuple[str, str, str]]:
    """Return the cells of the table in a section, without its head."""
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    cells = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [(ours.strip(), theirs.strip(), module.strip()) for ours, theirs, module in cells[2:]]


VALUES, OPERATIONS = rows("Values"), rows("Operations")


@pytest.mark.parametrize("ours", [cells[0] for cells in VALUES])
def test_values_exist(ours: str) -> None:
    modules = [
        importlib.import_module(f"gblint.values.{name}") for name in ("base", "containers", "objects", "wrapped")
    ]
    for name in re.findall(r"`([A-Z]\w+)`", ours):
        assert any(hasattr(module, name) for module in modules), name


@pytest.mark.parametrize("ours", [cells[0] for cells in OPERATIONS])
def test_operations_exist(ours: str) -> None:
    for name in re.findall(r"`([a-z_]+)`", ours):
        assert hasattr(Interpreter, name) or name in ("is", "in"), name


@pytest.mark.parametrize(("theirs", "module"), [cells[1:] for cells in (*VALUES, *OPERATIONS) if cells[2]])
def test_counterparts_exist(theirs: str, module: str) -> None:
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        pytest.skip("torch is not installed")
    path = Path(spec.origin).parent / "_dynamo" / "variables" / f"{module.strip('`')}.py"
    tree = ast.parse(path.read_text("utf-8"))
    defined = {node.name for node in ast.walk(tree) if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    names = [part for name in re.findall(r"`([A-Za-z_.]+)`", theirs) for part in name.split(".")]
    assert names and set(names) <= defined, set(names) - defined
