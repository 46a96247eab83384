"""Dynamo has no handler for `del` of a global, or of a variable that an inner function uses.

**Instead**

- leave the name to the garbage collector;
- assign `None` to it;
- `del` of a local variable that no inner function uses is traced.
"""

from __future__ import annotations

from gblint.rules.base import Example, On, Rule


class UnsupportedStatement(Rule):
    """GBL508."""

    code = "GBL508"
    name = "unsupported-statement"
    summary = "a statement that Dynamo has no handler for"
    gb_ids = ("GB0082",)
    on = (On("construct", ("del-global", "del-closure", "async")),)
    said = "Dynamo has no handler for `{expression}`"
    advice = "leave the name alone, or assign `None` to it"
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scale = 2

    def scaled() -> torch.Tensor:
        return y * scale

    z = scaled()
    del scale  # breaks: GB0082
    return z
""",
        ),
        Example(
            """\
import torch

count = 1


def f(x: torch.Tensor) -> torch.Tensor:
    global count
    y = x + 1
    del count  # breaks: GB0082
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
    z = y * 2
    del y
    items = [1, 2]
    del items[0]
    return z * items[0]
""",
        ),
        Example(
            """\
import torch

count = 0


def f(x: torch.Tensor) -> torch.Tensor:
    global count
    count += 1
    return x * count
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = y * 2
    del y
    return z
""",
        ),
    )
