"""Fixes of branches that log, change a tensor or a parameter in place, or compute numbers."""

from __future__ import annotations

from gblint.rules.examples import FixExample

FIXES = (
    FixExample(
        """\
import logging

import torch

logger = logging.getLogger(__name__)


def f(ids: torch.Tensor, limit: int | None) -> torch.Tensor:
    if limit is not None and (ids < limit).any():
        if limit > 1:
            logger.warning("small ids")
        logger.warning(f"{ids} and {limit}")
    if (
        (ids > 99).any() or ids.isnan().any()
    ):  # too large
        logger.warning("large ids")
    return ids + 1
""",
        """\
import logging

import torch

logger = logging.getLogger(__name__)


def f(ids: torch.Tensor, limit: int | None) -> torch.Tensor:
    if not torch.compiler.is_compiling() and limit is not None and (ids < limit).any():
        if limit > 1:
            logger.warning("small ids")
        logger.warning(f"{ids} and {limit}")
    if not torch.compiler.is_compiling() and (
        (ids > 99).any() or ids.isnan().any()
    ):  # too large
        logger.warning("large ids")
    return ids + 1
""",
        calls=("(torch.ones(4), 3)", "(torch.ones(4) * 100, 3)", "(torch.ones(4), None)"),
        choice="report-in-eager-runs",
        safe=False,
    ),
    FixExample(
        """\
import torch


@torch.no_grad()
def f(mean: torch.Tensor, x: torch.Tensor, beta: float) -> torch.Tensor:
    norm = x.square().sum()
    if mean == 0:
        mean.copy_(norm)
    else:
        mean.mul_(beta).add_(norm, alpha=1 - beta)
    if norm > 9:
        x.clamp_(-1, 1)
    return x / mean
""",
        """\
import torch


@torch.no_grad()
def f(mean: torch.Tensor, x: torch.Tensor, beta: float) -> torch.Tensor:
    norm = x.square().sum()
    mean.copy_(
        torch.where((mean == 0).all(), norm, mean.mul(beta).add(norm, alpha=1 - beta))
    )
    x.copy_(torch.where(norm > 9, x.clamp(-1, 1), x))
    return x / mean
""",
        calls=(
            "(torch.zeros(()), torch.ones(4), 0.5)",
            "(torch.ones(()), torch.ones(4) * 3, 0.5)",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, error: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
    if error < 1:
        factor = torch.ones((), dtype=x.dtype)
    return x * torch.max(error, factor)
""",
        """\
import torch


def f(x: torch.Tensor, error: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
    factor = torch.where((error < 1).all(), torch.ones((), dtype=x.dtype), factor)
    return x * torch.max(error, factor)
""",
        calls=(
            "(torch.ones(4), torch.tensor(0.5), torch.tensor(0.2))",
            "(torch.ones(4), torch.tensor(1.5), torch.tensor(0.2, requires_grad=True))",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, mask: torch.Tensor | None, grows) -> torch.Tensor:
    count = x.shape[0]
    buckets = x.long()
    if mask is not None and mask.sum() < count:
        # one more, for what is left out
        count = count + 1
        kept = mask.to(torch.bool)
        buckets = torch.where(kept, buckets, torch.tensor(count - 1))
    elif grows:
        count = count + 1
    return buckets + torch.arange(3)[:, None] * count
""",
        """\
import torch


def f(x: torch.Tensor, mask: torch.Tensor | None, grows) -> torch.Tensor:
    count = x.shape[0]
    buckets = x.long()
    # one more, for what is left out
    if mask is not None:
        condition = mask.sum() < count
        count_then = count + 1
        kept = mask.to(torch.bool)
        buckets = torch.where(
            condition, torch.where(kept, buckets, torch.tensor(count_then - 1)), buckets
        )
        if grows:
            count = count + 1
        count = torch.where(condition, count_then, count)
    elif grows:
        count = count + 1
    return buckets + torch.arange(3)[:, None] * count
""",
        calls=(
            "(torch.ones(4), torch.ones(4), False)",
            "(torch.ones(4), torch.ones(4), True)",
            "(torch.ones(4), torch.tensor([1, 0, 1, 1]), False)",
            "(torch.ones(4), torch.tensor([1, 0, 1, 1]), True)",
            "(torch.ones(4), None, True)",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    if x.sum() > 0:
        y = y + 1
        shift = y.mean()
        y = y * 3 - shift
    else:
        y = y - 1
        y = y.abs()
    return y
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    y_then = y + 1
    shift = y_then.mean()
    y_else = y - 1
    y = torch.where(x.sum() > 0, y_then * 3 - shift, y_else.abs())
    return y
""",
        calls=("(torch.ones(4),)", "(-torch.ones(4),)", "(torch.randn(4, requires_grad=True),)"),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor, churn: float = 0.0, low: float = 0.0, high: float = 1.0) -> torch.Tensor:
    sigma = x.abs().max()
    gamma = min(churn / len(x), 0.4) if low <= sigma <= high else 0.0
    if gamma > 0:
        x = x + torch.ones(4) * gamma
    return x * (gamma + 1)
""",
        """\
import torch


def f(x: torch.Tensor, churn: float = 0.0, low: float = 0.0, high: float = 1.0) -> torch.Tensor:
    sigma = x.abs().max()
    gamma = min(churn / len(x), 0.4)
    if gamma != 0.0 and not (low <= sigma <= high):
        gamma = 0.0
    if gamma > 0:
        x = x + torch.ones(4) * gamma
    return x * (gamma + 1)
""",
        calls=("(torch.ones(4),)", "(torch.full((4,), 3.0, requires_grad=True),)"),
        safe=False,
        choice="skip-test-for-default",
    ),
    FixExample(
        """\
import torch
from torch import nn


class Conv(nn.Module):
    def __init__(self, size: int, stride: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(2, 2, size, stride)
        nn.init.constant_(self.conv.weight, 0.5)
        nn.init.zeros_(self.conv.bias)
        stride = torch.tensor(self.conv.stride[0], dtype=torch.int64)
        size = torch.tensor(size, dtype=torch.int64)
        self.stride = nn.Buffer(stride, persistent=False)
        self.register_buffer("missing", size - stride, persistent=False)

    def _extra(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[-1]
        frames = (length + self.missing) / self.stride + 1
        frames = torch.ceil(frames).to(torch.int64) - 1
        return frames * self.stride - length

    @staticmethod
    def _pad(x: torch.Tensor, paddings: tuple[int, int]) -> torch.Tensor:
        left, right = paddings
        most = max(left, right)
        more = 0
        if x.shape[-1] <= most:
            more = most - x.shape[-1] + 1
            x = nn.functional.pad(x, (0, more))
        return nn.functional.pad(x, (left, right), "reflect")[..., : x.shape[-1] + left + right - more]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        extra = self._extra(x)
        return self.conv(self._pad(x, (self.missing, extra)))


CONV = Conv(5, 2)


def f(x: torch.Tensor) -> torch.Tensor:
    return CONV(x)
""",
        """\
import math

import torch
from torch import nn


class Conv(nn.Module):
    def __init__(self, size: int, stride: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(2, 2, size, stride)
        nn.init.constant_(self.conv.weight, 0.5)
        nn.init.zeros_(self.conv.bias)
        stride_number = self.conv.stride[0]
        stride = torch.tensor(self.conv.stride[0], dtype=torch.int64)
        size_number = size
        size = torch.tensor(size, dtype=torch.int64)
        self.stride = nn.Buffer(stride, persistent=False)
        self._stride = stride_number
        self.register_buffer("missing", size - stride, persistent=False)
        self._missing = size_number - stride_number

    def _extra(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[-1]
        frames = (length + self._missing) / self._stride + 1
        frames = math.ceil(frames) - 1
        return frames * self._stride - length

    @staticmethod
    def _pad(x: torch.Tensor, paddings: tuple[int, int]) -> torch.Tensor:
        left, right = paddings
        most = max(left, right)
        more = 0
        if x.shape[-1] <= most:
            more = most - x.shape[-1] + 1
            x = nn.functional.pad(x, (0, more))
        return nn.functional.pad(x, (left, right), "reflect")[..., : x.shape[-1] + left + right - more]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        extra = self._extra(x)
        return self.conv(self._pad(x, (self._missing, extra)))


CONV = Conv(5, 2)


def f(x: torch.Tensor) -> torch.Tensor:
    return CONV(x)
""",
        calls=(
            "(torch.ones(1, 2, 9),)",
            "(torch.randn(1, 2, 12, requires_grad=True),)",
            "(torch.randn(1, 2, 3),)",
            "(torch.randn(1, 2, 1),)",
        ),
        safe=False,
        choice="number-instead-of-buffer",
    ),
)
