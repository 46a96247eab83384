"""More examples of GBL205, membership-of-tensor."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if y.argmax() in (1, 2):  # breaks: GB0170
        y = y + 1
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    items = [x, y]
    items.remove(y)  # breaks: GB0170
    return items[0] + 1
""",
        inputs="(torch.randn(1),)",
    ),
)
CLEAN = (
    Example(
        """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor) -> torch.Tensor:
    return x + (2 in x)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.isin(x, x[:2]) | (x == 1).any()
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    state = {"x": x, y: 1}
    if "x" in state and y in state:
        return y
    return x
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    found = any(item is x for item in [x, x + 1])
    return torch.isin(x, torch.tensor([1.0])) | (x == 2).any() | found
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    sizes = [1, 2, 3]
    sizes.remove(2)
    return x + sizes[1]
""",
        inputs="(torch.randn(1),)",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    parts = [x, x + 1]
    parts.remove(x)
    return parts[0] + [x, 1].index(x)
""",
    ),
)
