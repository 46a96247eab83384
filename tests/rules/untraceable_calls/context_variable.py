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
import threading

import torch


class Checks:
    local = threading.local()

    @classmethod
    def enabled(cls) -> bool:
        if not hasattr(cls.local, "on"):
            cls.local.on = False
        return cls.local.on

    @classmethod
    def set(cls, on: bool) -> None:
        cls.local.on = on


def f(x: torch.Tensor) -> torch.Tensor:
    if Checks.enabled() and torch.isnan(x).any():
        raise ValueError("not a number")
    return x + 1
""",
    ),
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
