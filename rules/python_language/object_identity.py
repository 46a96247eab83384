"""`id()` of something made in the region: there is no such object yet, so there is no number either.

Dynamo makes a stand-in for it. Two of them can be tested for equality, and one can be a key of a dict; to compare
one otherwise, to compute with it or to return it breaks the graph. The `id` of an object from outside the region is a
plain number, guarded.

**Instead** compare with `is`; keep a counter for a name of one's own; take the `id` outside the region.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class ObjectIdentity(Rule):
    """GBL512."""

    code = "GBL512"
    name = "object-identity"
    summary = "a number made of the `id()` of an object that the region makes"
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
    message_template = "`{expression}` needs the number that `id()` gives, which does not exist while Dynamo traces"
    help_template = "compare with `is`, or take the `id` of an object that is made outside the region"
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
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    return y * 2, id([1]) * 2  # breaks: GB3006
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    return y * 2, -id([1])  # breaks: GB0755
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    return y * 2, +id([1])  # breaks: GB7510
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    return y * 2, abs(id([1]))  # breaks: GB4501, GB9548
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    return y * 2, int(id([1]))  # breaks: GB3775, GB4501
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, float]:
    y = x + 1
    return y * 2, float(id([1]))  # breaks: GB4501, GB7286
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    return y * 2, repr(id([1]))  # breaks: GB4501, GB6053
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    return y * 2, id([1]) % 7  # breaks: GB0088
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
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = y * 2
    seen = {id(y): 2, id(z): 3}
    return y * len(seen)
""",
        ),
        Example(
            """\
import torch


class Plain:
    pass


first = Plain()
second = Plain()


def f(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if id(first) < id(second) else x + abs(id(first)) % 7
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = y
    return y * 2 if y is z else y
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor, seen: dict[int, torch.Tensor]) -> torch.Tensor:
    return x * 2 if id(x) in seen else x + 1
""",
            "(torch.randn(4), {})",
        ),
        Example(
            """\
import torch

order = [1]


def f(x: torch.Tensor) -> tuple[torch.Tensor, float]:
    return x * 2, float(id(order))
""",
        ),
        Example(
            """\
import torch

order = [1]


def f(x: torch.Tensor) -> tuple[torch.Tensor, int, int]:
    return x * 2, -id(order), +id(order)
""",
        ),
        Example(
            """\
import torch

order = [1]


def f(x: torch.Tensor) -> tuple[torch.Tensor, int, int]:
    return x * 2, abs(id(order)), int(id(order))
""",
        ),
        Example(
            """\
import torch

order = [1]


def f(x: torch.Tensor) -> tuple[torch.Tensor, int, str]:
    return x * 2, id(order) * 2, repr(id(order))
""",
        ),
    )
