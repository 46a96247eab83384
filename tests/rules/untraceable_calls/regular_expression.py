"""More examples of GBL461, regular-expression."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import re

import torch

digits = re.compile("[0-9]+")


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    found = digits.finditer("1 2")  # breaks: GB0292
    return y * 2, found
""",
    ),
    Example(
        """\
import re

import torch

digits = re.compile("[0-9]+")


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    found = digits.match(f"{y.mean()}")  # breaks: GB0299
    return y * 2, found
""",
    ),
)
CLEAN = (
    Example(
        """\
import re

import torch

FOUND = re.match("(a+)", "aab")


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(FOUND[1])
""",
    ),
    Example(
        """\
import re

import torch

WANTED = re.compile(r"(\\w+)_\\d")


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first_1 = torch.nn.Linear(4, 4)
        self.other = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for name, module in self.named_children():
            found = WANTED.match(name)
            if found is not None and found.group(1) == "first":
                x = module(x)
        return x
""",
    ),
    Example(
        """\
import re

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    text = re.sub("a+", lambda found: found.group(0).upper(), "aab")
    return x * len(text)
""",
    ),
    Example(
        """\
import re

import torch

digits = re.compile("([0-9]+)")


def f(x: torch.Tensor) -> torch.Tensor:
    found = digits.match(f"{x.dim()} of {x.shape[0]}")
    return x * len(found.groups()) if found else x + 1
""",
    ),
)
