"""One setting would remove several graph breaks.

`torch._dynamo.config.capture_scalar_outputs = True` keeps `.item()`, `int(t)`, `float(t)`, `.tolist()` of integers,
slices up to a tensor and tensors as sizes in the graph, as unbacked scalars; `capture_dynamic_output_shape_ops = True`
does the same for `nonzero`, boolean masks, `unique` and similar operators. Code that branches on such a number or size
still breaks, and `fullgraph=True` sets both.

**Instead** set it before the first compiled call, or for single calls with `torch._dynamo.config.patch(...)`. If there
are few places, rewrite them.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Severity
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class CaptureNotSet(Rule):
    """GBL901."""

    code = "GBL901"
    name = "capture-not-set"
    summary = "breaks that a setting would remove"
    category = Category.CONFIG
    on = (
        On(
            "config",
            (
                "capture_scalar_outputs",
                "capture_dynamic_output_shape_ops",
            ),
        ),
    )
    message_template = "`torch._dynamo.config.{subject} = True` would remove {operand} of the graph breaks"
    help_template = "set it before the first compiled call, if no branch depends on these numbers"
    severity = Severity.INFO
    ADVISES = (
        Example(
            """\
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:  # advises
    x = x / x.max().item()  # breaks: GB0124
    x = x * float(x.sum())  # breaks: GB0124
    return x + int(x.mean())  # breaks: GB0124
""",
            instead="""\
import torch

torch._dynamo.config.capture_scalar_outputs = True


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    x = x / x.max().item()
    x = x * float(x.sum())
    return x + int(x.mean())
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:
    x = x / x.max().item()
    x = x * float(x.sum())
    return x + int(x.mean())
""",
        ),
    )
