"""More examples of GBL508, unsupported-statement."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1

    def twice[T: torch.Tensor](value: T) -> T:  # breaks: GB6604
        return value + value

    return twice(y)
""",
        python=(3, 12),
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scale = 2

    def scaled() -> torch.Tensor:
        return y * scale

    z = scaled()
    del scale  # breaks: GB0082
    return z
""",
    ),
    Example(
        """\
import torch

count = 1


def f(x: torch.Tensor) -> torch.Tensor:
    global count
    y = x + 1
    del count  # breaks: GB0082
    return y
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = y * 2
    del y
    items = [1, 2]
    del items[0]
    return z * items[0]
""",
    ),
    Example(
        """\
import torch

count = 0


def f(x: torch.Tensor) -> torch.Tensor:
    global count
    count += 1
    return x * count
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = y * 2
    del y
    return z
""",
    ),
)
