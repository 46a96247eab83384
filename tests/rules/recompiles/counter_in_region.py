"""More examples of GBL706, counter-in-region."""

from __future__ import annotations

from gblint.rules.examples import Example

RECOMPILES = (
    Example(
        """\
import torch

calls = 0
seen = {"f": 0}


def f(x: torch.Tensor) -> torch.Tensor:
    global calls
    calls += 1  # recompiles
    seen["f"] += 1  # recompiles
    return x + calls
""",
        calls=("(torch.ones(4),)", "(torch.ones(4),)", "(torch.ones(4),)"),
    ),
    Example(
        """\
import torch


class State:
    step = 0


state = State()


def f(x: torch.Tensor) -> torch.Tensor:
    state.step = state.step + 1  # recompiles
    return x * 2
""",
        calls=("(torch.ones(4),)", "(torch.ones(4),)", "(torch.ones(4),)"),
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Tally:
    def __init__(self) -> None:
        self.count = 0


def f(x: torch.Tensor) -> torch.Tensor:
    tally = Tally()
    tally.count += 1
    return x * tally.count
""",
        calls=("(torch.ones(4),)", "(torch.ones(4),)", "(torch.ones(4),)"),
    ),
)
