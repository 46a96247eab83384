"""More examples of GBL466, json-call."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import json

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    settings = json.loads('{"scale": 2}')  # breaks: GB0156
    return y * settings["scale"]
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    return y * 2, repr({"shape": list(y.shape)})
""",
    ),
)
