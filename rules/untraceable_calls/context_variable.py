"""A `contextvars.ContextVar` is read and set in C, and its value depends on the context.

**Instead**

- read it before the compiled call, and pass the value in as an argument;
- use a global of the module, an attribute of `self`, or a `threading.local`: Dynamo traces reading them, and guards on
  them;
- a setting that never changes while compiled code runs can be a constant.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ContextVariable(Rule):
    """GBL469."""

    code = "GBL469"
    name = "context-variable"
    summary = "`contextvars`"
    gb_ids = (
        "GB0156",
        "GB0007",
    )
    on = (
        On(
            "call",
            (
                "contextvars.*",
                "_contextvars.*",
            ),
        ),
    )
    message_template = "Dynamo cannot trace `{subject}`"
    help_template = "pass the value in as an argument, or read a global"
    BREAKS = (
        Example(
            """\
import contextvars

import torch

SCALE = contextvars.ContextVar("scale", default=2)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * SCALE.get()  # breaks: GB0156
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import threading

import torch

LOCAL = threading.local()
LOCAL.scale = 2
SCALE = 3


def f(x: torch.Tensor) -> torch.Tensor:
    return x * SCALE * LOCAL.scale
""",
        ),
    )
