"""A use of a subclass of `torch.Tensor` that Dynamo does not support.

Dynamo traces a subclass by its `__torch_function__`. It gives up on `as_subclass` with a class that has a
`__torch_dispatch__`, was made inside a function, or comes from torch (`nn.Parameter`); on a constructor call with
anything but one tensor, unless the class has a `__new__` of its own; on `._base`; on an attribute or method of tensors
that the class overrides with something else than a method, a property or a class method; on `y[0] = 1` and
`reversed(y)` where the class overrides them; and where every `__torch_function__` returns `NotImplemented`.

**Instead** define the class in a module and make instances with `y.as_subclass(Class)` or `Class(y)`; give it a
`__new__` that calls `torch.Tensor._make_subclass`; use new names for attributes that are no methods. A plain class that
holds a tensor is often all that is needed, and is traced as it is.
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
    )
