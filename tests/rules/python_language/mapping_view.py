"""More examples of GBL525, mapping-view."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import enum
from types import MappingProxyType

import torch


class Mode(enum.Enum):
    FAST = 1


SCALES = MappingProxyType({Mode.FAST: 2})


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * SCALES[Mode.FAST]  # breaks: GB0204
""",
    ),
    Example(
        """\
import enum

import torch


class Mode(enum.Enum):
    FAST = 1


MODES = {Mode.FAST: 2}.keys()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * len(MODES)  # breaks: GB0203
""",
    ),
    Example(
        """\
import torch

SCALES = {list[int]: 2, int: 3}


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * SCALES[int]  # breaks: GB2861
""",
    ),
)
CLEAN = (
    Example(
        """\
from types import MappingProxyType

import torch

DEFAULTS = MappingProxyType({"scale": 2})


def f(x: torch.Tensor) -> torch.Tensor:
    seen = {}
    seen["calls"] = 1
    return x * DEFAULTS["scale"]
""",
    ),
    Example(
        """\
import enum

import torch


class Mode(enum.Enum):
    FAST = 1


SCALES = {Mode.FAST: 2}
NAMES = {"fast": 2}.keys()


def f(x: torch.Tensor) -> torch.Tensor:
    return x * SCALES[Mode.FAST] * len(NAMES)
""",
    ),
    Example(
        """\
import torch

SCALES = {list: 2, int: 3}


def f(x: torch.Tensor) -> torch.Tensor:
    kinds = {list[int]: 2}
    return x * SCALES[int] * len(kinds)
""",
    ),
)
