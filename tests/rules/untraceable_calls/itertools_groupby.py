"""More examples of GBL442, itertools-groupby."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import itertools

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    groups = itertools.groupby([y[0], y[1]])  # breaks: GB0115, GB0152
    return y * 2, groups
""",
    ),
)
CLEAN = (
    Example(
        """\
import itertools

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    groups = {size: len(list(group)) for size, group in itertools.groupby(x.shape)}
    return x * len(groups)
""",
    ),
)
