"""A comparison of lists or tuples that hold tensors, or `not` before a tuple of them.

`[a] == [b]` compares the tensors one after the other, and needs the truth value of each comparison. If the lengths or
items before the first tensor differ, the tensors are not compared. `not pair` breaks if the result is kept
(`empty = not pair`); as the condition of an `if` it is traced.

**Instead** compare values that are known while tracing (lengths, shapes, names), or compute with tensors:
`torch.stack(a) == torch.stack(b)`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class SequenceOfTensorsCompared(Rule):
    """GBL550."""

    code = "GBL550"
    name = "sequence-of-tensors-compared"
    summary = "comparing lists or tuples of tensors"
    gb_ids = ("GB6622", "GB0059")
    on = (On("sequence-comparison", ("sequence-compare", "not")),)
    message_template = "`{expression}` compares tensors one by one, and needs the truth value of each comparison"
    help_template = "compare lengths, shapes or names, or compare tensors with tensors"
    wording = (("not", "Dynamo cannot trace `{expression}` of a tuple of tensors", "write `len(...) == 0`"),)
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    pair = (1, x)
    if pair == (1, y):  # breaks: GB6622
        return x + 1
    return y
""",
            inputs="(torch.ones(1), torch.ones(1))",
        ),
        Example(
            """\
import torch


def is_empty(*tensors: torch.Tensor) -> bool:
    return not tensors  # breaks: GB0059


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if is_empty(y):
        return y
    return y * 2
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if [x] == [y, y] or (1, x) == (2, y) or (x, 1) == (x, 2):
        return x + 1
    return y * 2
""",
            inputs="(torch.ones(4), torch.ones(4))",
        ),
        Example(
            """\
import torch


def is_empty(*tensors: torch.Tensor) -> bool:
    return len(tensors) == 0


def f(x: torch.Tensor) -> torch.Tensor:
    pair = (x, x)
    empty = not [x]
    if is_empty(x) or not pair or empty or not (1, 2):
        return x + 1
    return x * 2
""",
        ),
    )
