"""More examples of GBL425, opaque-object."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch
from torch._library.opaque_object import MemberType, register_opaque_type
from torch._opaque_base import OpaqueBase


class Node(OpaqueBase):
    def parent(self) -> "Node":
        return self


register_opaque_type(Node, typ="reference", members={"parent": MemberType.USE_REAL})
NODE = Node()


def f(x: torch.Tensor) -> torch.Tensor:
    node = NODE.parent()  # breaks: GB8843
    return x + 1 if node is not None else x
""",
        raises=True,
    ),
    Example(
        """\
import torch
from torch._library.opaque_object import MemberType, register_opaque_type
from torch._opaque_base import OpaqueBase


class Lazy(OpaqueBase):
    def value(self) -> int:
        return 2

    def __getattr__(self, name: str) -> object:
        raise AttributeError(name)


register_opaque_type(Lazy, typ="reference", members={"value": MemberType.USE_REAL})
LAZY = Lazy()


def f(x: torch.Tensor) -> torch.Tensor:
    return x + LAZY.value()  # breaks: GB8656
""",
        raises=True,
    ),
    Example(
        """\
import torch
from torch._library.opaque_object import register_opaque_type
from torch._opaque_base import OpaqueBase


class Limits(OpaqueBase):
    upper = 3


register_opaque_type(Limits, typ="reference", members={})


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        limit = Limits.lower  # breaks: GB7685
    except AttributeError:
        limit = Limits.upper
    return x * limit
""",
    ),
    Example(
        """\
import torch
from torch._library.opaque_object import register_opaque_type
from torch._opaque_base import OpaqueBase


class Default:
    def __get__(self, instance: object, owner: type) -> int:
        return 3


class Limits(OpaqueBase):
    upper = Default()


register_opaque_type(Limits, typ="reference", members={})


def f(x: torch.Tensor) -> torch.Tensor:
    return x * Limits.upper  # breaks: GB9567
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Counter:
    def __init__(self, start: int) -> None:
        self.start = start

    def __getattr__(self, name: str) -> int:
        return 3


COUNTER = Counter(2)


def f(x: torch.Tensor) -> torch.Tensor:
    return x + COUNTER.start
""",
    ),
)
