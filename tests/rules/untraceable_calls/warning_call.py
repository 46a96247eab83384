"""More examples of GBL403, warning-call."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import warnings

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # breaks: GB0007
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import warnings

import torch

torch._dynamo.config.reorderable_logging_functions.add(warnings.warn)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    warnings.warn("here", UserWarning)  # breaks: GB0296
    return y * 2
""",
    ),
)
CLEAN = (
    Example(
        """\
import warnings

import torch

torch._dynamo.config.reorderable_logging_functions.add(warnings.warn)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    warnings.warn("here")
    return y * 2
""",
    ),
    Example(
        """\
import warnings

import torch

torch._dynamo.config.ignore_logging_functions.add(warnings.warn)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    warnings.warn("here", stacklevel=2)
    return y * 2
""",
    ),
)
FIXES = (
    FixExample(
        """\
import warnings

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 1:
        warnings.warn("one dimension", UserWarning, stacklevel=2)
    return x * 2
""",
        """\
import warnings

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 1 and not torch.compiler.is_compiling():
        warnings.warn("one dimension", UserWarning, stacklevel=2)
    return x * 2
""",
        safe=False,
    ),
    FixExample(
        """\
import warnings

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    warnings.warn("here")
    return x * 2
""",
        """\
import warnings

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if not torch.compiler.is_compiling():
        warnings.warn("here")
    return x * 2
""",
        choice="guard-with-is-compiling",
        safe=False,
    ),
    FixExample(
        """\
import warnings

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    warnings.warn("here")
    return x * 2
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * 2
""",
        safe=False,
        choice="remove-statement",
    ),
)
