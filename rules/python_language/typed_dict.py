"""Creating a `TypedDict` with keys that may be missing (`total=False`, `NotRequired`) breaks the graph.

A `TypedDict` whose keys are all required is traced as a dict. So is a dict literal assigned to an annotated variable.

**Instead** write the dict: `options: Options = {"scale": 2}`; or use a dataclass.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class TypedDict(Rule):
    """GBL523."""

    code = "GBL523"
    name = "typed-dict"
    summary = "creating a `TypedDict` with optional keys"
    gb_ids = ("GB0257",)
    on = (On("construct", ("typed-dict",)),)
    message_template = "Dynamo cannot create a `TypedDict` with keys that may be missing"
    help_template = "write a dict literal, and annotate the variable"
    BREAKS = (
        Example(
            """\
from typing import TypedDict

import torch


class Options(TypedDict, total=False):
    scale: int


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    options = Options(scale=2)  # breaks: GB0257
    return y * options["scale"]
""",
        ),
    )
    CLEAN = (
        Example(
            """\
from typing import TypedDict

import torch


class Options(TypedDict):
    scale: int


def f(x: torch.Tensor) -> torch.Tensor:
    return x * Options(scale=2)["scale"]
""",
        ),
    )
