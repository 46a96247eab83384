"""More examples of GBL801, explicit-graph-break."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch
from torch._dynamo.comptime import comptime


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2

    @comptime  # breaks: GB0030
    def _(ctx):
        ctx.graph_break()

    return y + 3
""",
    ),
    Example(
        """\
import torch
import torch._dynamo

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor) -> torch.Tensor:
    n = x.sum().item()
    torch._dynamo.graph_break()  # breaks: GB0025
    return x + 1 if n > 3 else x
""",
    ),
    Example(
        """\
import torch
import torch._dynamo

torch._dynamo.config.capture_scalar_outputs = True
torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x: torch.Tensor) -> torch.Tensor:
    found, sizes = x.nonzero(), x.int().tolist()
    torch._dynamo.graph_break()  # breaks: GB0025
    if found.shape[0] > 2:
        x = x + 1
    return x + 1 if sizes[0] > 3 else x
""",
    ),
    Example(
        """\
import torch
import torch._dynamo


def f(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.skip_frame("too small to compile")  # breaks: GB4297
    return x + 1
""",
    ),
    Example(
        """\
import torch
import torch._dynamo


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y = y * 2
    y = y * 3
    torch._dynamo.step_unsupported()  # breaks: GB4636
    return y + 1
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch._dynamo.graph_break()  # breaks: GB0025
    return y * 2
""",
    ),
    Example(
        """\
import torch
import torch._dynamo as dynamo


def helper(x: torch.Tensor) -> torch.Tensor:
    x = x * 2
    dynamo.graph_break()  # breaks: GB0025
    return x + 1


def f(x: torch.Tensor) -> torch.Tensor:
    return helper(x + 1) * 3
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def graph_break() -> int:
    return 2


def f(x: torch.Tensor) -> torch.Tensor:
    return x * graph_break()
""",
    ),
    Example(
        """\
import torch

DEBUG = False


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if DEBUG:
        torch._dynamo.graph_break()
    return y * 2
""",
    ),
)
