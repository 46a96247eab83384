"""A subclass of `torch.Tensor` that goes where Dynamo cannot follow.

Dynamo traces a subclass by its `__torch_function__`. It gives up on `as_subclass` with a class that has a
`__torch_dispatch__`, was made inside a function, or comes from torch (`nn.Parameter`); on a constructor call with
anything but one tensor, unless the class has a `__new__` of its own; on `._base`; on an attribute or method of tensors
that the class overrides with something else than a method, a property or a class method; on `y[0] = 1` and
`reversed(y)` where the class overrides them; and where every `__torch_function__` returns `NotImplemented`.

**Instead** define the class in a module and make instances with `y.as_subclass(Class)` or `Class(y)`; give it a
`__new__` that calls `torch.Tensor._make_subclass`; use new names for what is no method. A plain class that holds a
tensor is often all that is needed, and is traced as it is.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class TensorSubclass(Rule):
    """GBL642."""

    code = "GBL642"
    name = "tensor-subclass"
    summary = "a subclass of `torch.Tensor` that Dynamo cannot trace"
    gb_ids = ("GB0001", "GB0026", "GB0163", "GB0164", "GB0103", "GB0000")
    on = (On("tensor-subclass"),)
    message_template = "Dynamo cannot trace `{expression}` of a tensor subclass"
    help_template = "use a plain class that holds a tensor, or a subclass that overrides methods only"
    wording = (
        ("as_subclass", "the class in `{expression}` is not one that Dynamo traces", help_template),
        (
            "constructor",
            "`{expression}` calls the constructor of tensors with more than a tensor",
            "give it a `__new__`",
        ),
        (
            "_base",
            "`{expression}` of a tensor subclass is not known while tracing",
            "keep what you need in an attribute",
        ),
        ("override", "`{expression}` hides an attribute of tensors by something else than a method", "rename it"),
        (
            "not-implemented",
            "every `__torch_function__` declines `{expression}`",
            "handle the function, or call `super()`",
        ),
    )
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch
from torch import nn


class Logged(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return super().__torch_dispatch__(func, types, args, kwargs or {})


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logged = y.as_subclass(Logged)  # breaks: GB0001
    y = y + 1
    parameter = y.as_subclass(nn.Parameter)  # breaks: GB0001
    return y + 1
""",
        ),
        Example(
            """\
import torch


class Labelled(torch.Tensor):
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    weights = Labelled([1.0, 2.0, 3.0, 4.0])  # breaks: GB0026
    return y * 2
""",
        ),
        Example(
            """\
import torch


class Labelled(torch.Tensor):
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    y = Labelled(x + 1)
    if y._base is not None:  # breaks: GB0163
        return y + 1
    return y * 2
""",
        ),
        Example(
            """\
import torch


class Scaled(torch.Tensor):
    data = 2.0

    @staticmethod
    def dim() -> int:
        return 7


def f(x: torch.Tensor) -> torch.Tensor:
    y = Scaled(x + 1)
    return x * y.dim()  # breaks: GB0164
""",
        ),
        Example(
            """\
import torch


class Sequence(torch.Tensor):
    def __reversed__(self) -> torch.Tensor:
        return self.flip(0)


def f(x: torch.Tensor) -> torch.Tensor:
    y = Sequence(x + 1)
    return y + reversed(y)  # breaks: GB0103
""",
        ),
        Example(
            """\
from typing import Any

import torch


class Meters:
    def __init__(self, values: torch.Tensor) -> None:
        self.values = values

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.mul:
            return cls(args[0].values * args[1])
        return NotImplemented


def f(x: torch.Tensor) -> torch.Tensor:
    length = Meters(x + 1)
    try:
        return torch.add(length, 1)  # breaks: GB0000
    except TypeError:
        return length.values
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Labelled(torch.Tensor):
    def twice(self) -> torch.Tensor:
        return self * 2

    def sum(self, *args: int) -> torch.Tensor:
        return super().sum(*args) + 1

    @property
    def half(self) -> torch.Tensor:
        return self / 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = (x + 1).as_subclass(Labelled)
    return y.twice() + y.half + y.sum() + Labelled(x)
""",
        ),
        Example(
            """\
import torch


class Named(torch.Tensor):
    @staticmethod
    def __new__(cls, data: torch.Tensor, name: str = "") -> "Named":
        return torch.Tensor._make_subclass(cls, data)


def f(x: torch.Tensor) -> torch.Tensor:
    return Named(x + 1, name="x") * 2
""",
        ),
        Example(
            """\
from typing import Any

import torch


class Meters:
    def __init__(self, values: torch.Tensor) -> None:
        self.values = values

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.mul:
            return cls(args[0].values * args[1])
        return NotImplemented


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.mul(Meters(x + 1), 2).values
""",
        ),
        Example(
            """\
import torch


class Box:
    data = 2.0

    def __init__(self, values: list[float], _base: int) -> None:
        self.values = torch.tensor(values)
        self._base = _base

    def __reversed__(self) -> torch.Tensor:
        return self.values.flip(0)


def f(x: torch.Tensor) -> torch.Tensor:
    box = Box([1.0, 2.0, 3.0, 4.0], 3)
    return x * box.data + box.values * box._base + reversed(box)
""",
        ),
        Example(
            """\
import torch


class Tracked(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.as_subclass(Tracked)
    return torch.add(y, 1) * y.dim()
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    if x._base is not None:
        y = y + 1
    y[0] = 1
    return y.flip(0)
""",
        ),
    )
