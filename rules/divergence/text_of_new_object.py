"""The text of an object that the region makes lacks the attributes of the object.

Dynamo sets the attributes of a new object after the graph. The text of an f-string is made before that, so
`f"{Options(scale=3)}"` shows the defaults of the class, or raises an `AttributeError` if there are none.
`str(options)` does the same for a class that has a `__repr__` and no `__str__`, such as a dataclass with defaults.
Objects made outside of the region, frozen dataclasses and `repr(options)` are not affected.

**Instead** put attributes into the text (`f"{options.scale}"`), write `{options!r}`, or make the object outside the
region.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class TextOfNewObject(Rule):
    """GBL829."""

    code = "GBL829"
    name = "text-of-new-object"
    summary = "the text of an object that the region makes"
    category = Category.DIVERGENCE
    on = (On("divergence", ("object-text",)),)
    message_template = "under Dynamo, the text of `{expression}` does not show the attributes that the object gets here"
    help_template = "put its attributes into the text, or its `repr`"
    DIVERGES = (
        Example(
            """\
from dataclasses import dataclass

import torch


@dataclass
class Options:
    scale: float = 1.0


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    options = Options(scale=3.0)
    return x * options.scale, f"with {options}"  # diverges
""",
        ),
        Example(
            """\
import torch


class Scale:
    value = 1

    def __repr__(self) -> str:
        return f"Scale({self.value})"


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    scale = Scale()
    scale.value = 3
    return x * scale.value, str(scale)  # diverges
""",
        ),
    )
    CLEAN = (
        Example(
            """\
from dataclasses import dataclass

import torch


@dataclass
class Options:
    scale: float = 1.0


@dataclass(frozen=True)
class Frozen:
    scale: float = 1.0


class Plain:
    def __init__(self, scale: float) -> None:
        self.scale = scale

    def __repr__(self) -> str:
        return f"Plain({self.scale})"


outside = Options(3.0)


def f(x: torch.Tensor) -> tuple[torch.Tensor, str, str]:
    options = Options(scale=3.0)
    texts = f"{outside} {Frozen(2.0)} {options.scale} {Plain(2.0)!r}"
    return x * options.scale, texts, str(outside)
""",
        ),
    )
