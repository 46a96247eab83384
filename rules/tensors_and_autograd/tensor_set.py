"""A set of tensors that was created outside the region.

Dynamo has no way to guard on a set whose members are tensors or parameters: where the compiled code first reads one (a
global variable, an attribute of a module, an argument), the whole function runs eagerly. A set that the region itself
creates is traced up to the next graph break: the code after the break receives it as an argument. Lists, tuples and
dictionaries of tensors are traced everywhere.

**Instead** keep the tensors in a list, or in a dictionary under names: `{id(p): p for p in parameters}`, created
outside, also contains each tensor only once.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class TensorSet(Rule):
    """GBL650."""

    code = "GBL650"
    name = "tensor-set"
    summary = "a set of tensors from outside the region or from before a break"
    gb_ids = ("GB0222",)
    on = (On("tensor-layout", ("set",)),)
    message_template = "`{expression}` is a set of tensors, which cannot enter the region"
    help_template = "use a list, or a dictionary of names"
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch

BANK = {torch.ones(4)}


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for item in BANK:  # breaks: GB0222
        y = y + item
    return y
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch

BANK = [torch.ones(4)]
SIZES = {1, 2}


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * len(SIZES)
    for item in BANK:
        y = y + item
    return y
""",
        ),
    )
