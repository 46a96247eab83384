"""More examples of GBL206, reduce-in-python."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, bool]:
    y = x + 1
    z = any([y.sum() > 0])  # breaks: GB0170
    return y * 2, z
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return torch.stack(list(filter(lambda v: v > -100, y)))  # breaks: GB0170
""",
    ),
    Example(
        """\
import itertools

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    kept = list(itertools.takewhile(lambda v: v.sum() < 100, [y, y * 2]))  # breaks: GB0170
    return y + len(kept)
""",
    ),
    Example(
        """\
import itertools

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    kept = list(itertools.dropwhile(lambda v: v.sum() < 100, [y, y * 2]))  # breaks: GB0170
    return y + len(kept)
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return max(y.sum(), y.max(), y.mean()) + min([y.sum(), y.max()]) + max(y) + sum(y)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    tensors = [x, x + 1, None]
    kept = list(filter(lambda t: t is not None, tensors))
    if all(t.shape == x.shape for t in kept) and any(t is None for t in tensors):
        return torch.stack(kept)
    return x
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    conditions = [x > 0, x < 1]
    return torch.stack(conditions).any(0) & x.gt(0).all()
""",
    ),
    Example(
        """\
import itertools

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    kept = list(itertools.takewhile(lambda v: v.ndim == 1, [x, x * 2]))
    rest = list(itertools.filterfalse(lambda v: v > 1, [1, 2]))
    return x + len(kept) + len(rest)
""",
    ),
)
