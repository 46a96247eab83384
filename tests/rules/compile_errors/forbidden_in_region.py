"""More examples of GBL824, forbidden-in-region."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    with torch.compiler.set_stance("force_eager"):  # breaks
        return x + 1
""",
        raises=True,
    ),
    Example(
        """\
import torch
from torch._dynamo import maybe_mark_dynamic


def prepare(x: torch.Tensor) -> torch.Tensor:
    maybe_mark_dynamic(x, 0)  # breaks
    return x


def f(x: torch.Tensor) -> torch.Tensor:
    return prepare(x) + 1
""",
        raises=True,
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if not torch.compiler.is_compiling():
        torch._dynamo.mark_dynamic(x, 0)
    torch._dynamo.mark_static(x, 0)
    return x + 1
""",
    ),
)
