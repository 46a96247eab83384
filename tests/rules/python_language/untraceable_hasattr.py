"""More examples of GBL516, untraceable-hasattr."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    window = slice(1, 3)
    if hasattr(window, "start"):  # breaks: GB0150
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch


class Base:
    pass


class Child(Base):
    def reset(self, y: torch.Tensor) -> torch.Tensor:
        if hasattr(super(), "reset"):  # breaks: GB0150
            y = super().reset(y)
        return y


child = Child()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return child.reset(y)
""",
    ),
    Example(
        """\
import logging
import re

import torch

logger = logging.getLogger("net")
digits = re.compile("[0-9]+")


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if hasattr(logger, "warning_once"):  # breaks: GB0150
        y = y * 2
    y = y + 1
    if hasattr(digits, "pattern"):  # breaks: GB0150
        y = y * 2
    return y
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Failure(Exception):
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        raise Failure("here")
    except Failure as error:
        if hasattr(error, "code"):
            x = x * 2
    return x + 1
""",
    ),
    Example(
        """\
import torch


class Options:
    scale = 2


options = Options()


def f(x: torch.Tensor) -> torch.Tensor:
    if hasattr(options, "bias") or hasattr(x, "no_such_thing") or hasattr(torch.relu, "nothing"):
        x = x * 2
    return x + getattr(options, "shift", 1)
""",
    ),
    Example(
        """\
import logging
import re

import torch

logger = logging.getLogger("net")
digits = re.compile("[0-9]+")


def f(x: torch.Tensor) -> torch.Tensor:
    if isinstance(logger, logging.Logger) and hasattr(re, "compile"):
        x = x * len(digits.findall("1 2"))
    return x
""",
    ),
)
