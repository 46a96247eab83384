"""The builtin `format` raises on a tensor inside a compiled region.

`str.format` and f-strings keep a tensor until the text is read. The builtin function needs a constant, and Dynamo fails
with an internal error instead of breaking the graph.

**Instead** write the f-string `f"{x:.2f}"`, and print it outside of the region; `torch._higher_order_ops.print` prints
from inside.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class FormatOfTensor(Rule):
    """GBL825."""

    code = "GBL825"
    name = "format-of-tensor"
    summary = "`format(tensor)`"
    category = Category.COMPILE_ERROR
    on = (On("compile-error", ("builtins.format",)),)
    message_template = "`{expression}` formats a tensor with the builtin, and Dynamo raises an error"
    help_template = "use an f-string, or format outside of the region"
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    text = format(x.mean(), ".3f")  # breaks
    return x + 1
""",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    text = f"{x.mean():.3f} of {format(x.shape[0], '04d')} and {format(0.5, '.3f')}"
    return x + 1
""",
        ),
    )
