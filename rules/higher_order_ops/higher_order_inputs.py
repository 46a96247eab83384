"""`scan`, `associative_scan`, `map` and `while_loop` go over tensors; anything else raises out of `torch.compile`.

They have no other way of running than inside a graph. Dynamo asks for the carried values and for what is gone over as
tensors, or as lists, tuples and dicts of tensors, and for further inputs as a tuple; a dimension that is empty leaves
nothing to trace. Where that does not hold it raises `UncapturedHigherOrderOpError`, with or without `fullgraph=True`.

**Instead**

- carry numbers as tensors: `torch.tensor(0)`, or `torch.zeros(())`;
- let the function close over configuration; only tensors are gone over;
- treat the empty case before, on the shape: `if x.shape[0] == 0`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class HigherOrderInputs(Rule):
    """GBL623."""

    code = "GBL623"
    name = "higher-order-inputs"
    summary = "a loop operator called on what is no tensor, or on nothing"
    gb_ids = (
        "GB0301",
        "GB0304",
        "GB0315",
        "GB0316",
        "GB0317",
        "GB0320",
        "GB0321",
        "GB0322",
        "GB0323",
        "GB0324",
        "GB0326",
        "GB0351",
    )
    on = (On("higher-order", ("inputs", "additional-inputs", "empty")),)
    message_template = "`{expression}` goes over something that is no tensor (its {name})"
    help_template = "pass tensors, or lists, tuples and dicts of tensors; close over anything else"
    wording = (
        (
            "empty",
            "`{expression}` does not work over a dimension that is empty or missing",
            "treat the empty case before it",
        ),
    )
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch


def more(x: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
    return x.sum() < 10


def add(x: torch.Tensor, step: torch.Tensor) -> tuple[torch.Tensor]:
    return (x + step,)


def f(x: torch.Tensor) -> object:
    return torch.ops.higher_order.while_loop(more, add, (x.abs() + 1,), x)  # breaks: GB0304
""",
            raises=True,
        ),
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
from torch._higher_order_ops import while_loop


def f(x: torch.Tensor) -> object:
    return while_loop(lambda i, x: i < 10, lambda i, x: (i + 1, x * 2), (0, x.abs() + 1))
""",
        ),
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
