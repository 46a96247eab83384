"""A call that raises `TypeError` in Python, inside a `try` that catches it.

For example, the arguments do not fit the signature, the class is abstract, or a key cannot be hashed. Dynamo breaks the
graph instead of raising the error. It cannot resume inside the `try`, so the rest of the function runs eagerly.

**Instead** test first: with `inspect.signature` outside the region, a flag in the configuration, or `isinstance`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class RefusedCall(Rule):
    """GBL521."""

    code = "GBL521"
    name = "refused-call"
    summary = "a call that fails with a `TypeError`, in a `try` that catches it"
    gb_ids = ("GB7312", "GB0155", "GB0268", "GB0258", "GB0260", "GB0183", "GB4393", "GB2404", "GB0147", "GB0193")
    on = (On("operation", ("refused-call",)),)
    message_template = "`{expression}` raises a `TypeError` in Python; Dynamo breaks the graph instead"
    help_template = "decide which call is right outside the region"
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
    )
