"""More examples of GBL828, copied-container."""

from __future__ import annotations

from gblint.rules.examples import Example

DIVERGES = (
    Example(
        """\
import copy
from collections import Counter, OrderedDict

import torch


class Names(list):
    pass


class Kinds(set):
    pass


class Reduced(dict):
    def __reduce__(self):
        return Reduced, (dict(self),)


class Late(dict):
    def __init__(self, a: int) -> None:
        super().__init__()
        self["a"] = a


names = Names(["a"])
kinds = Kinds(["a"])
reduced = Reduced(a=1)
late = Late(1)
counted = Counter("aab")


def f(x: torch.Tensor) -> torch.Tensor:
    a = copy.copy(names)  # diverges
    b = copy.deepcopy(kinds)  # diverges
    c = copy.copy(reduced)  # diverges
    d = copy.deepcopy(late)  # diverges
    e = copy.deepcopy({"key": [OrderedDict(a=1)]})  # diverges
    g = copy.copy(counted)  # diverges
    return x + len(a) + len(b) + len(c) + len(d) + len(e["key"][0]) + len(g)
""",
    ),
)
CLEAN = (
    Example(
        """\
import copy
import enum
from collections import UserDict

import torch


class Batch(dict):
    pass


class Kind(enum.Enum):
    first = 1


class Options(UserDict):
    pass


class Holder:
    def __init__(self) -> None:
        self.batch = Batch(a=1)


options = Options(a=1)
holder = Holder()
empty = Batch()


def f(x: torch.Tensor) -> torch.Tensor:
    a = copy.deepcopy(options)
    b = copy.copy(holder).batch
    c = copy.deepcopy(empty)
    e = copy.deepcopy(Kind.first).value
    return x + len(a) + len(b) + len(c) + e
""",
    ),
)
