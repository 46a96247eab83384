"""More examples of GBL620, higher-order-arguments."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    flags = [x.sum() > 0, x.max() < 3]
    return torch.cond(flags, lambda x: x + 1, lambda x: x - 1, (x,))  # breaks: GB0310
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x, act: act(x), lambda x, act: -x, (x, torch.relu))  # breaks: GB0312
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, x + 1, x - 1, (x,))  # breaks: GB0302
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.ops.higher_order.cond(x.sum() > 0, lambda: x + 1, lambda: x - 1)  # breaks: GB0309
""",
        raises=True,
    ),
    Example(
        """\
import torch
higher_order = torch.ops.higher_order


def f(x: torch.Tensor) -> object:
    return higher_order.while_loop(lambda x: x.sum() < 10, lambda x: (x + 1,), (x,), (), limit=1)  # breaks: GB0303
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.ops.higher_order.map_impl(lambda row: (row + 1,), [x], pos_args=())  # breaks: GB0325
""",
        raises=True,
    ),
    Example(
        """\
import functools

import torch


def combine(a: torch.Tensor, b: torch.Tensor, scale: int) -> torch.Tensor:
    return a + b * scale


def f(x: torch.Tensor) -> object:
    return torch.ops.higher_order.associative_scan(functools.partial(combine, scale=2), [x], ())  # breaks: GB0341
""",
        raises=True,
    ),
    Example(
        """\
import torch


def step(carry: torch.Tensor, row: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return carry + row, carry * 2


def f(x: torch.Tensor) -> object:
    return torch.ops.higher_order.scan(step, [torch.zeros(4)], [torch.stack([x, x])], ())  # breaks: GB0342
""",
        raises=True,
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.hints_wrap import hints_wrapper


def f(x: torch.Tensor) -> torch.Tensor:
    return hints_wrapper(lambda x: x + 1, (x,), {})  # breaks: GB0335
""",
        raises=True,
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.strict_mode import strict_mode


def f(x: torch.Tensor) -> torch.Tensor:
    return strict_mode(lambda xs: xs[0] + 1, ([x],))  # breaks: GB0345
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.ops.higher_order.strict_mode(lambda x: x + 1, (x,), strict=True)  # breaks: GB0337
""",
        raises=True,
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.out_dtype import out_dtype


def f(x: torch.Tensor) -> torch.Tensor:
    return out_dtype(torch.ops.aten.add.Tensor, torch.int32, x, x, alpha=2)  # breaks: GB0336
""",
        inputs="(torch.ones(4, 4, dtype=torch.int8),)",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> object:
    return torch.ops.higher_order.executorch_call_delegate(x, scale=2)  # breaks: GB0327
""",
        raises=True,
    ),
    Example(
        """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> object:
    return torch.ops.higher_order.executorch_call_delegate(x, x)  # breaks: GB6017
""",
        raises=True,
    ),
    Example(
        """\
import torch
from torch._higher_order_ops import invoke_subgraph


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> object:
    return invoke_subgraph(lambda x: (x + 1,), "block", x)  # breaks: GB0017
""",
        raises=True,
    ),
    Example(
        """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> object:
    return torch.ops.higher_order.run_const_graph(lambda x: x + 1, (x,))  # breaks: GB0306
""",
        raises=True,
    ),
    Example(
        """\
import functools

import torch


def scale(factor: int, x: torch.Tensor) -> torch.Tensor:
    return factor * x


double = torch.compiler.nested_compile_region(functools.partial(scale, 2))


def f(x: torch.Tensor) -> torch.Tensor:
    return double(x)  # breaks: GB0042
""",
        raises=True,
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda: x + 1, lambda: x - 1)
""",
    ),
    Example(
        """\
import torch

DOWN = False


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(DOWN, lambda x: x - 1, lambda x: x + 1, [x])
""",
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.small = torch.nn.Linear(4, 4)
        self.large = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        flags = torch.stack([x.sum() > 0, x.max() < 3])
        return torch.cond(flags.all(), self.small, self.large, (x,))
""",
    ),
    Example(
        """\
import torch
from functorch.experimental.control_flow import map as map_over


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return map_over(lambda row, scale: self.layer(row) * scale, torch.stack([x, x]), x.sum())
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.hints_wrap import hints_wrapper


def f(x: torch.Tensor) -> torch.Tensor:
    return hints_wrapper(lambda x: x + 1, (x,), {}, hints={"inline": True})
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.strict_mode import strict_mode


def f(x: torch.Tensor) -> torch.Tensor:
    return strict_mode(lambda x: x + 1, (x,))
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.out_dtype import out_dtype


def f(x: torch.Tensor) -> torch.Tensor:
    return out_dtype(torch.ops.aten.mm.default, torch.int32, x, x)
""",
        inputs="(torch.ones(4, 4, dtype=torch.int8),)",
    ),
    Example(
        """\
import torch


@torch.compiler.nested_compile_region
def block(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x) + 1


def f(x: torch.Tensor) -> torch.Tensor:
    return block(block(x))
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda pair, n: pair[0] + n, lambda pair, n: pair[1] - n, ((x, x * 2), 3))
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    def positive(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.max() > 1, lambda x: x / 2, lambda x: x * 2, (x,))

    return torch.cond(x.sum() > 0, positive, lambda x: x - 1, (x,))
""",
    ),
    Example(
        """\
import torch

SCALES = {"up": 2.0, "down": 0.5}


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 3
    return torch.cond(x.sum() > 0, lambda: y * SCALES["up"], lambda: y * SCALES["down"])
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.shape[0] > 2, lambda x: x + 1, lambda x: x - 1, (x,))
""",
    ),
    Example(
        """\
import torch
from torch._higher_order_ops.map import map as map_over


def f(x: torch.Tensor) -> object:
    rows = torch.stack([x, x])
    return map_over(lambda pair: pair[0] * pair[1], (rows, rows + 1))
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    torch.ops.higher_order.print("x has {} elements", x.shape[0])
    return torch.ops.higher_order.invoke_quant(lambda x: (x + 1,), x)[0]
""",
    ),
    Example(
        """\
import torch


class Scale(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = torch.compiler.nested_compile_region(Scale())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.scale(x) + 1
""",
    ),
    Example(
        """\
import torch
from torch.utils.checkpoint import checkpoint


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(2)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    scale = torch.ones(4)
    return torch.vmap(lambda row, s: (row * s).sum(), in_dims=(0, None))(x, scale)
""",
        inputs="(torch.randn(2, 4),)",
    ),
    Example(
        """\
import torch


def loss(w: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return ((w * x) ** 2).sum()


def f(x: torch.Tensor) -> torch.Tensor:
    gradient = torch.func.grad(loss)(x + 1, x)
    return gradient * 2
""",
    ),
    Example(
        """\
import torch
from torch.nn.attention.flex_attention import flex_attention


def bias(score, batch, head, query, key):
    return score + (query - key)


def f(x: torch.Tensor) -> torch.Tensor:
    return flex_attention(x, x, x, score_mod=bias)
""",
        inputs="(torch.randn(1, 2, 16, 16),)",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.func.jacrev(torch.sin)(x).sum() + torch.func.vmap(torch.cos)(x).sum()
""",
    ),
)
