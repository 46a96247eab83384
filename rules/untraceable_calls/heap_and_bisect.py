"""`heapq` and `bisect` are written in C; Dynamo cannot trace them.

They work on Python lists, so they would add nothing to the graph anyway; the cost is that the graph ends there.

**Instead**

- for tensors: `torch.topk`, `torch.sort`, `torch.searchsorted`, which stay in the graph;
- for Python numbers: `sorted`, `min`, `max`, or a sum over a generator, which Dynamo computes while it traces;
- do it before the compiled call, and pass the result in.

**Does not help**

- the Python versions in `heapq.py`: the names refer to the C functions.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class HeapAndBisect(Rule):
    """GBL462."""

    code = "GBL462"
    name = "heap-and-bisect"
    summary = "`heapq` and `bisect`"
    gb_ids = (
        "GB0007",
        "GB0059",
    )
    on = (
        On(
            "call",
            (
                "heapq.*",
                "_heapq.*",
                "bisect.*",
                "_bisect.*",
            ),
        ),
    )
    message_template = "Dynamo cannot trace `{subject}`"
    help_template = "use `torch.topk` or `torch.searchsorted` on tensors, `sorted` on numbers"
    recipes = ("elements.use_searchsorted",)
    BREAKS = (
        Example(
            """\
import heapq

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    heap = [3, 1]
    heapq.heapify(heap)  # breaks: GB0007
    y = y + heap[0]
    best = heapq.nlargest(1, [1, 2])  # breaks: GB0059
    return y * best[0]
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    best, _ = torch.topk(x, 2)
    place = torch.searchsorted(torch.tensor([1.0, 2.0]), best)
    return x[place]
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import bisect

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    limits = [1, 4, 9]
    return x * bisect.bisect_left(limits, x.shape[0])
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    limits = [1, 4, 9]
    return x * sum(1 for each in limits if each < x.shape[0])
""",
            calls=("(torch.randn(4),)", "(torch.randn(3),)"),
        ),
    )
