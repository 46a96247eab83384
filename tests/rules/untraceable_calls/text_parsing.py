"""More examples of GBL468, text-parsing."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import shlex
import urllib.parse

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    words = shlex.split("a b")  # breaks: GB0156
    y = y * len(words)
    quoted = urllib.parse.quote("a b")  # breaks: GB0156
    return y * len(quoted)
""",
    ),
    Example(
        """\
import csv

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    reader = csv.reader(["a,b"])  # breaks: GB0007
    return y * 2, reader
""",
    ),
    Example(
        """\
import torch
from string import Template

template = Template("$a")


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + len(template.substitute(a="b"))  # breaks: GB0299
""",
    ),
)
CLEAN = (
    Example(
        """\
import ast

import torch

SCALE = ast.literal_eval("2")


def f(x: torch.Tensor) -> torch.Tensor:
    return x * SCALE
""",
    ),
)
