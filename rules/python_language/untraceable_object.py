"""Some classes implemented in C (`Decimal`, `timedelta`, `SimpleNamespace`, ...) cannot be instantiated in the region.

A model of pydantic breaks, too: an extension module checks and fills it. Its validators are compiled as functions of
their own, and break where they read tensors.

Attributes of an object created outside the region can be read.

**Instead** create it outside the region; use a dataclass, a named tuple or a dict.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import UNSEEN, On, Rule


class UntraceableObject(Rule):
    """GBL509."""

    code = "GBL509"
    name = "untraceable-object"
    summary = "creating an object of a class implemented in C, or a model of pydantic"
    gb_ids = (
        "GB0147",
        "GB3383",
        "GB0156",
    )
    on = (
        On("construct", ("object",)),
        On(
            "call",
            (
                "decimal.*",
                "types.SimpleNamespace",
                "array.*",
                "datetime.timedelta",
                "datetime.date",
                "datetime.datetime",
            ),
        ),
    )
    message_template = "Dynamo cannot create this object: `{expression}`"
    help_template = "create it outside the region, or use a plain class or a dict"
    escape_hatches = UNSEEN
    BREAKS = (
        Example(
            """\
import torch
from pydantic.dataclasses import dataclass


@dataclass
class Options:
    scale: float = 2.0


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    options = Options(scale=3.0)  # breaks: GB3383
    return y * options.scale
""",
            needs=("pydantic",),
        ),
        Example(
            """\
import torch
from pydantic import BaseModel, field_validator


class Inputs(BaseModel, arbitrary_types_allowed=True):
    values: torch.Tensor

    @field_validator("values")
    @classmethod
    def not_empty(cls, values):
        if values.isnan().any():  # breaks: GB0170
            raise ValueError("no number")
        return values


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    inputs = Inputs(values=y)  # breaks: GB0156
    return inputs.values * 2
""",
            needs=("pydantic",),
            others=("GBL203",),
        ),
    )
    CLEAN = (
        Example(
            """\
from dataclasses import dataclass

import torch
import pydantic.dataclasses


@dataclass
class Plain:
    scale: float = 2.0


@pydantic.dataclasses.dataclass
class Options:
    scale: float = 2.0


OPTIONS = Options(scale=3.0)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * OPTIONS.scale + Plain(scale=2.0).scale
""",
            needs=("pydantic",),
        ),
    )
