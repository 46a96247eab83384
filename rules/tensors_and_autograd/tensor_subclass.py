"""A use of a subclass of `torch.Tensor` that Dynamo does not support.

Dynamo traces a subclass through its `__torch_function__`. It gives up in these cases:

- `as_subclass` with a class that has a `__torch_dispatch__`, is defined inside a function, or comes from torch
  (`nn.Parameter`, `torch.Tensor` itself);
- `as_subclass` of a tensor that is of a subclass already, unless its `__torch_function__` is disabled;
- a constructor call of a class whose `__init__` requires arguments: Dynamo passes none;
- a constructor call with anything but one tensor, unless the class defines `__new__`;
- `torch.Tensor._make_wrapper_subclass`, which the `__new__` of a class without `__tensor_flatten__` calls;
- a plain object or a dataclass that is not frozen, among the arguments of a class with `__tensor_flatten__`;
- `._base`;
- an attribute or method of tensors that the class overrides with something other than a method, a property or a class
  method;
- `y[0] = 1` and `reversed(y)`, if the class overrides them;
- every `__torch_function__` returns `NotImplemented`.

**Instead** define the class at module level and create instances with `y.as_subclass(Class)` or `Class(y)`; give it a
`__new__` that calls `torch.Tensor._make_subclass`; use new names for attributes that are not methods. A plain class
that holds a tensor is often all that is needed, and is traced as it is.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class TensorSubclass(Rule):
    """GBL642."""

    code = "GBL642"
    name = "tensor-subclass"
    summary = "a subclass of `torch.Tensor` that Dynamo cannot trace"
    gb_ids = ("GB0001", "GB0026", "GB0163", "GB0164", "GB0103", "GB0000", "GB0007", "GB0055", "GB0117", "GB7312")
    on = (On("tensor-subclass"),)
    message_template = "Dynamo cannot trace `{expression}` of a tensor subclass"
    help_template = "use a plain class that holds a tensor, or a subclass that overrides methods only"
    wording = (
        ("as_subclass", "Dynamo cannot trace the class in `{expression}`", help_template),
        (
            "as_subclass-again",
            "`{expression}` converts a tensor that is of a subclass already",
            "convert the plain tensor, or write `Class(tensor)` with a `__new__`",
        ),
        (
            "__init__",
            "Dynamo calls the `__init__` of the subclass that `{expression}` makes without arguments",
            "set the attributes after the call, or give the parameters defaults",
        ),
        (
            "constructor",
            "`{expression}` passes something other than one tensor to the constructor of `torch.Tensor`",
            "give it a `__new__`",
        ),
        (
            "wrapper",
            "`{expression}` makes a wrapper subclass, which Dynamo does not trace",
            "give the class `__tensor_flatten__` and `__tensor_unflatten__`, or make the tensor outside the region",
        ),
        (
            "argument",
            "`{expression}` passes an object that no node of a graph can hold to a wrapper subclass",
            "pass tensors and numbers, or an enum or a frozen dataclass",
        ),
        (
            "_base",
            "`{expression}` of a tensor subclass is not known while tracing",
            "keep what you need in an attribute",
        ),
        (
            "override",
            "`{expression}` overrides an attribute of tensors with something that is not a method",
            "rename it",
        ),
        (
            "not-implemented",
            "every `__torch_function__` returns `NotImplemented` for `{expression}`",
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
    @staticmethod
    def __new__(cls, x, labels):
        return x.as_subclass(cls)

    def __init__(self, x, labels):
        self.labels = labels


class Named(torch.Tensor):
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    Labelled(x, ["a"])  # breaks: GB7312
    z = x.as_subclass(Named) * 2
    return z.as_subclass(Named)  # breaks: GB0117
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


class Labelled(torch.Tensor):
    @staticmethod
    def __new__(cls, x, *labels):
        return x.as_subclass(cls)

    def __init__(self, *args):
        self.labels = []


class Plain(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl


weight = torch.ones(4).as_subclass(Plain)


def f(x: torch.Tensor) -> torch.Tensor:
    y = Labelled(x) + 1
    y.labels = ["a"]
    return y + (weight * x).as_subclass(Plain)
""",
        ),
    )
