"""More examples of GBL208, filter-on-tensor."""

from __future__ import annotations

from gblint.rules.examples import Example

CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.stack([v * 2 for i, v in enumerate(x) if i % 2])
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    items = [item for item in (x, None, x[:2]) if item is not None and item.shape[0] == 4]
    return sum(torch.where(item.sum() > 0, item, 0) for item in items)
""",
    ),
)
