"""More examples of GBL415, dynamic-import."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    module = __import__("math")  # breaks: GB0007
    return y * module.pi
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        import not_there_at_all  # breaks: GB0069
    except ImportError:
        y = y + 1
    return y
""",
    ),
)
CLEAN = (
    Example(
        """\
import importlib.util

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if importlib.util.find_spec("not_there_at_all") is not None:
        import not_there_at_all
    return x * 2
""",
    ),
)
