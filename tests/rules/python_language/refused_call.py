"""More examples of GBL521, refused-call."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        y = torch.fft(y)  # breaks: GB0147
    except TypeError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        if isinstance(y, torch.Tensor, strict=True):  # breaks: GB0193
            y = y * 3
    except TypeError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import itertools

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        groups = itertools.groupby([1, 1, 2], keyfunc=abs)  # breaks: GB0155
    except TypeError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import itertools

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        pairs = itertools.product([1, 2], times=2)  # breaks: GB0268
    except TypeError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
from collections import deque

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        history = deque([1], maxlength=2)  # breaks: GB0258
    except TypeError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
from functools import partial

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        act = partial(func=torch.relu)  # breaks: GB0260
    except TypeError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        seen = dict.fromkeys([[1], [2]])  # breaks: GB0183
    except TypeError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        if issubclass(y, torch.Tensor):  # breaks: GB4393
            y = y * 2
    except TypeError:
        y = y * 3
    return y
""",
    ),
    Example(
        """\
import abc

import torch


class Layer(abc.ABC):
    @abc.abstractmethod
    def run(self, value: torch.Tensor) -> torch.Tensor: ...


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        layer = Layer()  # breaks: GB2404
    except TypeError:
        y = y * 2
    return y
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        seen = dict.fromkeys([(1, 2), "a"], 2)
    except TypeError:
        seen = {}
    return x * len(seen)
""",
    ),
    Example(
        """\
import itertools
from collections import deque
from functools import partial

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        history = deque([1], maxlen=2)
        pairs = list(itertools.product([1, 2], repeat=2))
        act = partial(torch.relu)
    except TypeError:
        return x
    return act(x) * len(history) * len(pairs)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        if issubclass(type(x), torch.Tensor):
            x = x * 2
    except TypeError:
        x = x * 3
    return x
""",
    ),
    Example(
        """\
import abc

import torch


class Layer(abc.ABC):
    @abc.abstractmethod
    def run(self, value: torch.Tensor) -> torch.Tensor: ...


class Double(Layer):
    def run(self, value: torch.Tensor) -> torch.Tensor:
        return value * 2


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        layer = Double()
    except TypeError:
        return x
    return layer.run(x)
""",
    ),
    Example(
        """\
import itertools

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        groups = itertools.groupby([1, 1, 2], key=abs)
        x = x * len([key for key, _ in groups])
    except TypeError:
        x = x * 2
    return x
""",
    ),
)
