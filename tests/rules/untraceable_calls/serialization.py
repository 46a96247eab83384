"""More examples of GBL414, serialization."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import base64

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, bytes]:
    y = x + 1
    text = base64.b64encode(b"here")  # breaks: GB0007
    return y * 2, text
""",
    ),
)
CLEAN = (
    Example(
        """\
import pickle

import torch

SETTINGS = pickle.loads(pickle.dumps({"scale": 2}))


def f(x: torch.Tensor) -> torch.Tensor:
    return x * SETTINGS["scale"]
""",
    ),
)
