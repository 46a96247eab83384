"""More examples of GBL467, text-stream."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import io

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, io.BytesIO]:
    y = x + 1
    stream = io.BytesIO(b"a")  # breaks: GB0156
    return y * 2, stream
""",
    ),
)
CLEAN = (
    Example(
        """\
import io

import torch

TEXT = io.StringIO("abc").getvalue()


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(TEXT)
""",
    ),
)
