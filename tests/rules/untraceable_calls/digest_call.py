"""More examples of GBL464, digest-call."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import hashlib

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    digest = hashlib.md5(b"a")  # breaks: GB0007
    return y * 2, digest
""",
    ),
    Example(
        """\
import zlib

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    check = zlib.crc32(b"a")  # breaks: GB0007
    return y * (check % 3)
""",
    ),
    Example(
        """\
import secrets

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    chosen = secrets.randbelow(3)  # breaks: GB0008
    return y * chosen
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * torch.rand(x.shape) + torch.randint(0, 3, x.shape)
""",
    ),
    Example(
        """\
import uuid

import torch

RUN = str(uuid.uuid4())


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * len(RUN)
""",
    ),
)
