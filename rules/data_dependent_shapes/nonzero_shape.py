"""`torch.nonzero`, `torch.argwhere` and `torch.where(condition)` return one index for each true value.

By default Dynamo ends the graph at an operator whose output shape depends on the data, runs it, and continues in a new
graph. With `torch._dynamo.config.capture_dynamic_output_shape_ops = True`, and under `fullgraph=True`, it stays in the
graph with an unbacked size, and only code that branches on that size breaks.

**Instead**

- keep the mask: `torch.where(mask, a, b)` with three arguments, `mask.sum()` for the count, `mask.int().argmax()` for
  the first hit;
- `torch.nonzero_static(x, size=n)` for at most `n` hits;
- `torch._dynamo.config.capture_dynamic_output_shape_ops = True`: the result stays in the graph with an unbacked size.

**Does not help**

- `dynamic=True` or `mark_dynamic`: they concern the sizes of inputs; this size depends on values.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class NonzeroShape(Rule):
    """GBL301."""

    code = "GBL301"
    name = "nonzero-shape"
    summary = "`nonzero`, `argwhere` or one-argument `where`"
    gb_ids = ("GB0036",)
    on = (
        On(
            "dynamic-shape",
            (
                "torch.nonzero",
                "torch.argwhere",
                "torch.where",
                "torch.Tensor.nonzero",
                "torch.Tensor.argwhere",
                "torch.Tensor.where",
                "numpy.nonzero",
                "numpy.argwhere",
                "numpy.flatnonzero",
                "numpy.where",
                "torch._numpy.*nonzero",
                "torch._numpy.where",
            ),
        ),
    )
    message_template = "`{expression}` returns as many rows as there are non-zero values"
    help_template = (
        "work on the full shape with a mask, or set `torch._dynamo.config.capture_dynamic_output_shape_ops = True`"
    )
    recipes = (
        "nonzero_counts.use_count_nonzero",
        "nonzero_counts.write_through_mask",
        "branches.capture_config.capture_dynamic_shapes",
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x + 1
    a = torch.nonzero(y)  # breaks: GB0036
    y = y + 1
    b = y.nonzero()  # breaks: GB0036
    y = y + 1
    c = torch.argwhere(y)  # breaks: GB0036
    y = y + 1
    (d,) = torch.where(y > 0)  # breaks: GB0036
    return y, a, b, c, d
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 0, x, 0.0) + (x > 0).sum() + (x > 0).int().argmax()
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    n = len(x.nonzero())
    m = torch.where(x > 1)[0].shape[0]
    return x / (n + 1) * m
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    n = torch.count_nonzero(x)
    m = torch.count_nonzero(x > 1)
    return x / (n + 1) * m
""",
            calls=("(torch.tensor([1.0, 0.0, 2.0]),)",),
            safe=False,
        ),
    )
