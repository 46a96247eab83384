"""More examples of GBL604, parameter-in-region."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch
from torch import nn


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    weight = nn.Parameter(torch.ones(4))  # breaks: GB0264
    return y * weight
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        linear = nn.Linear(4, 4)  # breaks: GB0264
        return linear(x)
""",
    ),
    Example(
        """\
import torch
from torch import nn


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    weight = nn.Parameter()  # breaks: GB0226
    return y + weight.sum()
""",
    ),
    Example(
        """\
import torch
from torch import nn


def frozen(weight: torch.Tensor, flag: torch.Tensor) -> torch.Tensor:
    try:
        return nn.Parameter(weight, requires_grad=flag)  # breaks: GB0237
    except TypeError:
        return weight


def f(x: torch.Tensor, flag: torch.Tensor) -> torch.Tensor:
    return frozen(x, flag) + 1
""",
        "(torch.randn(4), torch.tensor(True))",
    ),
    Example(
        """\
import torch
import torch._dynamo
from torch import nn

torch._dynamo.config.graph_break_on_nn_param_ctor = False


class Labelled(torch.Tensor):
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    y = (x + 1).as_subclass(Labelled)
    weight = nn.Parameter(y)  # breaks: GB0227
    return x + 1
""",
    ),
    Example(
        """\
import torch
import torch._dynamo
from torch import nn

torch._dynamo.config.graph_break_on_nn_param_ctor = False


@torch.compile(dynamic=True)
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    weight = nn.Parameter(torch.ones(x.shape[0]))  # breaks: GB0235
    return y + weight
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.to(x.device)
    return torch.nn.Parameter(y) + 1  # breaks: GB0264
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x * self.weight
""",
    ),
    Example(
        """\
import torch
from torch import nn


def f(x: torch.Tensor) -> torch.Tensor:
    return nn.Parameter(x, requires_grad=False) + nn.Buffer(x)
""",
    ),
    Example(
        """\
import torch
import torch._dynamo
from torch import nn

torch._dynamo.config.graph_break_on_nn_param_ctor = False


def f(x: torch.Tensor) -> torch.Tensor:
    return x * nn.Parameter(torch.ones(4))
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.ones(4)))
        self.register_parameter("bias", None)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x * self.weight
        return x if self.bias is None else x + self.bias
""",
    ),
)
