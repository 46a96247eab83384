"""A class whose attribute hook is a function written in C: `__getattr__ = dict.get`, `__setattr__ = dict.__setitem__`.

The usual few lines of an "attribute dict". Dynamo calls hooks that are Python functions; what these do it cannot see.
The same goes for `property(operator.attrgetter("name"))`, for `classmethod` around a builtin, for a metaclass with a
`__getattribute__`, and for calling a `__setitem__` on a plain dict.

**Instead** write the hook out: `def __getattr__(self, name): return self[name]`; or use a dataclass.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import UNSEEN, On, Rule


class AttributeHookInC(Rule):
    """GBL515."""

    code = "GBL515"
    name = "attribute-hook-in-c"
    summary = "`__getattr__ = dict.get` and its like"
    gb_ids = ("GB0256", "GB0156", "GB0177", "GB5458", "GB0131")
    on = (On("operation", ("attribute-hook",)),)
    message_template = "what answers for `{expression}` is written in C, which Dynamo cannot trace"
    help_template = "write the hook out in Python: `def __getattr__(self, name): return self[name]`"
    escape_hatches = UNSEEN
    BREAKS = (
        Example(
            """\
import torch


class Options(dict):
    __getattr__ = dict.get


options = Options(scale=2)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * options.scale  # breaks: GB0256
""",
        ),
        Example(
            """\
import torch


class Options(dict):
    __setattr__ = dict.__setitem__


options = Options(scale=2)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    options.scale = 3  # breaks: GB0156
    return y * 2
""",
        ),
        Example(
            """\
import operator

import torch


class Point:
    def __init__(self) -> None:
        self.x = 2

    first = property(operator.attrgetter("x"))


point = Point()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * point.first  # breaks: GB0156
""",
        ),
        Example(
            """\
import torch


class Plain:
    key = classmethod(id)


plain = Plain()


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    return y, plain.key()  # breaks: GB0177
""",
        ),
        Example(
            """\
import torch


class Meta(type):
    def __getattribute__(cls, name: str) -> object:
        return type.__getattribute__(cls, name)


class Plain(metaclass=Meta):
    @classmethod
    def scale(cls) -> int:
        return 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * Plain.scale()  # breaks: GB5458
""",
        ),
        Example(
            """\
import torch


class Operations:
    @staticmethod
    def __setitem__(table: dict[str, int], key: str, value: int) -> None:
        table[key] = value


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    table: dict[str, int] = {}
    Operations.__setitem__(table, "scale", 2)  # breaks: GB0131
    return y * table["scale"]
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Options(dict):
    def __getattr__(self, name: str) -> int:
        return self[name]


options = Options(scale=2)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * options.scale
""",
        ),
        Example(
            """\
import torch


class Options(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


options = Options(scale=2)


def f(x: torch.Tensor) -> torch.Tensor:
    options["scale"] = 3
    return x * options["scale"]
""",
        ),
        Example(
            """\
import torch


class Point:
    def __init__(self) -> None:
        self.x = 2

    first = property(lambda self: self.x)


point = Point()


def f(x: torch.Tensor) -> torch.Tensor:
    return x * point.first
""",
        ),
        Example(
            """\
import math

import torch


class Plain:
    count = staticmethod(len)
    root = staticmethod(math.sqrt)
    act = staticmethod(torch.relu)


plain = Plain()


def f(x: torch.Tensor) -> torch.Tensor:
    return plain.act(x) * plain.count([1, 2]) * plain.root(4)
""",
        ),
        Example(
            """\
import torch


class Plain:
    @classmethod
    def key(cls) -> str:
        return cls.__name__


plain = Plain()


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(plain.key())
""",
        ),
        Example(
            """\
import torch


class Meta(type):
    def __call__(cls, *args: object) -> object:
        return super().__call__(*args)


class Plain(metaclass=Meta):
    @classmethod
    def scale(cls) -> int:
        return 2


def f(x: torch.Tensor) -> torch.Tensor:
    return x * Plain.scale()
""",
        ),
        Example(
            """\
import torch


class Table:
    def __init__(self) -> None:
        self.entries: dict[str, int] = {}

    def __setitem__(self, key: str, value: int) -> None:
        self.entries[key] = value


def f(x: torch.Tensor) -> torch.Tensor:
    table = Table()
    table["scale"] = 2
    return x * table.entries["scale"]
""",
        ),
    )
