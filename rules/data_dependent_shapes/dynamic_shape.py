"""The output shape of some operators depends on the data: `bincount`, `combinations`, `linalg.lstsq`, `F.ctc_loss`, ...

By default Dynamo ends the graph at an operator whose output shape depends on the data, runs it, and continues in a new
graph. With `torch._dynamo.config.capture_dynamic_output_shape_ops = True`, and under `fullgraph=True`, it stays in the
graph with an unbacked size, and only code that branches on that size breaks. `torch.linalg.lstsq` and `F.ctc_loss`
break even then.

**Instead** use an operator with a fixed shape: `torch.zeros(n).scatter_add_(0, x, ones)` for `bincount`,
`torch.linalg.solve` or `torch.linalg.pinv` for a square or full-rank least-squares problem.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class DynamicShape(Rule):
    """GBL306."""

    code = "GBL306"
    name = "dynamic-shape"
    summary = "an operator whose output shape depends on the data"
    gb_ids = ("GB0036", "GB0037")
    on = (
        On("dynamic-shape"),
        On("call", ("torch.linalg.lstsq", "torch.nn.functional.ctc_loss", "torch.ctc_loss", "torch.bincount")),
    )
    message_template = "the shape of `{subject}` depends on the data"
    help_template = (
        "work on the full shape with a mask, or set `torch._dynamo.config.capture_dynamic_output_shape_ops = True`"
    )
    BREAKS = (
        Example(
            """\
import torch
import torch._dynamo

torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    chosen = a[a > 0]
    return torch.linalg.lstsq(a, b).solution + chosen.sum()  # breaks: GB0037
""",
            "(torch.randn(4, 4), torch.randn(4, 2))",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.zeros(8).scatter_add_(0, x, torch.ones(2)) + torch.linalg.matrix_rank(torch.eye(3))
""",
            "(torch.tensor([1, 2]),)",
        ),
    )
