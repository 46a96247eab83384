"""More examples of GBL416, copy-call."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import copy

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    y = x + 1
    z = copy.copy(y)  # breaks: GB0208
    return y * 2, z
""",
    ),
    Example(
        """\
import copy

import torch

layer = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())


def f(x: torch.Tensor) -> torch.Tensor:
    return copy.deepcopy(layer)(x)  # breaks: GB4198
""",
    ),
    Example(
        """\
import copy

import torch

layer = torch.nn.ReLU()


def f(x: torch.Tensor) -> torch.Tensor:
    y = copy.deepcopy(layer)(x)  # breaks: GB0008
    return copy.copy(layer)(y)  # breaks: GB0008
""",
    ),
)
CLEAN = (
    Example(
        """\
import copy

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * copy.deepcopy({"scale": 2})["scale"]
""",
    ),
    Example(
        """\
import copy

import torch


class Sizes:
    def __init__(self) -> None:
        self.width = 4


sizes = Sizes()


def f(x: torch.Tensor) -> torch.Tensor:
    return x * copy.deepcopy(sizes).width
""",
    ),
)
FIXES = (
    FixExample(
        """\
import copy

import torch


def f(x: torch.Tensor) -> list[torch.Tensor]:
    parts = [x, x + 1]
    more = copy.copy(parts)
    more.append(x * 2)
    return parts + more
""",
        """\
import torch


def f(x: torch.Tensor) -> list[torch.Tensor]:
    parts = [x, x + 1]
    more = list(parts)
    more.append(x * 2)
    return parts + more
""",
    ),
    FixExample(
        """\
import copy

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    kept = copy.deepcopy(x)
    return kept * 2
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    kept = x.detach().clone()
    return kept * 2
""",
        safe=False,
    ),
)
