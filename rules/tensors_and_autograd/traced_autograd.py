"""A call of `backward()` or `torch.autograd.grad` that Dynamo cannot trace, although `trace_autograd_ops` is set.

With `torch._dynamo.config.trace_autograd_ops = True` both become part of the graph, as long as all of autograd's graph
lies in the region. They break where a tensor was computed from parameters outside of it, where `inputs` are no tensors
(a generator such as `self.parameters()`, a set, a `GradientEdge`, a dictionary with objects as keys), where
`backward(inputs=...)` names a tensor that is no leaf or was made in the region, and where a tensor that the gradient
consumes is returned: a returned `loss` with its history could be differentiated a second time.

**Instead** return `loss.detach()`; give a list, `list(self.parameters())`; detach tensors from outside, or compute it
inside; keep the graph with `retain_graph=True` where gradients are taken twice; or use `torch.func.grad`.
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
    help_template = "give tensors that are leaves of the region, in a list"
    wording = (
        ("returned", "`{expression}` uses up a graph that the function also returns", "return it with `.detach()`"),
        ("twice", "`{expression}` uses a graph that is used up already", "give the first call `retain_graph=True`"),
        (
            "outside",
            "`{expression}` goes through tensors that were computed outside the region",
            "detach them, or compute them inside",
        ),
        ("type", "`{expression}` is given something else than tensors", "give a list of tensors"),
        ("no-inputs", "`{expression}` is given no inputs", "name the leaves, or leave `inputs` out"),
        ("key", "`{expression}` is given a dictionary whose keys are objects", "use strings as keys"),
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
