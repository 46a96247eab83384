"""A call that Python refuses with a `TypeError`, where the code around it catches that and tries something else.

The arguments do not fit the signature, the class is abstract, a key cannot be hashed. Dynamo does not raise there as
Python does: it breaks the graph, and the `try` around it cannot be resumed, so that the rest of the function runs
eagerly.

**Instead** ask beforehand: `inspect.signature` outside the region, a flag in the configuration, `isinstance`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class RefusedCall(Rule):
    """GBL521."""

    code = "GBL521"
    name = "refused-call"
    summary = "a call that fails with a `TypeError`, in a `try` that catches it"
    gb_ids = ("GB7312", "GB0155", "GB0268", "GB0258", "GB0260", "GB0183", "GB4393", "GB2404")
    on = (On("operation", ("refused-call",)),)
    message_template = "Python refuses `{expression}` with a `TypeError`, over which Dynamo breaks the graph"
    help_template = "find out beforehand which call fits, outside the region"
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch


def scale(value: torch.Tensor, factor: int = 2) -> torch.Tensor:
    return value * factor


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        return scale(y, bias=1)  # breaks: GB7312
    except TypeError:
        return scale(y)
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


def scale(value: torch.Tensor, factor: int = 2, **options: int) -> torch.Tensor:
    return value * factor


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        return scale(x, bias=1)
    except TypeError:
        return scale(x)
""",
        ),
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
