"""More examples of GBL506, dynamic-code."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch

scale = 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * globals()["scale"]  # breaks: GB0059
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * eval("scale", {"scale": 2})  # breaks: GB0059
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch

OPERATORS = {"relu": torch.relu, "abs": torch.abs}


def f(x: torch.Tensor, name: str = "abs") -> torch.Tensor:
    return OPERATORS[name](x)
""",
    ),
    Example(
        """\
import torch

OPERATIONS = {"double": lambda x: x * 2, "half": lambda x: x / 2}


def f(x: torch.Tensor, operation: str = "double") -> torch.Tensor:
    return OPERATIONS[operation](x)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    text = "2 * (3 + 4)"
    return x * eval(text)
""",
    ),
)
