"""Calling a `functools.partial` whose keywords are members of an enum: `partial(f, **{Option.SCALE: 2})`.

The members are strings, which Python accepts as names; Dynamo requires plain strings. A partial that is created inside
the region is traced.

**Instead** `Option.SCALE.value`, or `partial(f, scale=2)`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import UNSEEN, On, Rule


class PartialKeyword(Rule):
    """GBL444."""

    code = "GBL444"
    name = "partial-keyword"
    summary = "a `functools.partial` with enum members as keywords"
    gb_ids = ("GB0186",)
    on = (On("operation", ("partial-keyword",)),)
    message_template = "`{expression}` calls a `functools.partial` whose keywords are members of an enum"
    help_template = "use their `.value` where the partial is created"
    escape_hatches = UNSEEN
    BREAKS = (
        Example(
            """\
import enum
import functools

import torch


class Option(str, enum.Enum):
    SCALE = "scale"


def grow(value: torch.Tensor, scale: int) -> torch.Tensor:
    return value * scale


double = functools.partial(grow, **{Option.SCALE: 2})


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return double(y)  # breaks: GB0186
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import enum
import functools

import torch


class Option(str, enum.Enum):
    SCALE = "scale"


def grow(value: torch.Tensor, scale: int) -> torch.Tensor:
    return value * scale


double = functools.partial(grow, **{Option.SCALE.value: 2})


def f(x: torch.Tensor) -> torch.Tensor:
    return double(x)
""",
        ),
    )
