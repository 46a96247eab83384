"""A `torch.autograd.Function` that uses something that Dynamo cannot capture.

Dynamo traces `forward` and `backward` of a function that is applied to a tensor that requires a gradient. It gives up
at the call in these cases:

- the class defines `jvp` or `vjp`;
- `forward` or `backward` is not a plain function, but a `functools.partial` or an operator, for example;
- one tensor is passed twice: its two gradients could not be distinguished;
- an argument is keyword-only;
- `forward` marks a tensor as dirty and does not return the same variable, or sets `ctx._materialize_non_diff_grads`.

`ctx.mark_dirty` also breaks where no gradient is recorded, and a helper of the class that is neither a static method
nor a class method cannot be called. A break inside `forward` or `backward`, such as a `print`, breaks the graph too.
The function then runs eagerly, between two graphs.

**Instead** write `forward` and `backward` as static methods over tensors; pass a copy (`y.clone()`) of a tensor that is
needed twice; pass keyword-only options by position. A formula that autograd can differentiate needs no class at all.
For code that cannot be traced use `torch.library.custom_op` with `register_autograd`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule

_HEAD = """\
from typing import Any

import torch


"""
_SCALE = (
    _HEAD
    + """\
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x, y = ctx.saved_tensors
        return gradient * y, gradient * x


"""
)
_WITH_GRADIENT = "(torch.randn(4, requires_grad=True),)"


class AutogradFunction(Rule):
    """GBL640."""

    code = "GBL640"
    name = "autograd-function"
    summary = "a `torch.autograd.Function` that Dynamo cannot capture"
    gb_ids = (
        "GB0144",
        "GB0145",
        "GB0346",
        "GB0085",
        "GB6297",
        "GB4372",
        "GB2464",
        "GB2019",
        "GB0347",
        "GB0140",
        "GB7312",
        "GB0139",
    )
    on = (On("autograd-function"),)
    message_template = "Dynamo cannot capture `{expression}`"
    help_template = "write `forward` and `backward` as static methods over tensors, or use `torch.library.custom_op`"
    wording = (
        ("jvp", "`{expression}` applies a function with a `jvp` of its own", "leave `jvp` out where it is compiled"),
        ("vjp", "`{expression}` applies a function with a `vjp` of its own", "write `backward` instead of `vjp`"),
        ("duplicate", "`{expression}` passes one tensor twice", "pass `.clone()` of it the second time"),
        ("keyword", "`{expression}` passes a keyword-only argument", "pass it by position"),
        (
            "callable",
            "`forward` or `backward` of `{expression}` is not a plain function",
            "write it as a static method",
        ),
        ("class-method", "`forward` of `{expression}` is a class method", "make it a static method"),
        (
            "context",
            "`{expression}` uses the context in a way that Dynamo does not support",
            "only set and read its attributes",
        ),
        ("dirty", "`forward` of `{expression}` marks a tensor as dirty but does not return it", "return it"),
        ("mark_dirty", "`{expression}` cannot be traced where no gradient is recorded", "return a new tensor instead"),
        ("method", "`{expression}` is neither a static method nor a class method", "make it a static method"),
        ("materialize", "`forward` of `{expression}` sets `ctx._materialize_non_diff_grads`", "remove that assignment"),
    )
    escape_hatches = (
        "escape_hatches.move_to_leaf_function",
        "escape_hatches.move_to_nonstrict_trace",
        "escape_hatches.move_to_disabled",
        "escape_hatches.allow_break",
    )
    BREAKS = (
        Example(
            _SCALE
            + """\
class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * Scale.apply(self.weight, self.weight)  # breaks: GB6297
"""
        ),
    )
    CLEAN = (
        Example(
            _SCALE
            + """\
def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    return Scale.apply(y, y.clone())
""",
            _WITH_GRADIENT,
        ),
    )
