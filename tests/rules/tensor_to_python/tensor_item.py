"""More examples of GBL101, tensor-item."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch
from torch.optim.lbfgs import _strong_wolfe


def f(x: torch.Tensor) -> torch.Tensor:
    def loss(x: torch.Tensor, t: float, d: torch.Tensor) -> tuple[float, torch.Tensor]:
        value = x + t * d
        return value.square().sum().item(), value  # breaks: GB0124

    y = x + 1
    found = _strong_wolfe(loss, y, 1.0, -y, 4.0, y, -y.dot(y))
    return found[1] * 2
""",
        "(torch.ones(3),)",
    ),
    Example(
        """\
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, x: torch.Tensor) -> torch.Tensor:
        return x * x.sum().item()  # breaks: GB0124

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, grad: torch.Tensor) -> torch.Tensor:
        print("Dynamo does not come here after the break above")
        return grad * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Scaled.apply(x)
""",
        inputs="(torch.ones(4, requires_grad=True),)",
    ),
    Example(
        """\
import sys

import torch


def f(x):
    name = type(x).__module__.split(".")[0]
    if name == "torch" and isinstance(x, sys.modules[name].Tensor):
        return x * x.sum().item()  # breaks: GB0124
    if name == "numpy":
        print("an array")
    return x
""",
        "(torch.randn(3),)",
    ),
    Example(
        """\
import torch


class Scale:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, x: torch.Tensor) -> float:
        return self.factor * x.max().item()  # breaks: GB0124


def f(x: torch.Tensor) -> torch.Tensor:
    return x * f.scale(x)


f.scale = Scale(2.0)
""",
        "(torch.randn(3, 4),)",
    ),
    Example(
        """\
import torch


class Settings(dict):
    def __init__(self, given: dict) -> None:
        for name, value in given.items():
            self[name] = value


class Frozen(Settings):
    def __setitem__(self, name: str, value: object) -> None:
        super().__setitem__(name, value)

    def get(self, name: str, default: object = None) -> object:
        return super().get(name, default)


def f(x: torch.Tensor, given: dict) -> torch.Tensor:
    y = x + 1
    if Settings(given).get("scale") is not None:
        y = y / y.max().item()  # breaks: GB0124
    if Frozen(given).get("scale") is not None:
        y = y / y.min().item()  # breaks: GB0124
    return y
""",
        inputs='(torch.ones(3), {"scale": 1})',
    ),
    Example(
        """\
import torch


class Lenient(type):
    def __instancecheck__(cls, other: object) -> bool:
        return True


class Anything(metaclass=Lenient):
    pass


class Box:
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    box = Box()
    if isinstance(box, Anything):
        y = y * y.sum().item()  # breaks: GB0124
    return y
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.linear(x)
        peak = y.abs().amax()
        return y * peak.item()  # breaks: GB0124
"""
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with torch.no_grad():
        scale = y.detach().cpu().max().item()  # breaks: GB0124
    return y / scale
""",
    ),
    Example(
        """\
import contextlib
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def scale(x: torch.Tensor) -> Iterator[torch.Tensor]:
    yield x.sum()


def f(x: torch.Tensor) -> torch.Tensor:
    with contextlib.ExitStack() as stack:
        total = stack.enter_context(scale(x))
        x = x + total.item()  # breaks: GB0124
    return x
""",
    ),
    Example(
        """\
import torch


class Schedule:
    def __init__(self) -> None:
        self.sigmas = None

    def set_timesteps(self, count: int) -> None:
        self.sigmas = torch.linspace(1.0, 0.0, count)

    def step(self, x: torch.Tensor, index: int) -> torch.Tensor:
        if self.sigmas is None:
            raise ValueError("call set_timesteps first")
        return x * self.sigmas[index].item()  # breaks: GB0124


schedule = Schedule()
schedule.set_timesteps(5)


def f(x: torch.Tensor, index: int) -> torch.Tensor:
    return schedule.step(x + 1, index)
""",
        inputs="(torch.randn(4), 1)",
    ),
)
CLEAN = (
    Example(
        """\
import torch

if hasattr(torch.Tensor, "untyped_storage"):

    def total(x: torch.Tensor) -> torch.Tensor:
        return x.sum()

else:

    def total(x: torch.Tensor) -> float:
        return x.sum().item()


def f(x: torch.Tensor) -> torch.Tensor:
    return total(x) + 1 if hasattr(torch.Tensor, "shape") else x.max().item()
""",
    ),
    Example(
        """\
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, x: torch.Tensor) -> torch.Tensor:
        return x * x.sum()

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, grad: torch.Tensor) -> torch.Tensor:
        return grad * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Scaled.apply(x)
