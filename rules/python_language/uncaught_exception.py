"""An exception that is raised in every call and that nothing in the compiled region catches.

It may come from a `raise`, from an `assert` that always fails, or from Python itself: arguments that do not fit the
signature, sequences of different lengths in `zip(..., strict=True)`, `int("one")`, an attribute that an object or a
module of torch lacks. Dynamo breaks the graph there, or raises another error; without compilation the call fails too.
gblint does not report a method that only raises, since subclasses must override such a method, and does not report a
`NotImplementedError`.

**Instead** correct the call. If the error is intended, raise it before the compiled region.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class UncaughtException(Rule):
    """GBL528."""

    code = "GBL528"
    name = "uncaught-exception"
    summary = "an exception that is raised in every call and leaves the region"
    category = Category.COMPILE_ERROR
    gb_ids = ("GB0088", "GB0147", "GB0170", "GB0193", "GB7312")
    on = (On("uncaught"),)
    message_template = "`{expression}` raises an error in Python, and nothing in the region catches it"
    help_template = "correct the call; Dynamo breaks the graph at an error that leaves the region"
    wording = (
        (
            "raise",
            "`{expression}` runs in every call, and its exception leaves the region",
            "raise it before the region",
        ),
        ("assert", "`{expression}` fails in every call", "correct the condition, or check it before the region"),
    )
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch


def check(x: torch.Tensor) -> None:
    raise ValueError("no tensors are wanted")  # breaks: GB0088


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    check(y)
    return y
""",
            raises=True,
        ),
        Example(
            """\
import torch


def scale(value: torch.Tensor, factor: int) -> torch.Tensor:
    return value * factor


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return scale(y)  # breaks: GB7312
""",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def check(x: torch.Tensor) -> None:
    if x.ndim != 1:
        raise ValueError("a vector is wanted")


def scale(value: torch.Tensor, factor: int = 2) -> torch.Tensor:
    return value * factor


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    check(y)
    return scale(y)
""",
        ),
    )
