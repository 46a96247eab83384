"""A function that is defined in the region is not a complete object for Dynamo.

It can be called, passed and returned. The graph breaks if it is bound to an instance (`types.MethodType`, `__get__`),
if its signature is read (`inspect.signature`), or if it closes over a tensor and is converted to text.

**Instead** define it at the top of the module; use a lambda or `functools.partial` that takes the instance as an
argument; use `function.__name__` for text.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class NestedFunctionObject(Rule):
    """GBL519."""

    code = "GBL519"
    name = "nested-function-object"
    summary = "binding, inspecting or printing a function defined in the region"
    gb_ids = ("GB9277", "GB0147", "GB1584", "GB0059", "GB0088")
    on = (On("operation", ("binding", "nested-function")),)
    message_template = (
        "`{expression}` needs a function object, which does not exist yet for a function defined in the region"
    )
    help_template = "define the function at the top of the module, or call it with the instance as an argument"
    BREAKS = (
        Example(
            """\
import types

import torch


class Plain:
    pass


plain = Plain()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1

    def scale(self: Plain, value: torch.Tensor) -> torch.Tensor:
        return value * 2

    bound = types.FunctionType.__get__(scale, plain)  # breaks: GB9277
    return y + 1
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import types

import torch


class Plain:
    pass


plain = Plain()


def scale(self: Plain, value: torch.Tensor) -> torch.Tensor:
    return value * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return scale.__get__(plain)(x) + types.FunctionType.__get__(scale, plain)(x)
""",
        ),
    )
