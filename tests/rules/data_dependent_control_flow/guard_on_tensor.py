"""More examples of GBL203, guard-on-tensor."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch


def check(ids: torch.Tensor, size: int) -> None:
    if not (ids < size).all():  # breaks: GB0170
        raise IndexError("out of range")


def f(ids: torch.Tensor) -> torch.Tensor:
    table = torch.ones(8, 4)
    check(ids, 8)
    return table[ids]
""",
        "(torch.tensor([1, 2]),)",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.abs() + 1
    torch._check_tensor_all(y > 0)  # breaks: GB0124
    return y * 2
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if torch._C._functorch.is_batchedtensor(x):
        raise RuntimeError("not under vmap")
    return x + 1
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    torch._assert_async((x.abs() >= 0).all())
    assert (x.abs() >= 0).all(), "negative"
    torch._check(x.shape[0] > 1)
    return x + 1
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if not torch.compiler.is_compiling():
        if x.isnan().any():
            raise ValueError("not a number")
    return x + 1
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    # all has to be finite
    if x.isnan().any():  # or so
        raise ValueError("not a number")
    return x + 1
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    # all has to be finite
    if torch.compiler.is_compiling():
        torch._assert_async(~x.isnan().any(), "not a number")
    elif x.isnan().any():  # or so
        raise ValueError("not a number")
    return x + 1
""",
        calls=("(torch.randn(4),)", "(torch.full((4,), torch.nan),)"),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(ids: torch.Tensor, size: int, strict: bool) -> torch.Tensor:
    if strict and not (ids < size).all():
        raise IndexError(f"not below {size}: {ids.max()}")
    if (ids < 0).any() or (ids > 100).any():
        raise IndexError
    return torch.ones(101)[ids]
""",
        """\
import torch


def f(ids: torch.Tensor, size: int, strict: bool) -> torch.Tensor:
    if torch.compiler.is_compiling():
        if strict:
            torch._assert_async((ids < size).all(), "not below ...: ...")
    elif strict and not (ids < size).all():
        raise IndexError(f"not below {size}: {ids.max()}")
    if torch.compiler.is_compiling():
        torch._assert_async(~(ids < 0).any(), "IndexError")
        torch._assert_async(~(ids > 100).any(), "IndexError")
    elif (ids < 0).any() or (ids > 100).any():
        raise IndexError
    return torch.ones(101)[ids]
""",
        calls=(
            "(torch.tensor([1, 2]), 5, True)",
            "(torch.tensor([1, 2]), 2, True)",
            "(torch.tensor([-1]), 2, False)",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch
from torch import Tensor, nn


class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.sum(): raise RuntimeError("sum")
        return x * 2
""",
        """\
import torch
from torch import Tensor, nn


class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if torch.compiler.is_compiling():
            torch._assert_async(torch.logical_not(x.sum()), "sum")
        elif x.sum(): raise RuntimeError("sum")
        return x * 2
""",
        calls=("(torch.zeros(4, requires_grad=True),)", "(torch.ones(4),)"),
        safe=False,
    ),
)
