"""More examples of GBL646, traced-autograd."""

from __future__ import annotations

from gblint.rules.examples import Example

_HEAD = """\
import torch
import torch._dynamo

torch._dynamo.config.trace_autograd_ops = True


"""

_WITH_GRADIENT = "(torch.randn(4, requires_grad=True),)"

BREAKS = (
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
