"""More examples of GBL621, higher-order-output."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch
from torch._higher_order_ops.scan import scan


def step(carry: torch.Tensor, row: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    carry = carry + row
    return carry, carry


def f(x: torch.Tensor) -> object:
    return scan(step, torch.zeros(4), torch.stack([x, x]))  # breaks: GB0040
""",
        raises=True,
    ),
    Example(
        """\
import torch
from torch._higher_order_ops import while_loop


def f(x: torch.Tensor) -> object:
    return while_loop(lambda x: x.float().sum(), lambda x: (x - 1,), (x.abs(),))  # breaks: GB0308
""",
        raises=True,
    ),
    Example(
        """\
import torch
from torch._higher_order_ops import while_loop


def f(x: torch.Tensor) -> object:
    return while_loop(lambda x: True, lambda x: (x - 1,), (x.abs(),))  # breaks: GB0339
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.cond(x.sum() > 0, lambda x: {"up": x + 1}, lambda x: {"down": x - 1}, (x,))  # breaks: GB0313
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.cond(x.sum() > 0, lambda x: 1.0, lambda x: 2.0, (x,))  # breaks: GB0314
""",
        raises=True,
    ),
    Example(
        """\
import torch


def up(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def nothing(x: torch.Tensor) -> None:
    pass


def f(x: torch.Tensor) -> object:
    return torch.cond(x.sum() > 0, up, nothing, (x,))  # breaks: GB0350
""",
        raises=True,
    ),
    Example(
        """\
import torch
import torch._dynamo

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor) -> object:
    positive = x.sum() > 0
    return torch.cond(positive, lambda x: x.sum().int().item(), lambda x: x.max().int().item(), (x,))  # breaks: GB0340
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.cond(x.sum() > 0, lambda x: x.sum() > 1, lambda x: x.float().sum(), (x,))  # breaks: GB4315
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.ops.higher_order.associative_scan(lambda a, b: (), [x], ())  # breaks: GB0318
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.ops.higher_order.associative_scan(lambda a, b: [a + b, a * b], [x], ())  # breaks: GB0319
""",
        raises=True,
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.scan import scan


def f(x: torch.Tensor) -> object:
    return scan(lambda carry, row: carry + row, torch.zeros(4), torch.stack([x, x]))  # breaks: GB0343
""",
        raises=True,
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.map import map as map_over


def f(x: torch.Tensor) -> object:
    return map_over(lambda row: (row + 1, 2), x)  # breaks: GB0301
""",
        raises=True,
    ),
    Example(
        """\
import torch


@torch.compiler.nested_compile_region
def flat(x: torch.Tensor) -> torch.Tensor:
    return x.view(-1)


def f(x: torch.Tensor) -> torch.Tensor:
    return flat(x) + 1  # breaks: GB0040
""",
        raises=True,
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.skip = torch.nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, self.layer, self.skip, (x,))  # breaks: GB0040
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    return torch.cond(x.sum() > 0, lambda: y, lambda: y + 1)  # breaks: GB0040
""",
        raises=True,
    ),
)
CLEAN = (
    Example(
        """\
import torch


def branch(flag: bool, x: torch.Tensor) -> torch.Tensor:
    return torch.cond(flag, lambda x: x, lambda x: -x, (x,))


def f(x: torch.Tensor) -> torch.Tensor:
    total = x + 1
    for flag in (True, False):
        total = branch(flag, total)
    return total * 2
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.scan import scan


def step(carry: torch.Tensor, row: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    carry = carry + row
    return carry, carry.clone()


def f(x: torch.Tensor) -> object:
    return scan(step, torch.zeros(4), torch.stack([x, x]))
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops import while_loop


def f(x: torch.Tensor) -> object:
    return while_loop(lambda x: (x < 10).all(), lambda x: (x + 1,), (x.abs() + 1,))
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.cond(x.sum() > 0, lambda x: {"y": x + 1, "n": 1}, lambda x: {"y": x - 1, "n": 2}, (x,))
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.map import map as map_over


def f(x: torch.Tensor) -> object:
    return map_over(lambda row: (row + 1, row * 2), x)
""",
    ),
    Example(
        """\
import torch


@torch.no_grad()
def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x * 1, (x,))
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.cond(x.sum() > 0, lambda x: (x + 1, x.sum()), lambda x: (x - 1, x.max()), (x,))
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.cond(x.sum() > 0, lambda x: 1, lambda x: 2, (x,))
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops import while_loop


def f(x: torch.Tensor) -> object:
    return while_loop(lambda x, y: (x.sum() < 10) & (y < 8), lambda x, y: (x + 1, y.clone()), (x.abs(), x.max()))
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops import while_loop


def f(x: torch.Tensor) -> object:
    return while_loop(lambda x: False, lambda x: (x + 1,), (x.abs() + 1,))
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.scan import scan


def f(x: torch.Tensor) -> object:
    def step(carry: torch.Tensor, row: torch.Tensor) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        new = torch.maximum(carry, row)
        return new, (new + 1, row * 2)

    return scan(step, x * 0, torch.stack([x, x]))
""",
    ),
    Example(
        """\
import torch


@torch.compiler.nested_compile_region
def flat(x: torch.Tensor) -> torch.Tensor:
    return x.view(-1) * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return flat(x) + flat(x + 1)
""",
    ),
    Example(
        """\
import torch
from torch.utils.checkpoint import checkpoint


def same(x: torch.Tensor, scale: float) -> tuple[torch.Tensor, torch.Tensor, float]:
    y = x * scale
    return y, y, scale


def f(x: torch.Tensor) -> torch.Tensor:
    a, b, scale = checkpoint(same, x, 2.0, use_reentrant=False)
    return a + b * scale
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x, (x,))
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    return torch.cond(x.sum() > 0, lambda: y.clone(), lambda: y + 1)
""",
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.small = torch.nn.Tanh()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, self.layer, self.small, (x,))
""",
    ),
)
