"""Parsing text with `ast.literal_eval`, `shlex`, `urllib.parse`, `csv` or filling a `string.Template` ends the graph.

**Instead**

- do it where the settings are read, before the compiled call;
- `int(text)` and `float(text)` of constants, `split`, `partition` and f-strings are evaluated while tracing.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class TextParsing(Rule):
    """GBL468."""

    code = "GBL468"
    name = "text-parsing"
    summary = "`ast.literal_eval`, `shlex`, `csv`, `urllib.parse`, `string.Template`"
    gb_ids = (
        "GB0059",
        "GB0156",
        "GB0007",
    )
    on = (
        On(
            "call",
            (
                "ast.*",
                "shlex.*",
                "urllib.parse.*",
                "csv.*",
                "_csv.*",
                "string.Template.*",
                "configparser.*",
                "argparse.*",
            ),
        ),
    )
    message_template = "Dynamo cannot trace `{subject}`"
    help_template = "parse before the compiled call, or use `int`, `float` and `split`"
    BREAKS = (
        Example(
            """\
import ast

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scale = ast.literal_eval("2")  # breaks: GB0059
    return y * scale
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import html
import textwrap

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    name, _, number = "scale=2".partition("=")
    return x * int(number) * float("1.5") + len(textwrap.dedent(html.escape("<")))
""",
        ),
    )
