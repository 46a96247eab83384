"""`torch.compile(f, ...)` inside a compiled region is `f`: its options have no effect.

Dynamo traces into the call, and traces `f` as a part of the region around it. `fullgraph=True` raises no error there,
and `mode`, `dynamic` and `backend` are those of the region. (As a decorator with options inside a region it breaks.)

**Instead** set the options where the region begins, or compile the function once, outside of any region.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class CompileInRegion(Rule):
    """GBL910."""

    code = "GBL910"
    name = "compile-in-region"
    summary = "options of a `torch.compile` inside a region"
    category = Category.CONFIG
    on = (On("config", ("compile-inside",)),)
    message_template = "the options of this `torch.compile` have no effect: it is inside a compiled region"
    help_template = "compile the function outside of the region"
    ADVISES = (
        Example(
            """\
import torch


def double(x: torch.Tensor) -> torch.Tensor:
    print("double")  # breaks: GB0059
    return x * 2


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return torch.compile(double, fullgraph=True)(x) + 1  # advises
""",
            instead="""\
import torch


@torch.compile(fullgraph=True)
def double(x: torch.Tensor) -> torch.Tensor:
    print("double")
    return x * 2


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return double(x) + 1
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return torch.compile(double)(x) + 1
""",
        ),
    )
