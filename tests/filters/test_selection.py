"""The choice of rules: those on by default, and those selected and ignored by code or prefix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0

    def forward(self, x: torch.Tensor):
        self.step += 1
        return x / x.max().item()


net = torch.compile(Net())
"""
BREAK, HINT = "GBL101", "GBL706"


@pytest.mark.parametrize(
    ("options", "settings", "expected"),
    [
        ((), "", {BREAK}),
        (("--select", "GBL7"), "", {HINT}),
        (("--select", "GBL706"), "", {HINT}),
        (("--select", "GBL"), "", {BREAK, HINT}),
        (("--select", "ALL"), "", {BREAK, HINT}),
        (("--extend-select", "GBL7"), "", {BREAK, HINT}),
        (("--extend-select", "GBL70", "--ignore", "GBL706"), "", {BREAK}),
        (("--extend-select", "GBL706", "--ignore", "GBL7"), "", {BREAK, HINT}),
        (("--ignore", "GBL1"), "", set()),
        (("--ignore", "ALL"), "", set()),
        ((), 'select = ["GBL7"]', {HINT}),
        ((), 'extend-select = ["GBL7"]', {BREAK, HINT}),
        (("--select", "GBL1"), 'extend-select = ["GBL7"]', {BREAK, HINT}),
        ((), 'extend-select = ["GBL7"]\nignore = ["GBL101"]', {HINT}),
    ],
)
def test_selection(
    gblint: Callable[..., Any],
    project: Callable[..., Path],
    options: tuple[str, ...],
    settings: str,
    expected: set[str],
) -> None:
    project({"net.py": PROGRAM, "gblint.toml": settings})
    result = gblint("check", "--output-format", "concise", *options)
    assert {code for code in (BREAK, HINT) if code in result.out} == expected


def test_a_hint_is_no_break(gblint: Callable[..., Any], project: Callable[..., Path]) -> None:
    project({"net.py": PROGRAM.replace("torch.compile(Net())", "torch.compile(Net(), fullgraph=True)")})
    result = gblint("check", "--output-format", "concise", "--select", "GBL7")
    assert "not a graph break" in result.out
    assert "raises" not in result.out
    assert "allowed" not in result.out
