"""More examples of GBL411, concurrency."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import threading

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    local = threading.local()  # breaks: GB0147
    local.scale = 2
    return y * local.scale
""",
    ),
    Example(
        """\
import threading

import torch

lock = threading.Lock()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with lock:  # breaks: GB0142
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import queue
import subprocess

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    subprocess.run(["true"])  # breaks: GB0007
    y = y + 1
    waiting = queue.Queue()  # breaks: GB0007
    return y * 2, waiting
""",
    ),
)
CLEAN = (
    Example(
        """\
import threading

import torch

local = threading.local()
local.scale = 2


def f(x: torch.Tensor) -> torch.Tensor:
    return x * local.scale
""",
    ),
    Example(
        """\
from collections import deque

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    waiting = deque([x, x * 2])
    return waiting.popleft() + waiting.pop()
""",
    ),
    Example(
        """\
import threading

import torch

lock = threading.Lock()


@torch.compile
def step(x: torch.Tensor) -> torch.Tensor:
    return x * 2 + 1


def f(x: torch.Tensor) -> torch.Tensor:
    with lock:
        return step(x)
""",
    ),
)