""",
        inputs="(torch.ones(4, requires_grad=True),)",
    ),
    Example(
        """\
import torch


class Scale:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return self.factor * x.max()


def f(x: torch.Tensor) -> torch.Tensor:
    return x * f.scale(x)


f.scale = Scale(2.0)
""",
        "(torch.randn(3, 4),)",
    ),
    Example(
        """\
import sys

import torch


def f(x):
    name = type(x).__module__.split(".")[0]
    if name == "numpy":
        print(x.sum().item())
    if isinstance(x, sys.modules["torch"].Tensor):
        return x * 2
    raise ValueError(name)
""",
        "(torch.randn(3),)",
    ),
    Example(
        """\
import contextlib
from collections.abc import Iterator

import torch
import torch._dynamo


@contextlib.contextmanager
def captured() -> Iterator[None]:
    old = torch._dynamo.config.capture_scalar_outputs
    torch._dynamo.config.capture_scalar_outputs = True
    try:
        yield
    finally:
        torch._dynamo.config.capture_scalar_outputs = old


@torch.compile
def shifted(x: torch.Tensor) -> torch.Tensor:
    return x + x.sum().item()


def f(x: torch.Tensor) -> torch.Tensor:
    with captured():
        return shifted(x)
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        if "Quantized" in str(type(self)):
            y = y * y.max().item()
        return y
