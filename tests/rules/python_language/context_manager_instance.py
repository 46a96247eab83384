"""More examples of GBL504, context-manager-instance."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mode = torch.no_grad()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        with self.mode:  # breaks: GB0142
            y = y * 2
        return y
""",
    ),
    Example(
        """\
import torch


class Scope:
    def __enter__(self) -> "Scope":
        return self

    def __exit__(self, *error: object) -> None:
        pass


scope = Scope()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with scope:  # breaks: GB0142
        y = y * 2
    return y
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch

quiet = torch.no_grad


def f(x: torch.Tensor) -> torch.Tensor:
    with quiet():
        return x * 2
""",
    ),
    Example(
        """\
import contextlib

import torch


def f(x: torch.Tensor, train: bool = True) -> torch.Tensor:
    with contextlib.nullcontext() if train else torch.no_grad():
        return x * 2
""",
    ),
    Example(
        """\
import contextlib

import torch


def guard(on: bool = True) -> contextlib.AbstractContextManager[None]:
    return torch.no_grad() if on else contextlib.nullcontext()


def f(x: torch.Tensor) -> torch.Tensor:
    with guard():
        y = x + 1
    return y * 2
""",
    ),
)
