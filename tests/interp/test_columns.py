"""Columns count characters, also after wide ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_columns_behind_wide_characters(project: Callable[..., Path], gblint: Callable[..., Any]) -> None:
    text = (
        "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    s = '\N{SNAKE}\u00e9'; print(x)\n    return x\n"
    )
    project({"a.py": text})
    assert gblint("check", "--output-format=concise").out.startswith("a.py:6:15: GBL401")
