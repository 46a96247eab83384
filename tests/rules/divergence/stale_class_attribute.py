"""More examples of GBL830, stale-class-attribute."""

from __future__ import annotations

from gblint.rules.examples import Example

DIVERGES = (
    Example(
        """\
import torch


class Base:
    width = 1


class Layer(Base):
    pass


layer = Layer()


def f(x: torch.Tensor) -> torch.Tensor:
    Base.width = 5
    return x * layer.width + Layer().width  # diverges
"""
    ),
    Example(
        """\
import torch


class Layer:
    def scale(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


layer = Layer()


def f(x: torch.Tensor) -> torch.Tensor:
    Layer.scale = lambda self, x: x * 7
    return layer.scale(x)  # diverges
"""
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Base:
    width = 1


class Layer(Base):
    width = 2


layer = Layer()


def f(x: torch.Tensor) -> torch.Tensor:
    Base.width = 5
    return x * layer.width
"""
    ),
    Example(
        """\
import torch


class Layer:
    width = 1

    def __init__(self) -> None:
        self.width = 2


layer = Layer()


def f(x: torch.Tensor) -> torch.Tensor:
    Layer.width = 5
    return x * layer.width
"""
    ),
)
