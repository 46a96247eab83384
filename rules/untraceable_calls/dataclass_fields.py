"""`dataclasses.fields` of a class ends the graph; Dynamo supports it only for an instance.

**Instead** pass an instance; or read the names outside the region: `NAMES = [f.name for f in fields(Config)]`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import UNSEEN, On, Rule


class DataclassFields(Rule):
    """GBL440."""

    code = "GBL440"
    name = "dataclass-fields"
    summary = "`dataclasses.fields` of a class"
    gb_ids = ("GB0180",)
    on = (On("operation", ("dataclass-fields",)),)
    message_template = "Dynamo supports `dataclasses.fields` for an instance, but not for a class"
    help_template = "pass an instance, or read the fields outside the region"
    escape_hatches = UNSEEN
    BREAKS = (
        Example(
            """\
import dataclasses

import torch


@dataclasses.dataclass
class Config:
    scale: int = 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * len(dataclasses.fields(Config))  # breaks: GB0180
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import dataclasses

import torch


@dataclasses.dataclass
class Config:
    scale: int = 2


config = Config()


def f(x: torch.Tensor) -> torch.Tensor:
    for field in dataclasses.fields(config):
        x = x * getattr(config, field.name)
    return x * len(dataclasses.fields(Config(3)))
""",
        ),
    )
