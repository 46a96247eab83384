"""`.tolist()` turns a tensor into Python numbers, and the graph ends there.

It is `.item()` for every element. Dynamo traces with fake tensors, which hold no numbers, so it ends the graph, runs
the call, and continues in a new graph. With `torch._dynamo.config.capture_scalar_outputs = True` the list of an integer
tensor stays in the graph as unbacked scalars; the list of a floating-point tensor never does.

**Instead** unbind the tensor (`for row in x.unbind()`), index it with a tensor, or pass split sizes and shapes in as
Python numbers from outside the compiled region.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class TensorTolist(Rule):
    """GBL102."""

    code = "GBL102"
    name = "tensor-tolist"
    summary = "`.tolist()` of a tensor"
    gb_ids = ("GB0033", "GB0109")
    on = (On("tensor-to-python", ("tolist",)),)
    message_template = "`{expression}` turns a tensor into a list of Python numbers"
    help_template = (
        "keep the values in a tensor (`.unbind()` returns a tuple of tensors), or create the list outside the region"
    )
    recipes = (
        "elements.use_range",
        "constant_folding.trace.compute_at_trace_time",
        "operators.call_as_operator",
        "split_sizes.split_in_leaf_function",
        "elements.iterate_with_unbind",
        "branches.capture_config.capture_list_outputs",
    )
    BREAKS = (
        Example(
            """\
import torch


def f(lengths: torch.Tensor) -> list[int]:
    return (lengths + 1).tolist()  # breaks: GB0033
""",
            "(torch.tensor([1, 2, 3]),)",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    first, *rest = x.unbind()
    return first + sum(rest)
"""
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    axes = torch.arange(1, len(x.shape)).tolist()
    return x.sum(dim=axes)
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    axes = list(range(1, len(x.shape)))
    return x.sum(dim=axes)
""",
            calls=("(torch.rand(4, 3, 2),)",),
            safe=False,
        ),
    )
