"""More examples of GBL529, assert-on-object."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import collections
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import nn


@dataclass
class Options:
    scale: float = 2.0


class Pair(NamedTuple):
    first: torch.Tensor
    second: int


def check(value: object) -> None:
    assert value, "nothing"  # breaks: GB0112, GB0055


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.options = Options()
        self.parts = [self.inner]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        check(self.inner)
        check(self.options)
        check(self.parts)
        check((x, 1))
        check([[x]])
        check({"a": x})
        check(Pair(x, 1))
        check(collections.OrderedDict(a=1))
        check(collections.defaultdict(list, a=[1]))
        check(x.split(2))
        check(zip([x], [x]))
        check(self.forward)
        return self.inner(x)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = y * 2
    assert z.dim() == 1 and [z], "no tensors"  # breaks: GB0112
    return z + 1
""",
    ),
)
CLEAN = (
    Example(
        """\
import enum
from collections import deque
from typing import NamedTuple

import torch


class Kind(enum.Enum):
    first = 1


class Sizes(NamedTuple):
    height: int
    width: int


def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    assert [1, "a", None, (2.0, Kind.first)]
    assert {"a": 1, "b": [2]} and {1, 2}
    assert [double, torch.relu, int] and double and torch.nn.functional
    assert Kind.first and Sizes(1, 2) and x.device and x.shape
    assert range(3) and deque([1]) and torch.float32
    assert [x] and len([x])
    assert not [[x]][1:]
    assert [x], str(x.dim())
    return double(x)
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4)])
        self.options = {"scale": 2.0, "names": ["a"]}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        assert self.options
        assert len(self.layers) > 0
        assert self.layers is not None
        assert isinstance(self.layers, nn.ModuleList)
        if not self.layers:
            raise ValueError("no layers")
        return self.layers[0](x)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, *others: torch.Tensor, **options: torch.Tensor) -> torch.Tensor:
    assert not others, "no other tensors"
    assert len(options) == 0 or "scale" in options
    assert (x > 0).all()
    assert all([x.dim() == 1, x.shape[0] > 1])
    return x * 2
""",
        inputs="(torch.rand(4) + 1,)",
    ),
)
