"""`unicodedata`, `codecs` and translation tables are written in C, and Dynamo cannot trace them.

Dynamo evaluates operations on constant strings while it traces (`upper`, `split`, `encode`, `format`, `str.translate`
with a dict), and they leave nothing in the graph.

**Instead**

- normalise and encode the text before the compiled call, and pass tensors in;
- call it at import time: a value that is a constant when the region starts costs nothing;
- write a translation table as a dict, `{ord("a"): "b"}`: `str.translate` takes it and is traced;
- guard code that is only for debugging with `if not torch.compiler.is_compiling():`.

**Does not help**

- `functools.lru_cache` around the function: Dynamo ignores the cache and traces the function.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class UnicodeCall(Rule):
    """GBL460."""

    code = "GBL460"
    name = "unicode-call"
    summary = "`unicodedata`, `codecs` and translation tables"
    gb_ids = (
        "GB0007",
        "GB0156",
    )
    on = (
        On(
            "call",
            (
                "unicodedata.*",
                "codecs.*",
                "_codecs.*",
                "builtins.str.maketrans",
                "builtins.bytes.maketrans",
                "stringprep.*",
                "encodings.*",
            ),
        ),
    )
    message_template = "Dynamo cannot trace `{subject}`"
    help_template = "do it before the compiled call, or call `str.translate` with a dict as the table"
    BREAKS = (
        Example(
            """\
import unicodedata

import torch


def f(x: torch.Tensor, text: str) -> torch.Tensor:
    y = x + 1
    text = unicodedata.normalize("NFC", text)  # breaks: GB0007
    return y * len(text)
""",
            inputs="(torch.randn(4), 'a')",
        ),
    )
    CLEAN = (
        Example(
            """\
import unicodedata

import torch

NAME = unicodedata.normalize("NFC", "a")


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(NAME)
""",
        ),
    )
