"""An `assert` or an `AssertionError` that the code around it catches.

Where Dynamo sees that the condition of an `assert` is false, it does not raise the error: it breaks the graph there,
and inside a `try` the whole function runs eagerly. It cannot raise an `AssertionError` with arguments that are not
strings. Both matter only if the error is caught: otherwise the program ends anyway.

**Instead** test with `if`, which costs nothing where the condition is known while tracing; raise a `ValueError` or
`TypeError`, which Dynamo raises and catches as Python does; convert the arguments to text in the message.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class CaughtAssert(Rule):
    """GBL649."""

    code = "GBL649"
    name = "caught-assert"
    summary = "an `assert` that fails in a `try` that catches the error"
    gb_ids = ("GB0034", "GB0171")
    on = (On("exception", ("assert", "assertion")),)
    message_template = "`{expression}` fails and its error is caught, which Dynamo does not trace"
    help_template = "test with `if`, or raise a ValueError"
    wording = (
        (
            "assertion",
            "`{expression}` is created with an argument that is not a string",
            "put the value into the message",
        ),
    )
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch


def first(items: torch.Tensor | list[torch.Tensor]) -> torch.Tensor:
    try:
        assert isinstance(items, list), "a list is wanted"  # breaks: GB0034
        return items[0]
    except AssertionError:
        return items


def f(x: torch.Tensor) -> torch.Tensor:
    return first(x + 1) * 2
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def first(items: torch.Tensor | list[torch.Tensor]) -> torch.Tensor:
    return items[0] if isinstance(items, list) else items


def f(x: torch.Tensor) -> torch.Tensor:
    assert isinstance(x, torch.Tensor), "a tensor is wanted"
    return first(x + 1) * first([x])
""",
        ),
    )
