"""With `dynamic=True` a size is a symbol, and code that needs the number itself ends the graph.

So is an integer argument: with `dynamic=True` at once, else from the second value on.

Arithmetic, comparisons, `range`, f-strings and most of `math` work with symbols. `str(n)`, `repr(n)`, `hex(n)`,
`divmod(n, 2)`, `sorted([n, m])`, `math.gcd(n, m)` and its like, and `random.randint(0, n)` do not. Without
`dynamic=True` the first call has the number; a call with another size compiles again, with a symbol, and breaks.
Indexing a NumPy array with a symbol (`temperatures[epoch]`) breaks as well; a slice and `temperatures[epoch, ...]` do
not.

**Instead** write `f"{n}"` for `str(n)`, `(n // 2, n % 2)` for `divmod(n, 2)`, `min` and `max` for `sorted`; draw random
positions before the region, or with torch.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class SymbolicSize(Rule):
    """GBL451."""

    code = "GBL451"
    name = "symbolic-size"
    summary = "a size or an integer argument that is a symbol where Python needs the number"
    gb_ids = ("GB0059", "GB0088", "GB6053", "GB0208", "GB0007", "GB0207", "GB0112")
    on = (On("symbolic-size"),)
    message_template = "`{expression}` needs the number behind a size, which is a symbol under `dynamic=True`"
    wording = (
        (
            "argument:array-index",
            "`{expression}` indexes a NumPy array with an integer that is a symbol when it changes between calls",
            "make a tensor of the array, or index it before the region and pass the item",
        ),
        (
            "array-index",
            "`{expression}` indexes a NumPy array with a size, which is a symbol under `dynamic=True`",
            "make a tensor of the array, or index it before the region and pass the item",
        ),
        (
            "argument:*",
            "`{expression}` needs an integer that the region is called with, which is a symbol when it changes",
            "compute with what works on symbols: arithmetic, comparisons, f-strings, `min` and `max`",
        ),
    )
    help_template = "compute with what works on symbols: arithmetic, comparisons, f-strings, `min` and `max`"
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch


@torch.compile(dynamic=True)
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    rows, rest = divmod(y.shape[0], 2)  # breaks: GB0088
    return y * rows + rest
""",
        ),
        Example(
            """\
import numpy as np
import torch

TEMPERATURES = np.linspace(0.04, 0.07, 8)


@torch.compile(dynamic=True)
def f(x: torch.Tensor) -> torch.Tensor:
    return x / TEMPERATURES[x.shape[0]]  # breaks: GB0112
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import math

import numpy as np
import torch

TEMPERATURES = np.linspace(0.04, 0.07, 8)


@torch.compile(dynamic=True)
def f(x: torch.Tensor) -> torch.Tensor:
    n = x.shape[0]
    y = x * math.sqrt(n) + n // 2 + n % 2 + max(n, 3)
    y = y / TEMPERATURES[n, ...] + TEMPERATURES[:n].sum()
    label = f"{n} values"
    return y + len([label]) + len(range(n))
""",
        ),
        Example(
            """\
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x + len(str(x.shape[0]))
""",
        ),
    )
