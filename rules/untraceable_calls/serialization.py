"""Converting objects to bytes or text runs in C or in modules that Dynamo does not trace.

**Instead**

- save and load before or after the compiled call;
- load stored objects at import time or in `__init__`: the objects themselves are traced;
- `struct.pack` and `str.encode` of constants are evaluated while tracing.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class Serialization(Rule):
    """GBL414."""

    code = "GBL414"
    name = "serialization"
    summary = "`pickle`, `base64`, `yaml` and the like"
    gb_ids = ("GB0007",)
    on = (
        On(
            "call",
            (
                "pickle.*",
                "_pickle.*",
                "marshal.*",
                "base64.*",
                "binascii.*",
                "yaml.*",
                "msgpack.*",
                "dill.*",
                "cloudpickle.*",
                "shelve.*",
                "zlib.*",
                "gzip.*",
            ),
        ),
    )
    message_template = "`{subject}` converts between objects and text or bytes"
    help_template = "do it outside the region"
    BREAKS = (
        Example(
            """\
import pickle

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, bytes]:
    y = x + 1
    data = pickle.dumps([1, 2])  # breaks: GB0007
    return y * 2, data
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import struct

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(struct.pack("i", 3)) + len(",".join(["a", "b"]).encode())
""",
        ),
    )
