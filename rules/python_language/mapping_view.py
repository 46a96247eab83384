"""A `MappingProxyType`, or `dict.keys()`, from outside the region.

Dynamo supports them if the keys are literals, but not if the keys are classes or members of an enum. A plain dict may
have such keys, but not generic aliases such as `list[int]`, whose hash is computed in C. Dynamo cannot read a proxy
after the region has changed a dict from outside, since that might be the dict of the proxy.

**Instead** use the dict itself; read the proxy before you change a dict; create the proxy inside the region.
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
    message_template = "`{expression}` reads a mapping that Dynamo cannot use inside the region"
    help_template = "use the dict itself, with plain keys, or read the proxy before you change a dict"
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

DEFAULTS = MappingProxyType({"scale": 2}).copy()
seen = {}


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    seen["calls"] = 1
    return y * DEFAULTS["scale"]
""",
        ),
    )
