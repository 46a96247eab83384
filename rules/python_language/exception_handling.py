"""Raising and catching builtin exceptions is traced; some things around exceptions are not.

These break: an exception that is raised and caught in the region, of a user-defined class whose `__init__` calls
`super().__init__(...)`; setting an attribute on an exception; its methods other than `with_traceback`, such as
`add_note`; `except*`; `traceback.format_exc()`. Dynamo cannot resume after them.

**Instead** use builtin exceptions, or subclasses with an empty body, and let errors leave the compiled region.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import UNSEEN, On, Rule


class ExceptionHandling(Rule):
    """GBL507."""

    code = "GBL507"
    name = "exception-handling"
    summary = "raising or handling exceptions in a way that Dynamo cannot trace"
    gb_ids = ("GB0006", "GB0135", "GB9625", "GB0082", "GB0273", "GB0050", "GB0051", "GB0156")
    on = (On("exception"),)
    message_template = "Dynamo cannot trace `{expression}`"
    help_template = (
        "raise builtin exceptions, or classes of your own without an `__init__` that calls `super().__init__`"
    )
    escape_hatches = UNSEEN
    BREAKS = (
        Example(
            """\
import torch


class Failure(Exception):
    def __init__(self, message: str) -> None:
        super().__init__(message)  # breaks: GB0006
        self.message = message


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        raise Failure("here")
    except Failure:
        y = y + 1
    return y
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Failure(Exception):
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        raise Failure("here")
    except Failure as error:
        x = x + len(error.args)
    finally:
        x = x * 2
    return x
""",
        ),
    )
