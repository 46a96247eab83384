"""A `StringIO` or a `BytesIO` is a file in memory, which Dynamo cannot trace.

Creating one breaks the graph, and so does each use.

**Instead**

- collect lines in a list and `"".join` them: that is traced;
- `struct.pack` for bytes of numbers;
- do it outside the region.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class TextStream(Rule):
    """GBL467."""

    code = "GBL467"
    name = "text-stream"
    summary = "`io.StringIO` and `io.BytesIO`"
    gb_ids = ("GB0156",)
    on = (
        On(
            "call",
            (
                "io.StringIO*",
                "io.BytesIO*",
                "_io.StringIO*",
                "_io.BytesIO*",
            ),
        ),
    )
    message_template = "Dynamo cannot trace `{subject}`"
    help_template = "collect text in a list and join it, or do it outside the region"
    BREAKS = (
        Example(
            """\
import io

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, io.StringIO]:
    y = x + 1
    stream = io.StringIO()  # breaks: GB0156
    return y * 2, stream
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import struct

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    lines = []
    for size in x.shape:
        lines.append(f"{size}\\n")
    return x * len("".join(lines)) + len(struct.pack("i", 3))
""",
        ),
    )
