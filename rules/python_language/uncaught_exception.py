"""An exception that is raised in every call and that nothing in the compiled region catches.

It may come from a `raise`, from an `assert` that always fails, or from Python itself: arguments that do not fit the
signature, sequences of different lengths in `zip(..., strict=True)`, a `__bool__` that returns no bool. Dynamo breaks
the graph there, or raises an error of its own; without compilation the call fails as well. A method that does nothing
but raise, as one that subclasses must override does, is not reported, nor is a `NotImplementedError`.

**Instead** mend the call. Where the error is meant, raise it before the compiled region.
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
    message_template = "Python refuses `{expression}`, and nothing in the region catches the error"
    help_template = "mend the call; Dynamo breaks the graph at an error that leaves the region"
    wording = (
        ("raise", "`{expression}` is reached in every call and leaves the region", "raise it before the region"),
        ("assert", "`{expression}` fails in every call", "mend the condition, or check it before the region"),
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
