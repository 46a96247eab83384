"""More examples of GBL622, higher-order-side-effect."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch
from torch.utils.checkpoint import checkpoint


class Box:
    def __init__(self) -> None:
        self.seen: list[int] = []


def body(x: torch.Tensor, box: Box) -> torch.Tensor:
    box.seen.append(1)  # breaks: GB0067
    return x.sin() * len(box.seen)


def f(x: torch.Tensor) -> torch.Tensor:
    box = Box()
    y = checkpoint(body, x, box, use_reentrant=False)
    return y + 1
""",
    ),
    Example(
        """\
import torch


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, x: torch.Tensor) -> torch.Tensor:
        ctx.seen = {}
        return x * 2

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, grad: torch.Tensor) -> torch.Tensor:
        ctx.seen["grad"] = grad  # breaks: GB0067
        return grad * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Twice.apply(x)
""",
        inputs="(torch.ones(4, requires_grad=True),)",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.map import map as map_rows


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.seen = torch.nn.Buffer(torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        def body(row: torch.Tensor) -> torch.Tensor:
            self.seen += 1  # breaks: GB0067
            return row * 2

        return map_rows(body, torch.stack([x, x]))
""",
        raises=True,
    ),
    Example(
        """\
import torch


def up(x: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, up, lambda x: x - 1, (x,))  # breaks: GB0041
""",
        raises=True,
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.scan import scan


def step(carry: torch.Tensor, row: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    carry += row
    return carry * 1, row * 2


def f(x: torch.Tensor) -> object:
    return scan(step, torch.zeros(4), torch.stack([x, x]))  # breaks: GB0041
""",
        raises=True,
    ),
    Example(
        """\
import torch
from torch.utils.checkpoint import checkpoint


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def body(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return x + 1

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.body, x, use_reentrant=False)  # breaks: GB4413
""",
    ),
    Example(
        """\
import torch
from torch.utils.checkpoint import checkpoint


def f(x: torch.Tensor) -> torch.Tensor:
    steps = 0

    def body(x: torch.Tensor) -> torch.Tensor:
        nonlocal steps
        steps += 1  # breaks: GB0067
        return x + 1

    return checkpoint(body, x, use_reentrant=False)
""",
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.last = torch.zeros(4)

    def up(self, x: torch.Tensor) -> torch.Tensor:
        self.last = x + 1  # breaks: GB0067
        return x + 1

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, self.up, lambda x: x - 1, (x,))
""",
        raises=True,
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        def up(x: torch.Tensor) -> torch.Tensor:
            self.count.add_(1)
            return x + 1

        return torch.cond(x.sum() > 0, up, lambda x: x - 1, (x,))  # breaks: GB0041
""",
        raises=True,
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, x: torch.Tensor) -> torch.Tensor:
        ctx.seen = {}
        return x * 2

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, grad: torch.Tensor) -> torch.Tensor:
        seen = {**ctx.seen, "grad": grad}
        return seen["grad"] * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Twice.apply(x)
""",
        inputs="(torch.ones(4, requires_grad=True),)",
    ),
    Example(
        """\
import torch
from torch.utils.checkpoint import checkpoint


class Box:
    def __init__(self) -> None:
        self.seen: list[int] = []


def body(x: torch.Tensor) -> torch.Tensor:
    box = Box()
    box.seen.append(1)
    return x.sin() * len(box.seen)


def f(x: torch.Tensor) -> torch.Tensor:
    y = checkpoint(body, x, use_reentrant=False)
    return y + 1
""",
    ),
    Example(
        """\
import torch


def up(x: torch.Tensor) -> torch.Tensor:
    x = x + 1
    x.mul_(2)
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, up, lambda x: x - 1, (x,))
""",
    ),
    Example(
        """\
import torch
from torch.utils.checkpoint import checkpoint


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.calls = 0

    def body(self, x: torch.Tensor, scale: int) -> torch.Tensor:
        hidden = {"x": self.layer(x)}
        hidden["x"] = hidden["x"].mul_(scale)
        return hidden["x"] + 1

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return checkpoint(self.body, x, 2, use_reentrant=False)
""",
    ),
    Example(
        """\
import torch
from torch.utils.checkpoint import checkpoint


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.fast = True

    def body(self, x: torch.Tensor) -> torch.Tensor:
        self.fast = False
        y = self.layer(x)
        self.fast = True
        return y

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.body, x, use_reentrant=False)
""",
    ),
    Example(
        """\
import torch

calls = []


@torch.compiler.nested_compile_region
def block(x: torch.Tensor) -> torch.Tensor:
    x.mul_(2)
    return torch.sin(x) + 1


def f(x: torch.Tensor) -> torch.Tensor:
    return block(block(x + 1))
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.scan import scan


def step(carry: torch.Tensor, row: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    new = carry.clone()
    new += row
    return new, row * 2


def f(x: torch.Tensor) -> object:
    return scan(step, torch.zeros(4), torch.stack([x, x]))
""",
    ),
    Example(
        """\
import torch


class Counter:
    def __init__(self) -> None:
        self.steps = []
        self.total = 0

    def add(self, n: int) -> None:
        self.steps.append(n)
        self.total += n


def up(x: torch.Tensor) -> torch.Tensor:
    counter = Counter()
    counter.add(2)
    counter.add(3)
    return x * counter.total


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, up, lambda x: x - 1, (x,))
""",
    ),
    Example(
        """\
import torch
from torch.utils.checkpoint import checkpoint


def body(x: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return torch.sin(x)


def f(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(body, x * 2, use_reentrant=False)
""",
    ),
    Example(
        """\
import torch
from torch.utils.checkpoint import checkpoint


def f(x: torch.Tensor) -> torch.Tensor:
    steps = 0

    def body(x: torch.Tensor) -> torch.Tensor:
        count = 0

        def add() -> None:
            nonlocal count
            count += 1

        add()
        return x * (count + steps)

    steps += 1
    return checkpoint(body, x, use_reentrant=False)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    table = {}

    def fill(x: torch.Tensor) -> torch.Tensor:
        table["x"] = x * 2
        return table["x"] + 1

    return torch.vmap(fill)(x)
""",
    ),
    Example(
        """\
import torch
from torch.utils.checkpoint import checkpoint


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(()))

    def body(self, x: torch.Tensor) -> torch.Tensor:
        self.count.add_(1)
        return x + 1

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.body, x, use_reentrant=False)
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.wrap import wrap, wrap_with_set_grad_enabled


def f(x: torch.Tensor) -> torch.Tensor:
    inner = wrap(lambda x, y: wrap(lambda x: x.sin(), x) + y, x, y=x)
    return wrap_with_set_grad_enabled(False, torch.cos, inner)
""",
    ),
)
