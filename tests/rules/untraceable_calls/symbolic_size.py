"""More examples of GBL451, symbolic-size."""

from __future__ import annotations

from gblint.rules.examples import Example


def _example(setup: str, line: str, gb_id: str) -> Example:
    return Example(
        f"""\
{setup}import torch


@torch.compile(dynamic=True)
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    n = y.shape[0]
    found = {line}  # breaks: {gb_id}
    return y * 2
"""
    )


BREAKS = (
    Example(
        """\
import torch


@torch.compile(dynamic=True)
def f(x: torch.Tensor, n: int) -> torch.Tensor:
    y = x + n
    return y + len(str(n))  # breaks: GB0059


def run(x: torch.Tensor) -> None:
    f(x, 3)
""",
        "(torch.randn(4), 3)",
    ),
    _example("", "str(n)", "GB0059"),
    _example("", "str(y.shape)", "GB0059"),
    _example("", "hex(n + 1)", "GB0059"),
    _example("", "repr(n)", "GB6053"),
    _example("", "sorted([n, 2])", "GB0207"),
    _example("import math\n\n", "math.gcd(n, 6)", "GB0208"),
    _example("import math\n\n", "math.comb(n, 2)", "GB0208"),
    _example("import random\n\n", "random.randint(0, n - 1)", "GB0007"),
)
CLEAN = (
    Example(
        """\
import torch


@torch.compile
def f(x, n):
    half, rest = divmod(n, 2)
    return x * half + rest


def run(x: torch.Tensor) -> None:
    f(x, 3)
    f(x, 3)
""",
        calls=("(torch.randn(4), 3)", "(torch.randn(4), 3)"),
    ),
    Example(
        """\
import torch


@torch.compile(dynamic=True)
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    first = min(y.shape[0], 2) + abs(y.shape[0]) + round(y.shape[0])
    return y + first + sorted([3, 1, 2])[0]
""",
    ),
)
