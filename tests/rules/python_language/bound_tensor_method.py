"""More examples of GBL513, bound-tensor-method."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
from collections.abc import Callable

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    act = y.relu
    if isinstance(act, Callable):  # breaks: GB0175
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    act = y.relu
    if hasattr(act, "__name__"):  # breaks: GB0150
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    act = y.relu
    return act(), str(act)  # breaks: GB0059
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    costs = {torch.relu: 1, torch.tanh: 2}
    return torch.relu(x) * costs[torch.relu]
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    for name in ("relu", "tanh"):
        x = getattr(x, name)()
    return x
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    steps = {"relu": x.relu, "tanh": x.tanh}
    return steps["relu"]() + steps["tanh"]()
""",
    ),
)
