"""More examples of GBL552, iterator-compared."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * math.prod(n + 1 for n in x.shape)  # breaks: GB0055
""",
    ),
    Example(
        """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + math.fsum(map(float, [1, 2]))  # breaks: GB0055
    return y * math.prod({"a": 2}.values())  # breaks: GB0055
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    found = min(map(len, {"a": 2, "b": 3}), default=0)  # breaks: GB0193
    return y + 1, found
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    found = max((each.shape[0] for each in (x, y)), default=1)  # breaks: GB0193
    return y + 1, found
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, tuple[int, str]]:
    y = x + 1
    found = max(enumerate(["a", "b"]), key=lambda pair: pair[0])  # breaks: GB0193
    return y + 1, found
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, torch.Size]:
    y = x + 1
    found = max(each.shape for each in (x, y))  # breaks: GB0059
    return y + 1, found
""",
    ),
)
CLEAN = (
    Example(
        """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * math.prod([n + 1 for n in x.shape]) * math.prod(x.shape) * math.prod(range(1, 3))
    return y * math.prod(reversed([1, 2])) + math.fsum(iter([1.0, 2.0])) + sum(n for n in x.shape)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int, int, int, torch.dtype]:
    names = {"a": 2, "b": 3}
    largest = max(size for size in x.shape)
    last = max([*names.items()], key=lambda pair: pair[1])[1]
    widest = max([torch.float32, torch.float64], key=lambda dtype: dtype.itemsize)
    return x + max(reversed([1, 2])), largest, last, max(range(3), key=lambda n: -n), widest
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    found = max(reversed([1, 2])) + max({2, 1}, key=lambda n: -n)
    return y + 1, found
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, torch.Size]:
    y = x + 1
    found = max([each.shape for each in (x, y)])
    return y + 1, found
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    found = max(sorted(["a", "bb"]), default="")
    return y + 1, found
""",
    ),
    Example(
        """\
import torch


class Store:
    def values(self) -> list[int]:
        return [1, 2]


store = Store()


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    found = max(store.values(), key=lambda v: -v)
    return y + 1, found
""",
    ),
)
FIXES = (
    FixExample(
        """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * math.prod(n + 1 for n in x.shape)
""",
        """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * math.prod([n + 1 for n in x.shape])
""",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    names = ["a", "bb"]
    return x + 1, max((len(name) for name in names), default=0)
""",
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    names = ["a", "bb"]
    return x + 1, max([len(name) for name in names], default=0)
""",
        calls=("(torch.ones(4),)",),
    ),
)
