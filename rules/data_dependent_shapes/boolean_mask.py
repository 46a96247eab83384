"""`x[mask]` and `torch.masked_select` return as many elements as the mask has true values.

By default Dynamo ends the graph at an operator whose output shape depends on the data, runs it, and continues in a new
graph. With `torch._dynamo.config.capture_dynamic_output_shape_ops = True`, and under `fullgraph=True`, it stays in the
graph with an unbacked size, and only code that branches on that size breaks. Assigning one value through a mask
(`x[mask] = 0`) keeps its shape and is traced; `x[mask] += 1` reads `x[mask]` first, and breaks.

**Instead**

- keep the shape: `torch.where(mask, x, fill)`, `x.masked_fill(~mask, 0)`, a masked mean as `(x * mask).sum() /
  mask.sum()`;
- to move the selected rows to the front: sort by the mask, `x[torch.argsort(mask.int(), descending=True,
  stable=True)]`;
- `torch._dynamo.config.capture_dynamic_output_shape_ops = True`: the result stays in the graph with an unbacked size;
- select before the compiled call.

**Does not help**

- `dynamic=True` or `mark_dynamic`: they concern the sizes of inputs; this size depends on values.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class BooleanMask(Rule):
    """GBL302."""

    code = "GBL302"
    name = "boolean-mask"
    summary = "reading a tensor through a boolean mask"
    gb_ids = ("GB0036",)
    on = (
        On(
            "dynamic-shape",
            (
                "torch.Tensor.__getitem__",
                "torch.Tensor.__setitem__",
                "torch.masked_select",
                "torch.Tensor.masked_select",
                "numpy.ndarray.__getitem__",
            ),
        ),
    )
    message_template = "`{expression}` selects as many elements as the mask has true values"
    help_template = "use `torch.where(mask, x, fill)`, or `x * mask`; a plain assignment (`x[mask] = 0`) does not break"
    recipes = (
        "masks.reduce_full_shape",
        "selections.select_by_identity",
        "masks.update_full_shape",
        "masks.average_full_shape",
        "masks.assign_full_shape",
        "masked_losses.mask_losses",
        "selections.use_nonzero_static",
        "branches.capture_config.capture_dynamic_shapes",
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x + 1
    a = y[y > 0]  # breaks: GB0036
    y = y + 1
    mask = y > 0
    b = y[mask, None]  # breaks: GB0036
    y = y + 1
    c = torch.masked_select(y, y > 0)  # breaks: GB0036
    y = y + 1
    d = y.masked_select(y > 0)  # breaks: GB0036
    return y, a, b, c, d
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y[y > 1] = 0
    y[y > 3] = y.sum()
    return torch.where(y > 0, y, 0.0).masked_fill(y < -1, 2.0)
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return x[x > 1].sum() + x[x > 0].mean()
""",
            """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return torch.where(x > 1, x, 0).sum() + (torch.where(x > 0, x, 0).sum() / (x > 0).sum())
""",
            calls=("(torch.randn(2, 3), None)", "(torch.randn(4, dtype=torch.float64, requires_grad=True), None)"),
            safe=False,
        ),
    )
