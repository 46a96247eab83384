"""More examples of GBL413, introspection."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import inspect
import traceback

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, list[str]]:
    y = x + 1
    lines = traceback.format_stack()  # breaks: GB0007
    y = y + 1
    y = y * len(inspect.getsource(f))  # breaks: GB0007
    return y, lines
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(f.__name__) + hasattr(x, "shape") + callable(f)
""",
    ),
    Example(
        """\
import inspect

import torch


def g(x: torch.Tensor, scale: int = 2) -> torch.Tensor:
    return x * scale


def f(x: torch.Tensor) -> torch.Tensor:
    if "scale" in inspect.signature(g).parameters:
        return g(x, scale=3)
    return g(x)
""",
    ),
)
