"""More examples of GBL417, skipped-library."""

from __future__ import annotations

from gblint.rules.examples import Example

CLEAN = (
    Example(
        """\
import textwrap
from fractions import Fraction

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(textwrap.dedent("  a")) + Fraction(1, 2).numerator
""",
    ),
)
