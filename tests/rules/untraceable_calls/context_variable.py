"""More examples of GBL469, context-variable."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import contextvars

import torch

SCALE = contextvars.ContextVar("scale", default=2)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    SCALE.set(3)  # breaks: GB0156
    return y * 2
""",
    ),
    Example(
        """\
import contextvars

import torch

context = contextvars.copy_context()


def f(x: torch.Tensor) -> torch.Tensor:
    return context.run(torch.sin, x)  # breaks: GB0156
""",
    ),
)
CLEAN = (
    Example(
        """\
import contextvars

import torch

SCALE = contextvars.ContextVar("scale", default=2)


def f(x: torch.Tensor, scale: int = SCALE.get()) -> torch.Tensor:
    return x * scale
""",
    ),
)
