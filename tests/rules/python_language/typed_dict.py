"""More examples of GBL523, typed-dict."""

from __future__ import annotations

from gblint.rules.examples import Example

CLEAN = (
    Example(
        """\
from typing import TypedDict

import torch


class Options(TypedDict, total=False):
    scale: int


def f(x: torch.Tensor) -> torch.Tensor:
    options: Options = {"scale": 2}
    return x * options["scale"]
""",
    ),
)
