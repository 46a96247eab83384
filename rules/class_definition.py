"""A `class` statement in the region cannot be traced.

**Instead** define the class outside. `type(name, bases, members)` and `collections.namedtuple` are traced.
"""

from __future__ import annotations

from gblint.rules.base import Example, On, Rule


class ClassDefinition(Rule):
    """GBL505."""

    code = "GBL505"
    name = "class-definition"
    summary = "a class statement in the region"
    gb_ids = ("GB8977",)
    on = (On("construct", ("class",)),)
    said = "class `{expression}` is defined in the compiled region"
    advice = "define the class at module level"
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1

    class Settings:  # breaks: GB8977
        scale = 2

    return y * Settings.scale
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Settings:
    scale = 2


def f(x: torch.Tensor) -> torch.Tensor:
    def double(t: torch.Tensor) -> torch.Tensor:
        return t * 2

    settings = Settings()
    settings.scale = 3
    return double(x) * settings.scale
""",
        ),
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
    )
