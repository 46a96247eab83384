"""`scan`, `associative_scan`, `map` and `while_loop` iterate over tensors; anything else raises an error.

They can only run inside a graph. The carried values and the sequences must be tensors, or lists, tuples and dicts of
tensors; further inputs must be a tuple; and the dimension must not be empty. Otherwise Dynamo raises
`UncapturedHigherOrderOpError`, with or without `fullgraph=True`.

**Instead**

- carry numbers as tensors: `torch.tensor(0)`, or `torch.zeros(())`;
- let the function close over configuration; only tensors can be iterated over;
- handle the empty case before the call, with a test of the shape: `if x.shape[0] == 0`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class HigherOrderInputs(Rule):
    """GBL623."""

    code = "GBL623"
    name = "higher-order-inputs"
    summary = "a loop operator called on something that is not a tensor, or on an empty dimension"
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
    message_template = "`{expression}` expects tensors as its {name}"
    help_template = "pass tensors, or lists, tuples and dicts of tensors; close over anything else"
    wording = (
        (
            "empty",
            "`{expression}` does not work over a dimension that is empty or missing",
            "handle the empty case before the call",
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
    )
