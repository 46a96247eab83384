"""More examples of GBL526, instance-dict."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


class Record:
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    record = Record()
    record.__dict__ = {"scale": 2, f"{y.mean()}": 3}
    return y * record.scale  # breaks: GB5849
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Record:
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    record = Record()
    record.__dict__.update({"scale": 2})
    record.table = {1: 3}
    return x * record.scale * record.table[1]
""",
    ),
)