"""
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x / x.max()
"""
    ),
    Example(
        """\
import torch


class Box:
    def item(self) -> int:
        return 3


def f(x: torch.Tensor) -> torch.Tensor:
    return x * Box().item()
"""
    ),
    Example(
        """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor) -> torch.Tensor:
    return x * x.max().item()
"""
    ),
    Example(
        """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:
    return x * x.max().item()
"""
    ),
    Example(
        """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor) -> torch.Tensor:
    scale = x.max().item()
    return x / scale
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x / x.max()
""",
    ),
    Example(
        """\
import torch
from torch._dynamo.decorators import leaf_function


@leaf_function
def scaled(x: torch.Tensor) -> tuple[torch.Tensor]:
    return (x / x.max().item(),)


@scaled.register_fake
def _(x: torch.Tensor) -> tuple[torch.Tensor]:
    return (torch.empty_like(x),)


def f(x: torch.Tensor) -> torch.Tensor:
    (y,) = scaled(x + 1)
    return y * 2
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch


def f(x: torch.Tensor, steps: int = 3) -> torch.Tensor:
    total = torch.linspace(0, 1, steps=steps).square().sum().item()
    return x / total
""",
        """\
import torch


@torch.compiler.assume_constant_result
def _item(steps):
    return torch.linspace(0, 1, steps=steps).square().sum().item()


def f(x: torch.Tensor, steps: int = 3) -> torch.Tensor:
    total = _item(steps)
    return x / total
""",
        calls=("(torch.randn(4),)", "(torch.randn(4, requires_grad=True), 5)"),
        safe=False,
    ),
    FixExample(
        """\
import logging

import torch

logger = logging.getLogger(__name__)


def f(x: torch.Tensor) -> torch.Tensor:
    largest = x.abs().max().item()
    if not torch.compiler.is_compiling():
        logger.info("up to %s", largest)
    return x * 2 / largest
""",
        """\
import logging

import torch

logger = logging.getLogger(__name__)


def f(x: torch.Tensor) -> torch.Tensor:
    largest = x.abs().max().detach()
    if not torch.compiler.is_compiling():
        logger.info("up to %s", largest.item())
    return x * 2 / largest
""",
        calls=("(torch.ones(4),)", "(torch.randn(5, requires_grad=True),)"),
        safe=False,
        choice="tensor-instead-of-number",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.reshape(-1).float()
    scale = y.abs().max().item()  # the largest
    y = y / scale
    return y * -y.mean().item() + (y > y.min().item())
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.reshape(-1).float()
    scale = y.abs().max().detach()  # the largest
    y = y / scale
    return y * -y.mean().detach() + (y > y.min())
""",
        calls=("(torch.ones(4),)", "(torch.randn(5, requires_grad=True),)", "(torch.arange(4),)"),
        choice="tensor-instead-of-number",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    n = counts.sum().item()
    return x * (1 - n)
""",
        """\
import torch


def f(x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    n = counts.sum().detach()
    return x * (1 - n)
""",
        calls=("(torch.ones(4), torch.tensor([1, 2]))",),
        safe=False,
        choice="tensor-instead-of-number",
    ),
    FixExample(
        """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    low = max(torch.min(x).item(), 1e-3)
    y = torch.clamp(x * 2, min=low)
    peak = x.max().item()
    y = y / math.sqrt(peak)
    return y.masked_fill(y > 1, -x.mean().item()) + torch.where(x > 1, x.min().item(), x)
""",
        """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    low = max(torch.min(x).detach(), 1e-3)
    y = torch.clamp(x * 2, min=low)
    peak = x.max().detach()
    y = y / torch.sqrt(peak)
    return y.masked_fill(y > 1, -x.mean().detach()) + torch.where(
        x > 1, x.min().detach(), x
    )
""",
        calls=(
            "(torch.rand(4) + 1,)",
            "((torch.rand(4) + 1).requires_grad_(),)",
        ),
        safe=False,
        choice="tensor-instead-of-number",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    total = 0.0
    for row in x.view(2, 2):
        total += row.sum().item()
    return x / total
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    total = 0.0
    for row in x.view(2, 2):
        total += row.sum().detach()
    return x / total
""",
        calls=(
            "(torch.rand(4) + 1,)",
            "((torch.rand(4) + 1).requires_grad_(),)",
        ),
        safe=False,
        choice="tensor-instead-of-number",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x + x[x.argmax().item()]
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x + x[x.argmax().reshape(1)][0]
""",
        calls=(
            "(torch.rand(4),)",
            "(torch.rand(2, requires_grad=True),)",
        ),
        safe=False,
        choice="index-with-tensor",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.float()
    a = torch.tensor(y.sum().item())
    b = torch.tensor([y.min().item(), y.max().item()])
    c = torch.tensor(x.argmax().item())
    d = torch.tensor(y.mean().item(), dtype=torch.float64)
    return a * b.sum() * c * d
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.float()
    a = y.sum().detach().clone()
    b = torch.stack([y.min().detach(), y.max().detach()])
    c = x.argmax().to(dtype=torch.int64, copy=True)
    d = y.mean().detach().to(dtype=torch.float64, copy=True)
    return a * b.sum() * c * d
""",
        calls=(
            "(torch.rand(4),)",
            "(torch.rand(2, requires_grad=True),)",
        ),
        safe=False,
        choice="keep-tensor",
    ),
    FixExample(
        """\
import torch


def f(lengths: torch.Tensor, n: int) -> torch.Tensor:
    lengths = lengths.long()
    assert lengths.max().item() <= n
    return lengths * 2
""",
        """\
import torch


def f(lengths: torch.Tensor, n: int) -> torch.Tensor:
    lengths = lengths.long()
    assert lengths.max() <= n
    return lengths * 2
""",
        calls=(
            "(torch.tensor([1, 2]), 2)",
            "(torch.tensor([1, 2]), 1)",
        ),
        choice="split-assert",
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, n: int) -> torch.Tensor:
    if x.sum().item() < n:
        raise ValueError(f"too little: {x}")
    return x * 2
""",
        """\
import torch


def f(x: torch.Tensor, n: int) -> torch.Tensor:
    if torch.compiler.is_compiling():
        torch._assert_async(~(x.sum() < n), "too little: ...")
    elif x.sum().item() < n:
        raise ValueError(f"too little: {x}")
    return x * 2
""",
        calls=(
            "(torch.ones(4), 3)",
            "(torch.ones(4), 5)",
        ),
        choice="assert-in-graph",
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.sum().item() > 0.1:
        x = x * 2
    return x + 1
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x = torch.where(x.sum() > 0.1, x * 2, x)
    return x + 1
""",
        calls=(
            "(torch.ones(4),)",
            "(-torch.ones(4),)",
        ),
        safe=False,
        choice="where-instead-of-if",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x if (x > 0).any().item() else -x
    return y + 1
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.where((x > 0).any(), x, -x)
    return y + 1
""",
        calls=(
            "(torch.ones(4),)",
            "(-torch.ones(4),)",
        ),
        safe=False,
        choice="where-instead-of-ternary",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.sum().item() > 0.5:
        return x + 1
    return x * 2
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x.sum() > 0.5, x + 1, x * 2)
""",
        calls=(
            "(torch.ones(4),)",
            "(-torch.ones(4),)",
        ),
        safe=False,
        choice="where-instead-of-return",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    n = x.argmax().item()
    return x[:n] + 1
""",
        """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor) -> torch.Tensor:
    n = x.argmax().item()
    return x[:n] + 1
""",
        calls=("(torch.randn(4),)",),
        safe=False,
        choice="capture-scalar-outputs",
    ),
)
