"""Turning objects into bytes or text runs in C or in modules that Dynamo does not trace.

**Instead** do it before or after the compiled call.
"""

from __future__ import annotations

from gblint.rules.base import Example, On, Rule


class Serialization(Rule):
    """GBL414."""

    code = "GBL414"
    name = "serialization"
    summary = "`pickle`, `json`, `base64` and the like"
    gb_ids = ("GB0007", "GB0156")
    on = (
        On(
            "call",
            (
                "pickle.*",
                "_pickle.*",
                "json.*",
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
    said = "`{subject}` turns objects into text or bytes"
    advice = "do it outside the region"
    BREAKS = (
        Example(
            """\
import json
import pickle

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, bytes, str]:
    y = x + 1
    data = pickle.dumps([1, 2])  # breaks: GB0007
    y = y + 1
    text = json.dumps({"rank": y.dim()})  # breaks: GB0156
    return y * 2, data, text
""",
        ),
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
import struct

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(struct.pack("i", 3)) + len(",".join(["a", "b"]).encode())
""",
        ),
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
