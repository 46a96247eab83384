"""`json` ends the graph, whatever it reads or writes.

**Instead**

- read settings at import time or in `__init__`: a dict that exists when the region starts is traced;
- write after the compiled call, from what it returns;
- for text that people read: `repr` or `str` of numbers, lists and shapes is evaluated while tracing.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class JsonCall(Rule):
    """GBL466."""

    code = "GBL466"
    name = "json-call"
    summary = "`json`"
    gb_ids = (
        "GB0156",
        "GB0007",
    )
    on = (
        On(
            "call",
            (
                "json.*",
                "_json.*",
                "orjson.*",
                "ujson.*",
                "simplejson.*",
            ),
        ),
    )
    message_template = "`{subject}` converts between objects and text"
    help_template = "do it outside the region"
    BREAKS = (
        Example(
            """\
import json

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    text = json.dumps({"shape": list(y.shape)})  # breaks: GB0156
    return y * 2, text
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import json

import torch

SETTINGS = json.loads('{"scale": 2}')


def f(x: torch.Tensor) -> torch.Tensor:
    return x * SETTINGS["scale"]
""",
        ),
    )
