"""`hasattr` of an object for which Dynamo has no handler: an exception, a slice, a pattern, a logger, `super()`.

Tensors, modules, objects, functions, classes and containers are supported. `getattr` with a default has the same
limits.

**Instead** test the type (`isinstance`); catch the exception by its own class; use `hasattr(Base, "name")` instead of
`hasattr(super(), "name")`; test outside the region.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import UNSEEN, On, Rule


class UntraceableHasattr(Rule):
    """GBL516."""

    code = "GBL516"
    name = "untraceable-hasattr"
    summary = "`hasattr` of an exception, a slice, a pattern, a logger or `super()`"
    gb_ids = ("GB0150",)
    on = (On("operation", ("hasattr",)),)
    message_template = "Dynamo cannot tell whether this attribute exists: `{expression}`"
    help_template = "test the type, or an attribute of the class"
    escape_hatches = UNSEEN
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        raise ValueError("here")
    except ValueError as error:
        if hasattr(error, "code"):  # breaks: GB0150
            y = y * 2
    return y
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Base:
    pass


class Child(Base):
    def reset(self, y: torch.Tensor) -> torch.Tensor:
        if hasattr(Base, "reset"):
            y = y * 2
        return y + 1


child = Child()


def f(x: torch.Tensor) -> torch.Tensor:
    return child.reset(x)
""",
        ),
    )
