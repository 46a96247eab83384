"""A function marked `leaf_function` needs a fake implementation.

Its body runs eagerly in the middle of the graph. A second function must give the shapes and dtypes of its results.
Without one Dynamo raises an internal error, with or without `fullgraph=True`.

**Instead** add `@f.register_fake`: same arguments, and tensors of the right shape and dtype. Inductor does not compile
a graph that calls such a function (torch 2.13 to 2.15: `InductorError`); for inductor, make the function a custom
operator with `torch.library.custom_op`.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class LeafFunctionWithoutFake(Rule):
    """GBL827."""

    code = "GBL827"
    name = "leaf-function-without-fake"
    summary = "a `leaf_function` without a fake implementation"
    category = Category.COMPILE_ERROR
    since = "2.11"
    on = (On("compile-error", ("leaf-function",)),)
    message_template = "`{expression}` calls a leaf function that has no fake implementation"
    help_template = "add one with `register_fake`"
    BREAKS = (
        Example(
            """\
import torch
from torch._dynamo.decorators import leaf_function


@leaf_function
def report(x: torch.Tensor) -> tuple[torch.Tensor]:
    print(x.mean())
    return (x + 1,)


def f(x: torch.Tensor) -> torch.Tensor:
    return report(x)[0]  # breaks
""",
            raises=True,
            since="2.11",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
from torch._dynamo.decorators import leaf_function


@leaf_function
def report(x: torch.Tensor) -> tuple[torch.Tensor]:
    print(x.mean())
    return (x + 1,)


@report.register_fake
def _(x: torch.Tensor) -> tuple[torch.Tensor]:
    return (torch.empty_like(x),)


def f(x: torch.Tensor) -> torch.Tensor:
    return report(x)[0]
""",
            since="2.11",
        ),
    )
