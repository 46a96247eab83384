"""What the fixes for branches on tensors promise: for messages, for changes in place and of parameters."""

from __future__ import annotations

from gblint.rules.base import FixExample

CHANGES = (
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
        choice="said-in-eager-runs",
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
    mean.copy_(torch.where((mean == 0).all(), norm, mean.mul(beta).add(norm, alpha=1 - beta)))
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
)
