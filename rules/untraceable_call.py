"""Dynamo traces Python; what is implemented in C it has to know, and what it does not know ends the graph.

`unicodedata`, `heapq`, `bisect`, `hashlib`, `uuid`, `cmath`, ... are such modules, `globals`, `dir` and `bytes` such
builtins.

**Instead** call it outside the region; write it in Python; or, for a function of tensors, wrap it as a custom
operator.
"""

from __future__ import annotations

from gblint.rules.base import Example, On, Rule


class UntraceableCall(Rule):
    """GBL499."""

    code = "GBL499"
    name = "untraceable-call"
    summary = "a call that Dynamo cannot trace"
    gb_ids = ("GB0007", "GB0059", "GB0156")
    on = (On("call"),)
    said = "Dynamo cannot trace `{subject}`"
    advice = "call it outside the region, or wrap it as a custom operator (`torch.library.custom_op`)"
    BREAKS = (
        Example(
            """\
import bisect
import heapq
import unicodedata

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    text = unicodedata.normalize("NFC", "a")  # breaks: GB0007
    y = y + 1
    numbers = [3, 1]
    heapq.heapify(numbers)  # breaks: GB0007
    y = y + numbers[0]
    return y * bisect.bisect([1, 2], 1), text  # breaks: GB0007
""",
        ),
        Example(
            """\
import cmath
import hashlib

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    y = y * abs(cmath.sqrt(2))  # breaks: GB0007
    digest = hashlib.md5(b"a")  # breaks: GB0007
    return y * 2, digest
""",
        ),
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
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return max([y, y * 2], key=lambda t: t.shape[0])  # breaks: GB0193
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
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    sizes = sorted([3, 1], key=lambda v: -v)
    names = {name: index for index, name in enumerate(("a", "b"))}
    longest = max(["a", "bb"], key=len)
    return x * sizes[0] + names["b"] + divmod(7, 2)[1] + abs(-2) + len(longest) + sum(zip((1,), (2,)), ())[0]
""",
        ),
        Example(
            """\
import heapq

import torch

LARGEST = heapq.nlargest(1, [1, 2, 3])


def f(x: torch.Tensor) -> torch.Tensor:
    return x * LARGEST[0]
""",
        ),
    )
