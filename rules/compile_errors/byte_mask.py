"""A mask of dtype `uint8` raises under `torch.compile`, where eager PyTorch only warns.

A `uint8` index and `torch.where` with a `uint8` condition are deprecated, but eager PyTorch still treats the numbers as
booleans. The fake implementations do not: the call of the compiled function raises `TorchRuntimeError`.

**Instead** make the mask boolean: `mask.bool()`, or remove the `.byte()`. A boolean index breaks the graph too
(GBL302); `torch.where(mask.bool(), a, b)` does not.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class ByteMask(Rule):
    """GBL823."""

    code = "GBL823"
    name = "byte-mask"
    summary = "a mask of dtype `uint8`"
    gb_ids = ("GB4315",)
    category = Category.COMPILE_ERROR
    on = (On("compile-error", ("byte-mask",)),)
    message_template = "Dynamo raises an error for a `uint8` mask: `{expression}`"
    help_template = "use a boolean mask"
    recipes = ("equivalents.use_bool_mask",)
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    mask = (x > 0).byte()
    return x[mask]  # breaks: GB4315
""",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    mask = (x > 0).byte()
    return torch.where(mask.bool(), x, -x) * mask
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    mask = (x > 0).to(torch.uint8)
    return torch.where(mask, x, -x) * 2
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    mask = (x > 0).to(torch.uint8)
    return torch.where(mask.bool(), x, -x) * 2
""",
        ),
    )
