"""A list that `split`, `rsplit` or `splitlines` of a string returns, and that is changed afterwards.

Dynamo computes these methods while it traces, and takes the list for a constant. It can be read, but not changed:
`parts.pop()` or `parts[0] = "a"` ends the graph. A list from outside the region, or of `re.split`, can be changed.

**Instead** change a copy: `parts = [*name.split(".")]`, or take the list apart: `*parents, last = name.split(".")`.

**Does not help** a slice: `name.split(".")[:]` is a constant as well.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class SplitListChanged(Rule):
    """GBL553."""

    code = "GBL553"
    name = "split-list-changed"
    summary = "changing the list that `split` of a string returns"
    gb_ids = ("GB0156", "GB7786")
    on = (On("operation", ("list-of-text",)),)
    message_template = "`{expression}` changes the list that a method of a string has returned"
    help_template = "copy the list where it is made: `[*text.split(...)]`"
    recipes = ("equivalents.copy_split_list",)
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, list[str], str]:
    parts = "layers.0.weight".split(".")
    y = x + 1
    last = parts.pop()  # breaks: GB0156
    return y + 1, parts, last
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, list[str], str]:
    parts = [*"layers.0.weight".split(".")]
    last = parts.pop()
    words = "a b".split()
    words += ["c"]
    words.append("d")
    return x + len(parts), [*parts, *words], last
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, list[str], str]:
    parts = "layers.0.weight".split(".")
    last = parts.pop()
    return x + 1, parts, last
""",
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, list[str], str]:
    parts = [*"layers.0.weight".split(".")]
    last = parts.pop()
    return x + 1, parts, last
""",
            calls=("(torch.ones(4),)",),
        ),
    )
