"""`y.grad_fn` of a tensor computed in the region does not exist while Dynamo traces.

Dynamo cannot resume after this break. `x.requires_grad`, `x.is_leaf`, `x.grad` and `grad_fn` of an input are traced.

**Instead**

- read `y.requires_grad` or `y.is_leaf`;
- read `grad_fn` of the result of the compiled function.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import OUTSIDE, On, Rule


class GradFnRead(Rule):
    """GBL609."""

    code = "GBL609"
    name = "grad-fn-read"
    summary = "reading `grad_fn` of a tensor made in the region"
    gb_ids = ("GB0104",)
    on = (On("tensor-attribute"),)
    message_template = "Dynamo does not know `{expression}` while it traces"
    help_template = "use `x.requires_grad`"
    escape_hatches = OUTSIDE
    recipes = ("gradients.test_requires_grad",)
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    if y.grad_fn is not None:  # breaks: GB0104
        return y
    return x
""",
            "(torch.randn(4, requires_grad=True),)",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    if x.grad_fn is None and y.requires_grad and x.is_leaf and x.grad is None:
        return y
    return x
""",
            "(torch.randn(4, requires_grad=True),)",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    if y.grad_fn is not None:
        y = y * 3
    return y
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    if y.requires_grad:
        y = y * 3
    return y
""",
            calls=(
                "(torch.randn(4),)",
                "(torch.randn(4, requires_grad=True),)",
            ),
            safe=False,
        ),
    )
