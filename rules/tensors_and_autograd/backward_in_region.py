"""`loss.backward()`, `torch.autograd.grad` and `torch.autograd.backward` need the autograd graph: tracing builds none.

**Instead** let the compiled function return the loss, and call `backward()` outside; or use `torch.func.grad`, which is
traced. With `torch._dynamo.config.trace_autograd_ops = True` Dynamo traces `backward()` and `torch.autograd.grad` too.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class BackwardInRegion(Rule):
    """GBL603."""

    code = "GBL603"
    name = "backward-in-region"
    summary = "`backward()` and `torch.autograd` calls in the region"
    gb_ids = (
        "GB0123",
        "GB9186",
        "GB0007",
        "GB0165",
        "GB0166",
    )
    on = (
        On("autograd"),
        On("tensor-method", ("backward", "retain_grad")),
        On("call", ("torch.autograd.backward", "torch.autograd.grad")),
    )
    message_template = "`{expression}` runs autograd inside the region"
    help_template = "call it outside the region, or use `torch.func.grad`"
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    loss = (x * 2).sum()
    loss.backward()  # breaks: GB0123
    return loss
""",
            "(torch.randn(4, requires_grad=True),)",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.func.grad(lambda t: (t * t).sum())(x) + torch.func.vmap(lambda t: t * 2)(x)
""",
            "(torch.randn(4, requires_grad=True),)",
        ),
    )
