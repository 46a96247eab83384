"""`torch.unique` and `torch.unique_consecutive` return as many elements as there are different values.

By default Dynamo ends the graph at an operator whose output shape depends on the data, runs it, and continues in a new
graph. With `torch._dynamo.config.capture_dynamic_output_shape_ops = True`, and under `fullgraph=True`, it stays in the
graph with an unbacked size, and only code that branches on that size breaks.

**Instead** sort and compare neighbours to mark first occurrences (`torch.diff(x.sort().values) != 0`), count with
`torch.zeros(n).scatter_add_`, or find the values before the compiled region.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class UniqueShape(Rule):
    """GBL303."""

    code = "GBL303"
    name = "unique-shape"
    summary = "`unique` and `unique_consecutive`"
    gb_ids = ("GB0036",)
    on = (
        On(
            "dynamic-shape",
            (
                "torch.unique",
                "torch.unique_consecutive",
                "torch.Tensor.unique",
                "torch.Tensor.unique_consecutive",
                "numpy.unique*",
                "torch._numpy.unique*",
                "torch.functional.unique*",
            ),
        ),
    )
    message_template = "`{expression}` returns as many elements as there are different values"
    help_template = (
        "work on the full shape with a mask, or set `torch._dynamo.config.capture_dynamic_output_shape_ops = True`"
    )
    recipes = (
        "nonzero_counts.count_unique_values",
        "distinct_values.check_all_values",
        "branches.capture_config.capture_dynamic_shapes",
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x + 1
    a = torch.unique(y)  # breaks: GB0036
    y = y + 1
    b = y.unique()  # breaks: GB0036
    y = y + 1
    c = torch.unique_consecutive(y)  # breaks: GB0036
    y = y + 1
    d, counts = torch.unique(y, return_counts=True)  # breaks: GB0036
    return y, a, b, c, d, counts
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    ordered = x.sort().values
    return (torch.diff(ordered) != 0).sum() + 1
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x / len(x.unique())
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x / ((x.flatten().sort().values.diff() != 0).sum() + 1)
""",
            calls=("(torch.tensor([1., 0., 2., 1.]),)",),
            safe=False,
        ),
    )
