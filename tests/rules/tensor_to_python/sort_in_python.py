"""More examples of GBL110, sort-in-python."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    z = x + 1
    first, second = sorted([x, y], key=lambda t: t.sum())  # breaks: GB0207
    return first - second + z
""",
        "(torch.randn(4), torch.randn(4))",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    parts = sorted([(3, x), (1, y)], key=lambda pair: pair[0])
    return parts[0][1] * 2
""",
        "(torch.randn(4), torch.randn(4))",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    values, order = torch.sort(x)
    items = sorted([x, x[:2]], key=lambda item: item.shape[0])
    return values + items[0].sum() + x[order]
""",
    ),
    Example(
        """\
import torch


class Key:
    def __init__(self, text: str) -> None:
        self.text = text


def f(x: torch.Tensor, names: "list[str | Key]") -> torch.Tensor:
    ordered = sorted(names, key=lambda name: name)
    return x * len(ordered)
""",
        '(torch.randn(4), ["b", "a"])',
    ),
)
