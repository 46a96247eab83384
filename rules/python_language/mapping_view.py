"""A `MappingProxyType`, or `dict.keys()`, from outside the region.

Dynamo carries one in if its keys are literals: members of an enum and classes are not. A dict may have these for keys,
but not `list[int]` and the like, whose hash is made in C. A proxy it can read as long as
the region has changed no dict from outside; the one behind the proxy might be it.

**Instead** use the dict itself; read the proxy before changing anything; make the proxy inside.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import UNSEEN, On, Rule


class MappingView(Rule):
    """GBL525."""

    code = "GBL525"
    name = "mapping-view"
    summary = "a mapping proxy or a view of keys from outside the region"
    gb_ids = ("GB0198", "GB0204", "GB0203", "GB2861")
    on = (On("operation", ("mapping-keys", "changed-proxy")),)
    message_template = "Dynamo cannot carry what `{expression}` reads into the region"
    help_template = "use the dict itself, with plain keys, or read the proxy before changing a dict"
    escape_hatches = UNSEEN
    BREAKS = (
        Example(
            """\
from types import MappingProxyType

import torch

DEFAULTS = MappingProxyType({"scale": 2})
seen = {}


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    seen["calls"] = 1
    return y * DEFAULTS["scale"]  # breaks: GB0198
""",
        ),
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
seen = {}


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * DEFAULTS["scale"]
    seen["calls"] = 1
    return y
""",
        ),
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
