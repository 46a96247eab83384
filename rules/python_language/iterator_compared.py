"""`min`, `max`, `math.prod` or `math.fsum` of an iterator, where Dynamo takes constants only.

Dynamo computes `math.prod` and `math.fsum` while it traces if the argument is a constant, and with a `key` or a
`default`, and for tuples, it computes `min` and `max` only so. A list of numbers is one; a generator, `zip`, `map` or
`d.items()` is none, whatever the items are.

**Instead** pass a list: `math.prod([n + 1 for n in x.shape])`, `max([*d.items()], key=...)`, or
`max([len(v) for v in vs], default=0)`.

**Does not help** a list if the items are tensors: compare them with `torch.stack(...).max()`.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class IteratorCompared(Rule):
    """GBL552."""

    code = "GBL552"
    name = "iterator-compared"
    summary = "`math.prod` or `math.fsum` of an iterator; `min` or `max` of one with a `key` or `default`, or of tuples"
    gb_ids = ("GB0193", "GB0059", "GB0055")
    on = (On("sequence-comparison", ("min-of-iterator", "max-of-iterator", "math-of-iterator")),)
    message_template = "`{expression}` gets an iterator, and Dynamo needs a list here"
    help_template = "pass a list: `[*...]`, or square brackets around a generator expression"
    recipes = ("equivalents.compare_list",)
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, tuple[str, int], int, tuple[int, int]]:
    counts = {"a": 2, "b": 3}
    y = x + 1
    most = max(counts.items(), key=lambda pair: pair[1])  # breaks: GB0193
    y = y + 1
    longest = max((len(name) for name in counts), default=0)  # breaks: GB0193
    y = y + 1
    first = min(zip([2, 1], [3, 4]))  # breaks: GB0059
    return y + 1, most, longest, first
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int, int, tuple[int, int], str]:
    counts = {"a": 2, "b": 3}
    most = max(counts.values())
    longest = max(len(name) for name in counts)
    first = min([(2, 1), (3, 4)])
    return x + max([2, 3], default=1), most, longest, first, max(counts, key=lambda name: len(name))
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, tuple[str, int]]:
    counts = {"a": 2, "b": 3}
    return x + 1, max(counts.items(), key=lambda pair: pair[1])
""",
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, tuple[str, int]]:
    counts = {"a": 2, "b": 3}
    return x + 1, max([*counts.items()], key=lambda pair: pair[1])
""",
            calls=("(torch.ones(4),)",),
        ),
    )
