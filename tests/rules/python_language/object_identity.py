"""More examples of GBL512, object-identity."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    return y * 2, id([1]) * 2  # breaks: GB3006
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    return y * 2, -id([1])  # breaks: GB0755
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    return y * 2, +id([1])  # breaks: GB7510
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    return y * 2, abs(id([1]))  # breaks: GB4501, GB9548
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    return y * 2, int(id([1]))  # breaks: GB3775, GB4501
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, float]:
    y = x + 1
    return y * 2, float(id([1]))  # breaks: GB4501, GB7286
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    return y * 2, repr(id([1]))  # breaks: GB4501, GB6053
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    y = x + 1
    return y * 2, id([1]) % 7  # breaks: GB0088
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
    seen = {id(y): 2, id(z): 3}
    return y * len(seen)
""",
    ),
    Example(
        """\
import torch


class Plain:
    pass


first = Plain()
second = Plain()


def f(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if id(first) < id(second) else x + abs(id(first)) % 7
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = y
    return y * 2 if y is z else y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, seen: dict[int, torch.Tensor]) -> torch.Tensor:
    return x * 2 if id(x) in seen else x + 1
""",
        "(torch.randn(4), {})",
    ),
    Example(
        """\
import torch

order = [1]


def f(x: torch.Tensor) -> tuple[torch.Tensor, float]:
    return x * 2, float(id(order))
""",
    ),
    Example(
        """\
import torch

order = [1]


def f(x: torch.Tensor) -> tuple[torch.Tensor, int, int]:
    return x * 2, -id(order), +id(order)
""",
    ),
    Example(
        """\
import torch

order = [1]


def f(x: torch.Tensor) -> tuple[torch.Tensor, int, int]:
    return x * 2, abs(id(order)), int(id(order))
""",
    ),
    Example(
        """\
import torch

order = [1]


def f(x: torch.Tensor) -> tuple[torch.Tensor, int, str]:
    return x * 2, id(order) * 2, repr(id(order))
""",
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = torch.ones(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2 if id(self.scale) == 3 else x * self.scale
""",
    ),
)
