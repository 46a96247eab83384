"""More examples of GBL505, class-definition."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def make() -> type:
    class Settings:  # breaks: GB8977
        scale = 2

    return Settings


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    settings = make()
    return y * settings.scale
""",
    ),
)
CLEAN = (
    Example(
        """\
import collections

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    settings = type("Settings", (), {"scale": 2})
    pair = collections.namedtuple("pair", "a b")
    return x * settings.scale + pair(1, 2).b
""",
    ),
    Example(
        """\
import torch

torch._dynamo.config.enable_trace_load_build_class = True


def f(x: torch.Tensor) -> torch.Tensor:
    class Settings:
        scale = 2

    return x * Settings.scale
""",
    ),
)
