"""`itertools.groupby` is traced only with its key function as a keyword, and with constant keys.

**Instead** write `groupby(items, key=f)`, not `groupby(items, f)`; group by a number or a string, not by a tensor.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class ItertoolsGroupby(Rule):
    """GBL442."""

    code = "GBL442"
    name = "itertools-groupby"
    summary = "`itertools.groupby` with a positional key, or by tensors"
    gb_ids = ("GB0134", "GB0152", "GB0115")
    on = (On("call", ("itertools.groupby",)),)
    message_template = "Dynamo does not trace `{expression}`: its key is positional, or tensors are the keys"
    help_template = "pass the key as `key=`, and group by Python numbers or strings"
    recipes = ("equivalents.key_as_keyword",)
    BREAKS = (
        Example(
            """\
import itertools

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    groups = itertools.groupby([1, 1, 2], abs)  # breaks: GB0134
    return y * 2, groups
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import itertools

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    for key, _ in itertools.groupby([1, 1, 2], key=abs):
        x = x * key
    return x
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import itertools

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    for size, group in itertools.groupby([1, 1, 2], abs):
        x = x + size * len(list(group))
    return x
""",
            """\
import itertools

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    for size, group in itertools.groupby([1, 1, 2], key=abs):
        x = x + size * len(list(group))
    return x
""",
        ),
    )
