"""`id()` of an object created in the region has no value while Dynamo traces.

Dynamo uses a placeholder. Two placeholders can be tested for equality, and a placeholder can be a key of a dict. Any
other comparison, arithmetic, or returning it breaks the graph. The `id` of an object from outside the region is a plain
number that Dynamo guards on.

**Instead** compare with `is`; use a counter to make unique names; take the `id` outside the region.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class ObjectIdentity(Rule):
    """GBL512."""

    code = "GBL512"
    name = "object-identity"
    summary = "the `id()` of an object created in the region, used as a number"
    gb_ids = (
        "GB9316",
        "GB4501",
        "GB3775",
        "GB7286",
        "GB0755",
        "GB9548",
        "GB7510",
        "GB3006",
        "GB6053",
        "GB0059",
        "GB0088",
    )
    on = (On("call", ("builtins.id",)),)
    message_template = "`{expression}` needs the number that `id()` returns, which does not exist while Dynamo traces"
    help_template = "compare with `is`, or take the `id` of an object created outside the region"
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = y * 2
    if id(y) < id(z):  # breaks: GB4501, GB9316
        y = y * 2
    return y
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * 2 if id(y) == id(y) else y
""",
        ),
    )
