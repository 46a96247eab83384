"""Threads, locks, queues and processes cannot be used in a graph.

Dynamo cannot resume after a break at `with lock:`, so the whole function around it runs eagerly.

**Instead**

- take the lock around the compiled call, and start threads outside it;
- exchange data before or after the call, not during it.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class Concurrency(Rule):
    """GBL411."""

    code = "GBL411"
    name = "concurrency"
    summary = "threads, processes, locks, queues and subprocesses"
    gb_ids = ("GB0007", "GB0142")
    on = (
        On(
            "call",
            (
                "threading.*",
                "_thread.*",
                "multiprocessing.*",
                "subprocess.*",
                "queue.*",
                "concurrent.*",
                "asyncio.*",
                "signal.*",
                "socket.*",
                "torch.multiprocessing.*",
            ),
        ),
        On(
            "context-manager",
            (
                "threading.*",
                "multiprocessing.*",
                "concurrent.*",
                "_thread.*",
                "torch.multiprocessing.*",
            ),
        ),
    )
    message_template = "`{name}` uses threads or processes"
    help_template = "keep it outside the region"
    recipes = ("contexts.enter_in_eager_runs",)
    BREAKS = (
        Example(
            """\
import threading

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, object]:
    y = x + 1
    thread = threading.current_thread()  # breaks: GB0007
    return y * 2, thread
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import threading

import torch

lock = threading.Lock()


@torch.compile
def inner(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    with lock:
        return inner(x)
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import threading

import torch

lock = threading.Lock()


def f(x: torch.Tensor) -> torch.Tensor:
    with lock:
        y = x * 2
    return y + 1
""",
            """\
import contextlib
import threading

import torch

lock = threading.Lock()


def f(x: torch.Tensor) -> torch.Tensor:
    with contextlib.nullcontext() if torch.compiler.is_compiling() else lock:
        y = x * 2
    return y + 1
""",
            safe=False,
        ),
    )
