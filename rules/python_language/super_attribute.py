"""`super().name`, if this attribute of the base class is a property, has an empty value, or does not exist.

Dynamo supports methods and plain values through `super()`. It does not call a property, it treats a value that is zero,
`None` or empty as missing, and the slots of `object` written in C (`__repr__`, `__eq__`, `__hash__`) have no handler.

**Instead** use the name of the class: `Base.name` for a value, `Base.name.fget(self)` for a property; or put the shared
code into a method, which is traced through `super()`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class SuperAttribute(Rule):
    """GBL514."""

    code = "GBL514"
    name = "super-attribute"
    summary = "`super().name` for a property, an empty value or a missing attribute"
    gb_ids = ("GB0113", "GB0055", "GB0088", "GB0006", "GB0084", "GB6215")
    on = (On("operation", ("super", "super().*")),)
    message_template = "Dynamo cannot follow `super()` in `{expression}`"
    help_template = "use the name of the base class, or move the code into a method"
    wording = (
        (
            "super().*",
            "`{expression}` needs the property `{subject}`, which Dynamo does not read",
            "move the code of the property into a method, and call that through `super()`",
        ),
    )
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch


class Base:
    bias = 0


class Child(Base):
    bias = 1

    def shift(self, y: torch.Tensor) -> torch.Tensor:
        return y + super().bias  # breaks: GB0113


child = Child()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return child.shift(y)
""",
        ),
        Example(
            """\
import torch


class Base(torch.nn.Module):
    @property
    def device(self) -> torch.device:
        return torch.device("cpu")


class Child(Base):
    @property
    def device(self) -> torch.device:
        return super().device


child = Child()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if child.device.type != "meta":  # breaks: GB6215
        y = y.to(child.device)  # breaks: GB0055
    return y
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Base:
    bias = 3


class Child(Base):
    bias = 1

    def shift(self, y: torch.Tensor) -> torch.Tensor:
        return y + super().bias


child = Child()


def f(x: torch.Tensor) -> torch.Tensor:
    return child.shift(x)
""",
        ),
        Example(
            """\
import torch


class Base(torch.nn.Module):
    def place(self) -> torch.device:
        return torch.device("cpu")


class Child(Base):
    @property
    def device(self) -> torch.device:
        return super().place()


child = Child()


def f(x: torch.Tensor) -> torch.Tensor:
    if child.device.type != "meta":
        return x.to(child.device)
    return x
""",
        ),
    )
