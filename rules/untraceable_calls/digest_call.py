"""Digests, checksums, unique ids and secrets are computed in C, and some of them differ each time.

`hash()` of a constant is evaluated while tracing.

**Instead**

- create ids and digests before the compiled call, and pass them in;
- for random numbers use `torch.rand`, which is in the graph;
- compute digests of constants at import time.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class DigestCall(Rule):
    """GBL464."""

    code = "GBL464"
    name = "digest-call"
    summary = "`hashlib`, `hmac`, `uuid`, `secrets` and checksums"
    gb_ids = (
        "GB0007",
        "GB0156",
        "GB0008",
    )
    on = (
        On(
            "call",
            (
                "hashlib.*",
                "_hashlib.*",
                "hmac.*",
                "uuid.*",
                "secrets.*",
                "zlib.crc32",
                "zlib.adler32",
                "binascii.crc32",
            ),
        ),
    )
    message_template = "Dynamo cannot trace `{subject}`"
    help_template = "do it before the compiled call"
    BREAKS = (
        Example(
            """\
import uuid

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, uuid.UUID]:
    y = x + 1
    name = uuid.uuid4()  # breaks: GB0007
    return y * 2, name
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import hashlib

import torch

SEED = int(hashlib.md5(b"a").hexdigest(), 16) % 7


def f(x: torch.Tensor) -> torch.Tensor:
    return x * SEED + hash(("a", 1)) % 5
""",
        ),
    )
