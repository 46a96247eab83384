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
