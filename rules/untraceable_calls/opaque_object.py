"""Dynamo supports only the members of an opaque object that are registered.

A class is made opaque with `register_opaque_type`.

Reading or calling any other member, or setting an attribute, raises an error. A member with `MemberType.USE_REAL` is
run while tracing: it must not return another opaque object, and the class must not have a `__getattr__`. On the class
itself, only existing attributes can be read, and no user-defined descriptors.

**Instead** register every member that the region uses, with `USE_REAL` if it does not change and `INLINED` otherwise,
and read all others outside of the region.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class OpaqueObject(Rule):
    """GBL425."""

    code = "GBL425"
    name = "opaque-object"
    summary = "a use of an opaque object that its registration does not allow"
    gb_ids = (
        "GB2078",
        "GB7685",
        "GB8656",
        "GB8843",
        "GB9567",
    )
    on = (On("opaque-object"),)
    message_template = "`{expression}` is not a registered member of the opaque type"
    help_template = "add it to the `members` of `register_opaque_type`"
    wording = (
        (
            "getattr",
            "the class of `{expression}` has a `__getattr__`, which Dynamo does not follow",
            "remove `__getattr__` from the opaque class",
        ),
        (
            "result",
            "`{expression}` returns another opaque object while tracing",
            "register the member with `MemberType.INLINED`",
        ),
        ("class-attribute", "`{expression}` does not exist on the opaque class", "read attributes that exist"),
        ("descriptor", "`{expression}` is a descriptor on an opaque class", "read it outside of the region"),
    )
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch
from torch._library.opaque_object import MemberType, register_opaque_type
from torch._opaque_base import OpaqueBase


class Counter(OpaqueBase):
    def __init__(self, start: int) -> None:
        self.start = start

    def value(self) -> int:
        return self.start


register_opaque_type(Counter, typ="reference", members={"value": MemberType.USE_REAL})
COUNTER = Counter(2)


def f(x: torch.Tensor) -> torch.Tensor:
    return x + COUNTER.start  # breaks: GB2078
""",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
from torch._library.opaque_object import MemberType, register_opaque_type
from torch._opaque_base import OpaqueBase


class Counter(OpaqueBase):
    scale = 2

    def __init__(self, start: int) -> None:
        self.start = start

    def value(self) -> int:
        return self.start


register_opaque_type(
    Counter, typ="reference", members={"value": MemberType.USE_REAL, "start": MemberType.USE_REAL}
)
COUNTER = Counter(2)


def f(x: torch.Tensor) -> torch.Tensor:
    return x + COUNTER.value() * COUNTER.start * Counter.scale
""",
        ),
    )
