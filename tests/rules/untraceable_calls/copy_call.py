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
