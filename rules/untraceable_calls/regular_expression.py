"""Dynamo evaluates regular expressions on constant strings while it traces, but not `finditer`.

`match`, `fullmatch`, `search`, `sub` (with a function too), `subn`, `split`, `findall`, `escape` and `compile`, as
functions and as methods of a pattern, cost nothing at run time. `finditer` returns an iterator that is implemented in
C.

**Instead**

- `findall`, which returns the matched strings, or `split`;
- a `while` loop over `pattern.search(text, start)`, if the match objects are needed;
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
    )
