"""More examples of GBL553, split-list-changed."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor, name: str = "a.b") -> tuple[torch.Tensor, list[str]]:
    parts = name.rsplit(".")
    y = x + 1
    parts[0] = "c"  # breaks: GB7786
    return y + 1, parts
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, name: str = "a.b") -> tuple[torch.Tensor, str]:
    y = x + 1
    first = name.splitlines().pop(0)  # breaks: GB0156
    return y + 1, first
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, list[str]]:
    parts = "a.b".split(".")
    y = x + 1
    del parts[0]  # breaks: GB7786
    return y + 1, parts
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, name: str = "A.b") -> tuple[torch.Tensor, list[str]]:
    parts = name.lower().strip().split(".")
    y = x + 1
    parts.append("c")  # breaks: GB0156
    return y + 1, parts
""",
    ),
)
CLEAN = (
    Example(
        """\
import re

import torch


def f(x: torch.Tensor, name: str = "a.b") -> tuple[torch.Tensor, list[str]]:
    parts = re.split("[.]", name)
    parts.pop()
    return x + 1, parts
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, name: str = "a.b") -> tuple[torch.Tensor, list[str], str]:
    parts = name.split(".")
    first, *rest = parts
    rest.append(first)
    return x + parts.index("b"), sorted(parts) + rest, ".".join(parts)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, sizes: tuple[int, ...] = (1, 3)) -> tuple[torch.Tensor, ...]:
    parts = list(x.split(list(sizes)))
    parts.pop()
    return tuple(parts)
""",
    ),
    Example(
        """\
import torch


class Tokens:
    def split(self, text: str) -> list[str]:
        return [text, "end"]


tokens = Tokens()


def f(x: torch.Tensor) -> tuple[torch.Tensor, list[str]]:
    parts = tokens.split("a")
    parts.pop()
    return x + 1, parts
""",
    ),
)
