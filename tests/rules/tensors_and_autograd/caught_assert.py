"""More examples of GBL649, caught-assert."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        if y.dim() != 2:
            raise AssertionError("rank", y.dim())  # breaks: GB0171
    except AssertionError:
        y = y[None]
    return y * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        assert x.dim() == 2, "a matrix is wanted"  # breaks: GB0034
    except AssertionError:
        y = y * 2
    return y
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        if y.dim() != 2:
            raise AssertionError("a matrix is wanted")
    except AssertionError:
        y = y[None]
    try:
        if y.dim() != 3:
            raise ValueError("rank", y.dim())
    except ValueError:
        y = y[None]
    return y * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        assert False
    except AssertionError:
        y = y * 2
    return y
""",
    ),
)
