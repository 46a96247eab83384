"""More examples of GBL423, out-argument."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def add(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    torch.add(x, 1, out=out)  # breaks: GB0247
    return out


compiled = torch.compile(add)


def f(x: torch.Tensor) -> torch.Tensor:
    compiled(x, torch.empty(4))
    return compiled(x, torch.empty(0))
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(4, 4).t()
    torch.add(x, torch.ones(4, 4), out=out)  # breaks: GB0242
    return out * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    values, indices = torch.empty(0), torch.empty(0, dtype=torch.long)
    torch.topk(x, 2, out=(values, indices))  # breaks: GB0240
    return values + indices
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    values = torch.empty(4, 4).t()
    indices = torch.empty(4, 4, dtype=torch.long).t()
    torch.topk(x, 4, out=(values, indices))  # breaks: GB0241
    return values + indices
""",
        inputs="(torch.randn(4, 4),)",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    out = torch.zeros(8, 2)
    torch.sin(x, out=out[::2, 0])  # breaks: GB0242
    y = x + 1
    torch.sin(y, out=out[:4, 1])  # breaks: GB0242
    return out * 2
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def add(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    torch.add(x, 1, out=out)
    return out


compiled = torch.compile(add)


def f(x: torch.Tensor) -> torch.Tensor:
    compiled(x, torch.empty(4))
    return compiled(x + x, torch.ones(4))
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(4, 4).t().contiguous()
    torch.add(x, torch.ones(4, 4), out=out)
    return out * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    values, indices = torch.empty(2), torch.empty(2, dtype=torch.long)
    torch.topk(x, 2, out=(values, indices))
    return values + indices
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    parts = torch.empty(0)
    for row in (x, x + 1):
        parts = torch.cat([parts, row])
    return parts
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    out = torch.zeros(8, 4)
    torch.sin(x, out=out[1])
    flat = torch.zeros(8)
    torch.cos(x, out=flat[2:6])
    return out.sum() + flat
""",
    ),
)
