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
    Example(
        """\
import copy
from collections import defaultdict

import torch

counts = defaultdict(int, a=1)


def f(x: torch.Tensor) -> torch.Tensor:
    return x + len(copy.deepcopy({"counts": counts}))  # breaks: GB0088
""",
    ),
    Example(
        """\
import copy
from typing import NamedTuple

import torch


class Sizes(NamedTuple):
    height: int


def f(x: torch.Tensor) -> torch.Tensor:
    return x + copy.copy(Sizes(2)).height  # breaks: GB0088
""",
    ),
)
CLEAN = (
    Example(
        """\
import copy
import enum
from dataclasses import dataclass, replace

import torch


class Kind(enum.Enum):
    first = 1


@dataclass
class Options:
    scale: float = 2.0


options = Options()


def f(x: torch.Tensor) -> torch.Tensor:
    kind = copy.copy(Kind.first)
    own = copy.deepcopy(options)
    other = replace(copy.copy(options), scale=3.0)
    return x * own.scale * other.scale * kind.value
""",
    ),
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
