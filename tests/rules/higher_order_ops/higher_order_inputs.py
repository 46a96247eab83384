"""More examples of GBL623, higher-order-inputs."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch
from torch._higher_order_ops.map import map as map_over


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return map_over(lambda row, layer: layer(row), torch.stack([x, x]), self.layer)  # breaks: GB0351
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.ops.higher_order.map_impl(lambda row: (row + 1,), [x.sum()], ())  # breaks: GB0326
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.ops.higher_order.associative_scan(lambda a, b: [a + b], x, ())  # breaks: GB0315
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.ops.higher_order.associative_scan(lambda a, b: [a + b], [x], x)  # breaks: GB0316
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.ops.higher_order.associative_scan(lambda a, b: [a + b], [x[:0]], ())  # breaks: GB0317
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.ops.higher_order.associative_scan(lambda a, b: [a + b], [x, 2], ())  # breaks: GB0301
""",
        raises=True,
    ),
    Example(
        """\
import functools

import torch


def step(carry, row, combine_fn=None):
    return carry + row, carry * 2


def f(x: torch.Tensor) -> object:
    combine = functools.partial(step, combine_fn=step)
    return torch.ops.higher_order.scan(combine, [torch.zeros(4)], torch.stack([x, x]), ())  # breaks: GB0320
""",
        raises=True,
    ),
    Example(
        """\
import functools

import torch


def step(carry, row, combine_fn=None):
    return carry + row, carry * 2


def f(x: torch.Tensor) -> object:
    combine = functools.partial(step, combine_fn=step)
    return torch.ops.higher_order.scan(combine, torch.zeros(1, 4), [torch.stack([x, x])], ())  # breaks: GB0321
""",
        raises=True,
    ),
    Example(
        """\
import functools

import torch


def step(carry, row, combine_fn=None):
    return carry + row, carry * 2


def f(x: torch.Tensor) -> object:
    combine = functools.partial(step, combine_fn=step)
    return torch.ops.higher_order.scan(combine, [], [torch.stack([x, x])], ())  # breaks: GB0322
""",
        raises=True,
    ),
    Example(
        """\
import functools

import torch


def step(carry, row, combine_fn=None):
    return carry + row, carry * 2


def f(x: torch.Tensor) -> object:
    combine = functools.partial(step, combine_fn=step)
    return torch.ops.higher_order.scan(combine, [torch.zeros(4)], [torch.stack([x, x])], x)  # breaks: GB0323
""",
        raises=True,
    ),
    Example(
        """\
import functools

import torch


def step(carry, row, combine_fn=None):
    return carry + row, carry * 2


def f(x: torch.Tensor) -> object:
    combine = functools.partial(step, combine_fn=step)
    return torch.ops.higher_order.scan(combine, [torch.zeros(4)], [x[:0]], ())  # breaks: GB0324
""",
        raises=True,
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    step = x.abs() + 1
    return torch.ops.higher_order.while_loop(lambda x, s: x.sum() < 10, lambda x, s: (x + s,), (step,), (step,))
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.scan import scan


def f(x: torch.Tensor) -> object:
    return scan(lambda carry, row: (carry + row, carry * 2), torch.zeros(4), torch.stack([x, x]))
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops import associative_scan


def f(x: torch.Tensor) -> torch.Tensor:
    return associative_scan(lambda a, b: a + b, x, dim=0, combine_mode="generic")
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops import while_loop


def f(x: torch.Tensor) -> object:
    def more(step: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return step < 5

    def halve(step: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return step + 1, x / 2

    return while_loop(more, halve, (torch.tensor(0), x.clone()))
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.scan import scan


def f(x: torch.Tensor) -> object:
    def step(state: dict[str, torch.Tensor], row: torch.Tensor) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        total = state["total"] + row
        return {"total": total}, total * 2

    return scan(step, {"total": torch.zeros(4)}, torch.stack([x, x]), reverse=True)
""",
    ),
)
