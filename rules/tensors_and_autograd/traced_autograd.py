"""`backward()` or `torch.autograd.grad` that Dynamo may trace, and cannot.

With `torch._dynamo.config.trace_autograd_ops = True` both become part of the graph, as long as all of autograd's graph
lies in the region. They break where a tensor was computed from parameters outside of it, where `inputs` are no
tensors (a generator such as `self.parameters()`, a set, a `GradientEdge`, a dictionary with objects as keys), where
`backward(inputs=...)` names a tensor that is no leaf or was made in the region, and where what the gradient uses up is
returned: a `loss` that comes back with its history could be differentiated a second time.

**Instead** return `loss.detach()`; give a list, `list(self.parameters())`; detach what comes from outside, or compute
it inside; keep the graph with `retain_graph=True` where gradients are taken twice; or use `torch.func.grad`.
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
        Example(
            _HEAD
            + """\
FEATURES = torch.randn(4, requires_grad=True) * 2


def f(weight: torch.Tensor) -> torch.Tensor:
    loss = (FEATURES * weight).sum()
    (gradient,) = torch.autograd.grad(loss, weight)  # breaks: GB0372
    return gradient
""",
            _WITH_GRADIENT,
        ),
        Example(
            _HEAD
            + """\
def twice(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 0:
        raise RuntimeError("a vector is wanted")
    y = x * x
    (first,) = torch.autograd.grad(y.sum(), x)  # breaks: GB4927
    (second,) = torch.autograd.grad((y * 2).sum(), x)  # breaks: GB0372, GB1381
    return first + second


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        return twice(x)
    except RuntimeError:
        return x
""",
            _WITH_GRADIENT,
        ),
        Example(
            """\
import torch
import torch._dynamo
from torch import nn

torch._dynamo.config.trace_autograd_ops = True


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        loss = self.linear(x).sum()
        gradients = torch.autograd.grad(loss, self.parameters())  # breaks: GB6663
        return gradients[0]
""",
        ),
        Example(
            _HEAD
            + """\
class Key:
    pass


KEY = Key()


def f(x: torch.Tensor) -> torch.Tensor:
    loss = (x * x).sum()
    gradients = torch.autograd.grad(loss, {KEY: x})  # breaks: GB1724
    return gradients[KEY]
""",
            _WITH_GRADIENT,
        ),
        Example(
            _HEAD
            + """\
EDGE = torch.autograd.graph.get_gradient_edge(torch.ones(4, requires_grad=True) * 2)


def f(x: torch.Tensor) -> torch.Tensor:
    loss = (x * x).sum()
    (gradient,) = torch.autograd.grad(loss, EDGE, allow_unused=True)  # breaks: GB5748
    return loss
""",
            _WITH_GRADIENT,
        ),
        Example(
            _HEAD
            + """\
def f(x: torch.Tensor) -> torch.Tensor:
    hidden = x * 2
    loss = (hidden * hidden).sum()
    loss.backward(inputs=[hidden])  # breaks: GB7054
    return loss.detach()
""",
            _WITH_GRADIENT,
        ),
        Example(
            """\
import torch
import torch._dynamo
from torch import nn

torch._dynamo.config.trace_autograd_ops = True
torch._dynamo.config.graph_break_on_nn_param_ctor = False


def f(x: torch.Tensor) -> torch.Tensor:
    weight = nn.Parameter(torch.ones(4))
    loss = (x * weight).sum()
    loss.backward(inputs=[weight])  # breaks: GB1042
    return loss.detach()
""",
            _WITH_GRADIENT,
        ),
        Example(
            _HEAD
            + """\
def f(x: torch.Tensor) -> torch.Tensor:
    loss = (x * 2).sum()
    try:
        loss.backward(inputs=[])  # breaks: GB0442
    except RuntimeError:
        return x
    return x + 1
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
        Example(
            _HEAD
            + """\
FEATURES = (torch.randn(4, requires_grad=True) * 2).detach()


def f(weight: torch.Tensor) -> torch.Tensor:
    loss = (FEATURES * weight).sum()
    (gradient,) = torch.autograd.grad(loss, weight)
    return gradient * loss.shape.numel()
""",
            _WITH_GRADIENT,
        ),
        Example(
            _HEAD
            + """\
def f(x: torch.Tensor) -> torch.Tensor:
    y = x * x
    (first,) = torch.autograd.grad(y.sum(), x, retain_graph=True)
    (second,) = torch.autograd.grad((y * 2).sum(), x)
    return first + second
""",
            _WITH_GRADIENT,
        ),
        Example(
            """\
import torch
import torch._dynamo
from torch import nn

torch._dynamo.config.trace_autograd_ops = True


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        loss = self.linear(x).sum()
        gradients = torch.autograd.grad(loss, list(self.parameters()))
        return gradients[0]
""",
        ),
        Example(
            _HEAD
            + """\
def f(x: torch.Tensor) -> torch.Tensor:
    loss = (x * x).sum()
    gradients = torch.autograd.grad(loss, {"x": x})
    return gradients["x"]
""",
            _WITH_GRADIENT,
        ),
        Example(
            _HEAD
            + """\
def f(x: torch.Tensor) -> torch.Tensor:
    loss = (x * x).sum()
    (gradient,) = torch.autograd.grad(loss, x, create_graph=True)
    return loss + (gradient * gradient).sum()
""",
            _WITH_GRADIENT,
        ),
        Example(
            _HEAD
            + """\
def f(x: torch.Tensor) -> torch.Tensor:
    loss = (x * 2).sum()
    loss.backward(inputs=[x])
    return loss.detach()
""",
            _WITH_GRADIENT,
        ),
        Example(
            _HEAD
            + """\
def f(x: torch.Tensor) -> torch.Tensor:
    loss = (x * x).sum()
    other = x * 3
    (gradient,) = torch.autograd.grad(loss, x)
    return other + gradient
""",
            _WITH_GRADIENT,
        ),
        Example(
            _HEAD
            + """\
def f(x: torch.Tensor) -> torch.Tensor:
    point = x + 1
    point.requires_grad_()
    (gradient,) = torch.autograd.grad((point * point).sum(), point)
    return gradient
""",
        ),
    )
