"""Dynamo traces Python code; a function that is implemented in C, and that Dynamo does not support, ends the graph.

Examples are extension modules of other packages, `locale`, `ctypes` and `mmap` of the standard library, and the
builtins `globals`, `dir` and `bytes`. The call is correct: Python runs it between two graphs.

**Instead**

- call it before or after the region, and pass its result in;
- write it in Python, or with functions that Dynamo supports: `sorted`, `min` and `sum` on numbers, operators on
  tensors;
- for a function of tensors, `torch.library.custom_op` makes it an operator, with `register_fake` for the shapes;
- guard code that is only for debugging with `if not torch.compiler.is_compiling():`.

**Does not help**

- `torch.compiler.allow_in_graph` on a function that does not consist of tensor operations: Dynamo calls it with fake
  tensors.
- `torch.compiler.disable` around it: that is a break as well.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class UntraceableCall(Rule):
    """GBL499."""

    code = "GBL499"
    name = "untraceable-call"
    summary = "a call that Dynamo cannot trace"
    gb_ids = ("GB0007", "GB0059", "GB0156", "GB0193")
    on = (On("call"),)
    message_template = "Dynamo cannot trace `{subject}`"
    help_template = "call it outside the region, or wrap it as a custom operator (`torch.library.custom_op`)"
    recipes = ("equivalents.use_plain_string",)
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, bytes, list[str]]:
    y = x + 1
    empty = bytes(3)  # breaks: GB0059
    y = y + 1
    names = dir(y)  # breaks: GB0059
    return y * 2, empty, names
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import collections
import functools
import itertools
import math
import operator
import re

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    counts = collections.Counter("a,b".split(","))
    total = functools.reduce(operator.add, itertools.chain([1], [2]))
    found = re.match("a+", "aab")
    return x * math.floor(2.5) + len(counts) + total + (found is not None)
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import enum

import torch


class Mode(str, enum.Enum):
    SUM = "sum"
    MEAN = "mean"


def f(x: torch.Tensor, mode: Mode = Mode.SUM) -> torch.Tensor:
    if mode.upper() == "SUM":
        return x.sum()
    return x.mean()
""",
            """\
import enum

import torch


class Mode(str, enum.Enum):
    SUM = "sum"
    MEAN = "mean"


def f(x: torch.Tensor, mode: Mode = Mode.SUM) -> torch.Tensor:
    if mode[:].upper() == "SUM":
        return x.sum()
    return x.mean()
""",
            calls=("(torch.ones(4),)", "(torch.ones(4), Mode.MEAN)"),
        ),
    )
