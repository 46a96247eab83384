"""Dynamo has no handler for some statements: `del` of a global or of a variable that an inner function uses, `type`.

In Python 3.12 and later this includes a `type` statement in the region, and an inner function with a type parameter
that has a bound (`def g[T: int](...)`). A type parameter without a bound is traced.

**Instead**

- define aliases and generic functions at the top of the module;
- leave the name to the garbage collector;
- assign `None` to it;
- `del` of a local variable that no inner function uses is traced.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import UNSEEN, On, Rule


class UnsupportedStatement(Rule):
    """GBL508."""

    code = "GBL508"
    name = "unsupported-statement"
    summary = "a statement that Dynamo has no handler for"
    gb_ids = ("GB0082", "GB0079", "GB6604")
    on = (On("construct", ("del-global", "del-closure", "async", "type-alias", "type-parameter")),)
    message_template = "Dynamo has no handler for `{expression}`"
    help_template = "leave the name alone, or assign `None` to it"
    wording = (
        ("type-alias", "Dynamo has no handler for a `type` statement", "move it to the top of the module"),
        (
            "type-parameter",
            "Dynamo has no handler for a type parameter with a bound",
            "leave the bound out, or move the function to the top of the module",
        ),
    )
    escape_hatches = UNSEEN
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    type Pair = tuple[torch.Tensor, torch.Tensor]  # breaks: GB0079
    return y * 2
""",
            python=(3, 12),
        ),
    )
    CLEAN = (
        Example(
            """\
import torch

type Pair = tuple[torch.Tensor, torch.Tensor]


def f(x: torch.Tensor) -> torch.Tensor:
    def twice[T](value: T) -> Pair:
        return value, value

    return sum(twice(x))
""",
            python=(3, 12),
        ),
    )
