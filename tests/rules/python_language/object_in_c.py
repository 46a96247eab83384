"""More examples of GBL511, object-in-c."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch

name = torch.softmax.__name__


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if torch.softmax.__name__.startswith("soft"):  # breaks: GB0156
        y = y * 2
    return y + len(name)
""",
    ),
    Example(
        """\
import datetime

import torch

start = datetime.datetime(2026, 1, 1)
end = datetime.datetime(2026, 1, 2)


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    elapsed = end - start  # breaks: GB0808
    return y * 2, elapsed
""",
    ),
    Example(
        """\
from decimal import Decimal

import torch

price = Decimal("1.5")


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    return y * 2, -price  # breaks: GB0156
""",
    ),
    Example(
        """\
from array import array

import torch

weights = array("i", [1, 2])


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    weights[0] = 3  # breaks: GB7786
    y = y * 2
    return y * weights[1]  # breaks: GB4880
""",
    ),
    Example(
        """\
from array import array

import torch

allowed = array("i", [1, 2])


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if x.dim() in allowed:  # breaks: GB4411
        y = y * 2
    return y
""",
    ),
    Example(
        """\
from array import array

import torch

first = array("i", [1, 2])
second = array("i", [1, 2])


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if first == second:  # breaks: GB1220
        y = y * 2
    return y
""",
    ),
    Example(
        """\
from array import array

import torch

pattern = array("i", [1, 2])


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    longer = pattern * 2  # breaks: GB9458
    return y * 2, longer
""",
    ),
    Example(
        """\
from array import array

import torch

pattern = array("i", [1, 2])


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    longer = pattern
    longer *= 2  # breaks: GB9561
    return y * 2
""",
    ),
    Example(
        """\
import ctypes

import torch


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int)]


point = Point(1)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    point.x = 2  # breaks: GB3697
    return y * 2
""",
    ),
    Example(
        """\
import ctypes

import torch


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int)]


point = Point(1)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        del point.x  # breaks: GB3241
    except TypeError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
from types import SimpleNamespace

import torch

first = SimpleNamespace(scale=1)
second = SimpleNamespace(scale=1)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if first == second:  # breaks: GB1220
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import weakref

import torch


class Plain:
    pass


first = Plain()
second = Plain()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if weakref.ref(first) == weakref.ref(second):  # breaks: GB4608
        y = y * 2
    return y
""",
    ),
)
CLEAN = (
    Example(
        """\
import datetime

import torch

start = datetime.datetime(2026, 1, 1)
end = datetime.datetime(2026, 1, 2)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * start.day
    if start < end:
        y = y + 1
    return y
""",
    ),
    Example(
        """\
import datetime

import torch

start = datetime.datetime(2026, 1, 1)
end = datetime.datetime(2026, 1, 2)
seconds = (end - start).total_seconds()


def f(x: torch.Tensor) -> torch.Tensor:
    return x * seconds
""",
    ),
    Example(
        """\
import torch

weights = [1, 2]
allowed = (1, 2)


def f(x: torch.Tensor) -> torch.Tensor:
    weights[0] = 3
    if x.dim() in allowed:
        x = x * 2
    return x * weights[1] * len(weights * 2)
""",
    ),
    Example(
        """\
from array import array

import torch

pattern = array("i", [1, 2])


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    return x * pattern.itemsize, pattern
""",
    ),
    Example(
        """\
from fractions import Fraction

import torch

share = Fraction(1, 2)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * float(share * 3)
""",
    ),
    Example(
        """\
from decimal import Decimal

import torch

low = Decimal("1.5")
high = Decimal("2.5")


def f(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if low < high else x
""",
    ),
    Example(
        """\
import datetime

import torch

start = datetime.date(2026, 1, 1)
holidays = {start: 2}


def f(x: torch.Tensor) -> torch.Tensor:
    return x * holidays[start]
""",
    ),
    Example(
        """\
import datetime

import torch

start = datetime.date(2026, 1, 1)


def f(x: torch.Tensor, day: datetime.date) -> torch.Tensor:
    return x * 2 if day == start else x + 1
""",
        "(torch.randn(4), datetime.date(2026, 1, 1))",
    ),
    Example(
        """\
import torch

weights = bytes([1, 2])


def f(x: torch.Tensor) -> tuple[torch.Tensor, bytes]:
    return x * 2, weights
""",
    ),
    Example(
        """\
import ctypes

import torch


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int)]


point = Point(3)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * point.x
""",
    ),
    Example(
        """\
import weakref
from types import SimpleNamespace

import torch


class Plain:
    pass


plain = Plain()
first = SimpleNamespace(scale=1)
second = SimpleNamespace(scale=1)


def f(x: torch.Tensor) -> torch.Tensor:
    if weakref.ref(plain)() is plain and first.scale == second.scale:
        x = x * 2
    return x + 1
""",
    ),
)
