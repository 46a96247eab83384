"""A call of `backward()` or `torch.autograd.grad` that Dynamo cannot trace, although `trace_autograd_ops` is set.

With `torch._dynamo.config.trace_autograd_ops = True` both become part of the graph, as long as the whole autograd graph
lies in the region. They break in these cases:

- a tensor was computed from parameters outside of the region;
- `inputs` are not tensors, but a generator such as `self.parameters()`, a set, a `GradientEdge`, or a dictionary with
  objects as keys;
- `backward(inputs=...)` contains a tensor that is not a leaf or was created in the region;
- a tensor whose autograd graph the call frees is returned: a returned `loss` with its history could be differentiated a
  second time.

**Instead** return `loss.detach()`; pass a list, `list(self.parameters())`; detach tensors from outside, or compute them
inside; keep the graph with `retain_graph=True` if gradients are computed twice; or use `torch.func.grad`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule

_HEAD = """\
import torch
import torch._dynamo

torch._dynamo.config.trace_autograd_ops = True


"""
_WITH_GRADIENT = "(torch.randn(4, requires_grad=True),)"


class TracedAutograd(Rule):
    """GBL646."""

    code = "GBL646"
    name = "traced-autograd"
    summary = "`backward()` or `torch.autograd.grad` that cannot be traced with `trace_autograd_ops`"
    gb_ids = ("GB4927", "GB0372", "GB1381", "GB6663", "GB5748", "GB1724", "GB7054", "GB1042", "GB0442")
    on = (On("traced-autograd"),)
    message_template = "`{expression}` cannot be traced"
    help_template = "pass tensors that are leaves of the region, in a list"
    wording = (
        (
            "returned",
            "`{expression}` frees the autograd graph of a tensor that the function returns",
            "return it with `.detach()`",
        ),
        (
            "twice",
            "`{expression}` uses an autograd graph that has been freed",
            "pass `retain_graph=True` to the first call",
        ),
        (
            "outside",
            "`{expression}` goes through tensors that were computed outside the region",
            "detach them, or compute them inside",
        ),
        ("type", "`{expression}` receives something that is not a tensor", "pass a list of tensors"),
        ("no-inputs", "`{expression}` receives no inputs", "list the leaves, or omit `inputs`"),
        ("key", "`{expression}` receives a dictionary whose keys are objects", "use strings as keys"),
    )
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            _HEAD
            + """\
def f(x: torch.Tensor) -> torch.Tensor:
    loss = (x * 2).sum()
    loss.backward()  # breaks: GB4927
    return loss
""",
            _WITH_GRADIENT,
        ),
    )
    CLEAN = (
        Example(
            _HEAD
            + """\
def f(x: torch.Tensor) -> torch.Tensor:
    loss = (x * 2).sum()
    loss.backward()
    return loss.detach()
""",
            _WITH_GRADIENT,
        ),
    )
