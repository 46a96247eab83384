"""More examples of GBL515, attribute-hook-in-c."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
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
