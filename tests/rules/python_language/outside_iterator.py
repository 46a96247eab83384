"""More examples of GBL501, outside-iterator."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch

outside = map(abs, [1, 2, 3, 4, 5, 6, 7, 8])


def f(x: torch.Tensor) -> torch.Tensor:
    doubled = map(lambda step: step * 2, [1, 2])
    x = x + next(doubled)
    next(outside)  # breaks: GB4347
    return x + next(doubled)  # breaks: GB4347
""",
    ),
    Example(
        """\
import torch

outside = map(abs, [1, 2, 3, 4, 5, 6, 7, 8])


def f(x: torch.Tensor) -> torch.Tensor:
    pairs = zip([1, 2], [3, 4])
    x = x + 1
    next(outside)  # breaks: GB4347
    for a, b in pairs:  # breaks: GB0811
        x = x * a + b
    return x
""",
    ),
    Example(
        """\
import torch

steps = (step for step in [1, 2])


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for step in steps:  # breaks: GB0811
        y = y + step
    return y
""",
    ),
    Example(
        """\
from collections.abc import Generator

import torch


def f(x: torch.Tensor, steps: Generator[int, None, None]) -> torch.Tensor:
    y = x + 1
    return y + next(steps)  # breaks: GB4347
""",
        "(torch.randn(4), (step for step in [1, 2]))",
    ),
    Example(
        """\
import torch
from torch.utils.data import DataLoader

loader = DataLoader([torch.ones(4)])


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for batch in loader:  # breaks: GB0008
        y = y + batch
    return y
""",
    ),
    Example(
        """\
from collections.abc import Generator

import torch


def f(x: torch.Tensor, steps: Generator[int, None, None]) -> torch.Tensor:
    y = x + 1
    y = y + steps.send(None)  # breaks: GB0253
    y = y * 2
    steps.close()  # breaks: GB0253
    return y + 1
""",
        "(torch.randn(4), (step for step in [1, 2]))",
    ),
)
CLEAN = (
    Example(
        """\
import torch

numbers = [1, 2]


def f(x: torch.Tensor) -> torch.Tensor:
    for a, b in zip(numbers, map(lambda v: v * 2, numbers)):
        x = x + a * b
    return x + sum(v for v in numbers) + next(iter(numbers))
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, parts: dict[str, torch.Tensor]) -> torch.Tensor:
    for name, part in parts.items():
        x = x + part * len(name)
    return x
""",
        "(torch.randn(4), {'a': torch.randn(4)})",
    ),
    Example(
        """\
from collections.abc import Generator

import torch


def steps() -> Generator[int, int, None]:
    got = yield 1
    yield got


def f(x: torch.Tensor) -> torch.Tensor:
    running = steps()
    x = x + next(running)
    x = x + running.send(2)
    running.close()
    return x
""",
    ),
    Example(
        """\
from collections.abc import Iterator

import torch

numbers = iter(range(1, 3))
layers = iter((torch.sin, torch.cos))


def f(x: torch.Tensor) -> torch.Tensor:
    for layer in layers:
        x = layer(x)
    return x + next(numbers)
""",
    ),
)
