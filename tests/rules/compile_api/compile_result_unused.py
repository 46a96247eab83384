"""More examples of GBL831, compile-result-unused."""

from __future__ import annotations

from gblint.rules.examples import Example

ADVISES = (
    Example(
        """\
import torch


def step(x: torch.Tensor) -> torch.Tensor:
    return x.sin() + 1


def f(x: torch.Tensor) -> torch.Tensor:
    fast_step = torch.compile(step)  # advises
    return step(x)
""",
        instead="""\
import torch


def step(x: torch.Tensor) -> torch.Tensor:
    return x.sin() + 1


def f(x: torch.Tensor) -> torch.Tensor:
    fast_step = torch.compile(step)
    return fast_step(x)
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def step(x: torch.Tensor) -> torch.Tensor:
    return x.sin() + 1


def build():
    fast_step = torch.compile(step)

    def run(x):
        return fast_step(x)

    return run


f = build()
""",
    ),
)
