"""The output shape of some operators depends on the data: `bincount`, `combinations`, `linalg.lstsq`, `F.ctc_loss`, ...

By default Dynamo ends the graph at an operator whose output shape depends on the data, runs it, and continues in a new
graph. With `torch._dynamo.config.capture_dynamic_output_shape_ops = True`, and under `fullgraph=True`, it stays in the
graph with an unbacked size, and only code that branches on that size breaks. `torch.linalg.lstsq` and `F.ctc_loss`
break even then.

**Instead** use an operator with a fixed shape: `torch.zeros(n).scatter_add_(0, x, ones)` for `bincount`,
`torch.linalg.solve` or `torch.linalg.pinv` for a square or full-rank least-squares problem.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
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
    recipes = ("counts.count_into_zeros",)
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
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor, n: int = 3) -> torch.Tensor:
    load = torch.bincount(x.view(-1), minlength=n)
    return load / load.sum()
""",
            """\
import torch


def f(x: torch.Tensor, n: int = 3) -> torch.Tensor:
    load = torch.zeros(n, dtype=torch.int64, device=x.device).scatter_add_(
        0, x.view(-1).long(), torch.ones_like(x.view(-1), dtype=torch.int64)
    )
    return load / load.sum()
""",
            calls=(
                "(torch.tensor([[1, 2], [2, 0]]),)",
                "(torch.tensor([1, 1], dtype=torch.uint8), 2)",
                "(torch.tensor([3], dtype=torch.int32), 256)",
                "(torch.zeros(0, dtype=torch.int64),)",
            ),
            safe=False,
        ),
        FixExample(
            """\
import torch


def f(x: torch.Tensor, y: torch.Tensor, n: int = 3) -> torch.Tensor:
    x, y = x.flatten(), y.flatten()
    valid = (y >= 0) & (y < n)
    x = x[valid]
    y = y[valid]
    places = n * y + x
    found = torch.bincount(places, minlength=n**2).reshape(n, n)
    return found + torch.bincount(x, minlength=3)
""",
            """\
import torch


def f(x: torch.Tensor, y: torch.Tensor, n: int = 3) -> torch.Tensor:
    x, y = x.flatten(), y.flatten()
    valid = (y >= 0) & (y < n)
    x = torch.where(valid, x, 0)
    y = torch.where(valid, y, 0)
    places = n * y + x
    found = torch.zeros(n**2, dtype=torch.int64, device=valid.device).scatter_add_(
        0, places.long(), valid.long()
    ).reshape(n, n)
    return found + torch.zeros(3, dtype=torch.int64, device=valid.device).scatter_add_(
        0, x.long(), valid.long()
    )
""",
            calls=(
                "(torch.tensor([[1, 2], [2, 0]]), torch.tensor([[1, 3], [2, -1]]))",
                "(torch.tensor([1, 1], dtype=torch.uint8), torch.tensor([0, 2], dtype=torch.uint8))",
                "(torch.tensor([7, 1]), torch.tensor([9, 2]))",
                "(torch.zeros(0, dtype=torch.int64), torch.zeros(0, dtype=torch.int64))",
            ),
            safe=False,
        ),
    )
