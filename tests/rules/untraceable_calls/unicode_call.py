"""More examples of GBL460, unicode-call."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import codecs

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    text = codecs.encode("abc", "rot13")  # breaks: GB0007
    return y * len(text)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    table = str.maketrans("a", "b")  # breaks: GB0156
    return y * len("aab".translate(table))
""",
    ),
    Example(
        """\
import functools
import unicodedata

import torch


@functools.lru_cache
def kind(character: str) -> str:
    return unicodedata.category(character)  # breaks: GB0007


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    name = kind("a")
    return y * len(name)
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch

TABLE = {ord("a"): "b"}


def f(x: torch.Tensor) -> torch.Tensor:
    text = " A-b ".strip().casefold().translate(TABLE)
    return x * len(text.encode("utf-8")) * sum(ord(c) for c in text if c.isalnum())
""",
    ),
    Example(
        """\
import unicodedata

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if not torch.compiler.is_compiling():
        unicodedata.name("a")
    return y * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len("%d-%s" % (3, "a")) * len("{a}".format_map({"a": 1}))
""",
    ),
)
