"""More examples of GBL509, untraceable-object."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
from decimal import Decimal
from types import SimpleNamespace

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    settings = SimpleNamespace(scale=2)  # breaks: GB0147
    y = y * settings.scale
    number = Decimal("1.5")  # breaks: GB0147
    return y * 2, number
""",
    ),
    Example(
        """\
import datetime

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    pause = datetime.timedelta(seconds=1)  # breaks: GB0147
    return y * 2, pause
""",
    ),
)
CLEAN = (
    Example(
        """\
from dataclasses import dataclass

import torch


@dataclass
class Settings:
    scale: int = 2


def f(x: torch.Tensor) -> torch.Tensor:
    return x * Settings(3).scale
""",
    ),
    Example(
        """\
from types import SimpleNamespace

import torch

settings = SimpleNamespace(scale=2)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * settings.scale
""",
    ),
)
