"""Names that the top of a module binds again and again."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from tests.interp.snippets import breaks

COUNT = 40
MAX_STEPS = 20_000


@pytest.mark.parametrize(
    "statement",
    [
        "if mode == 'a{0}':\n    mode = 'a{1}'",
        "if os.environ.get('K{0}'):\n    mode = mode + 'a{1}'",
        "if mode.startswith('a{0}'):\n    mode = wrap(mode)",
    ],
)
def test_each_of_many_statements_is_evaluated_once(tmp_path: Path, statement: str) -> None:
    lines = ["import os, torch", "def wrap(x): return x", "mode = os.environ.get('MODE', 'a0')"]
    lines += [statement.format(number, number + 1) for number in range(COUNT)]
    lines += ["@torch.compile", "def f(x):", "    if mode == 'b':", "        print(x)", "    return x"]
    (tmp_path / "m.py").write_text("\n".join(lines) + "\n")
    interp = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    assert trace(interp, find_entries(interp, []).entries)
    assert interp.budget.spent < MAX_STEPS


@pytest.mark.parametrize(
    ("statements", "loud"),
    [
        ("mode = 'quiet'\nif mode == 'quiet':\n    mode = 'loud'", True),
        ("mode = 'loud'\nif mode == 'quiet':\n    mode = 'loud'\nelse:\n    mode = 'other'", False),
        ("mode = 'lo'\nif torch.__version__:\n    mode = mode + 'ud'", True),
        ("mode = None\nif mode is None:\n    mode = 'loud'\nif mode == 'loud':\n    mode = 'quiet'", False),
    ],
)
def test_a_statement_sees_the_value_before_it(statements: str, loud: bool) -> None:
    lines = f"import torch\n{statements}\ndef net(x):\n    if mode == 'loud':\n        print(x)\n    return x\n"
    place = lines.splitlines().index("        print(x)") + 1
    assert [line for line, _ in breaks(lines, "net")] == [place] * loud
