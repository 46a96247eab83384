"""`functools.wraps` and `torch.func.jacrev` copy the name of a function, and a `functools.partial` has none.

Python catches the `AttributeError` inside `functools.update_wrapper`; Dynamo does not, and breaks the graph there. It
does not read a `__name__` that was set on the partial either. `torch.func.jacfwd` and `torch.func.hessian` copy the
name, too; `torch.func.grad` and `torch.vmap` do not.

**Instead** write a function or a `lambda` around the call.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class NameOfPartial(Rule):
    """GBL532."""

    code = "GBL532"
    name = "name-of-partial"
    summary = "copying the name of a `functools.partial`, which has none"
    gb_ids = ("GB0088",)
    on = (On("operation", ("partial-name",)),)
    message_template = "`{expression}` copies the name of a `functools.partial`, which has none"
    help_template = "pass a function, or a `lambda` around the call"
    BREAKS = (
        Example(
            """\
import functools
from functools import partial

import torch


def scaled(factor: float, x: torch.Tensor) -> torch.Tensor:
    return factor * x.tanh()


def decorated(function):
    @functools.wraps(function)  # breaks: GB0088
    def wrapper(x):
        return function(x)

    return wrapper


def f(x: torch.Tensor) -> torch.Tensor:
    return decorated(partial(scaled, 2.0))(x + 1)
""",
        ),
        Example(
            """\
from functools import partial

import torch
from torch.func import jacrev


def f(x: torch.Tensor) -> torch.Tensor:
    return jacrev(partial(torch.mul, 2.0))(x)  # breaks: GB0088
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import functools
from functools import partial

import torch
from torch.func import grad, jacrev, vmap


def scaled(factor: float, x: torch.Tensor) -> torch.Tensor:
    return factor * x.tanh()


def decorated(function):
    @functools.wraps(function)
    def wrapper(x):
        return function(x)

    return wrapper


def f(x: torch.Tensor) -> torch.Tensor:
    y = jacrev(lambda z: scaled(2.0, z))(x)
    y = y + vmap(partial(scaled, 2.0))(x)
    y = y + grad(partial(lambda factor, z: scaled(factor, z).sum(), 2.0))(x)
    return decorated(lambda z: scaled(2.0, z))(x) + y
""",
        ),
    )
