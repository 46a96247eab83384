"""The commands that the pages show do what they say, as far as an engine of straw can."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
CODE = "import torch\n\n\n@torch.compile\ndef f(x):\n    return x.item()\n"
FILES = {
    "gblint.toml": 'baseline = "gblint-baseline.json"\n',
    "gblint-baseline.json": '{"version": 1, "findings": []}',
    "app/__init__.py": "",
    "app/model.py": CODE.replace("def f", "def Net"),
    "app/train.py": CODE.replace("def f", "def step"),
}


def commands(page: str) -> list[list[str]]:
    shown = re.findall(r"^\$ gblint (.*)$", (DOCS / page).read_text(), re.MULTILINE)
    return [shlex.split(line, comments=True) for line in shown]


@pytest.mark.parametrize("page", ["ci.md", "baseline.md"])
def test_commands(page: str, gblint: Callable[..., Any], project: Callable[..., Path], engine: Any) -> None:
    shown = commands(page)
    assert shown
    for command in shown:
        project(FILES)
        result = gblint(*command)
        # The straw engine names every entry point ``f``.
        assert result.status in (0, 1) or "there is no entry point 'app.model:Net'" in result.err, (command, result.err)
