"""Dynamo evaluates regular expressions on constant strings while it traces, but not `finditer`.

`match`, `fullmatch`, `search`, `sub` (with a function too), `subn`, `split`, `findall`, `escape` and `compile`, as
functions and as methods of a pattern, cost nothing: names of modules may well be sorted out by them in `forward`.
`finditer` is an iterator of C's.

**Instead**

- `findall`, which gives the texts, or `split`;
- a `while` loop over `pattern.search(text, start)`, where the matches themselves are needed;
- do it before the compiled call.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class RegularExpression(Rule):
    """GBL461."""

    code = "GBL461"
    name = "regular-expression"
    summary = "`re.finditer`"
    gb_ids = ("GB0007", "GB0292", "GB0299")
    on = (
        On(
            "call",
            (
                "re.*",
                "regex.*",
                "re.Pattern.*",
                "re.Match.*",
            ),
        ),
    )
    message_template = "Dynamo cannot trace `{subject}`"
    help_template = "use `findall`, or do it before the compiled call"
    BREAKS = (
        Example(
            """\
import re

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    found = re.finditer("a+", "aab")  # breaks: GB0007
    return y * 2
""",
        ),
        Example(
            """\
import re

import torch

digits = re.compile("[0-9]+")


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    found = digits.finditer("1 2")  # breaks: GB0292
    return y * 2, found
""",
        ),
        Example(
            """\
import re

import torch

digits = re.compile("[0-9]+")


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    found = digits.match(f"{y.mean()}")  # breaks: GB0299
    return y * 2, found
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import re

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    count = len(re.findall("a+", "aab")) + len(re.split(",", "a,b"))
    return x * count * (re.search("A", "aab", re.IGNORECASE) is not None)
""",
        ),
        Example(
            """\
import re

import torch

WANTED = re.compile(r"(\\w+)_\\d")


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first_1 = torch.nn.Linear(4, 4)
        self.other = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for name, module in self.named_children():
            found = WANTED.match(name)
            if found is not None and found.group(1) == "first":
                x = module(x)
        return x
""",
        ),
        Example(
            """\
import re

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    text = re.sub("a+", lambda found: found.group(0).upper(), "aab")
    return x * len(text)
""",
        ),
        Example(
            """\
import re

import torch

digits = re.compile("([0-9]+)")


def f(x: torch.Tensor) -> torch.Tensor:
    found = digits.match(f"{x.dim()} of {x.shape[0]}")
    return x * len(found.groups()) if found else x + 1
""",
        ),
    )
