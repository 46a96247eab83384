"""Executors that run jobs: threads of this process, each waiting for a worker process, or a Dask cluster."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

CONNECT_SECONDS = 10.0  # seconds to reach a scheduler


class SchedulerError(Exception):
    """The Dask scheduler cannot be used."""


@contextlib.contextmanager
def executor(jobs: int, workers: int | None = None, scheduler: str | None = None) -> Iterator[Executor]:
    """Yield an executor for ``jobs`` jobs: a pool of ``workers`` threads, or the Dask cluster at the address
    ``scheduler``.

    Raises SchedulerError.
    """
    if scheduler is not None:
        with _cluster(scheduler) as cluster:
            yield cluster
        return
    count = min(workers or max((os.cpu_count() or 2) // 2, 1), max(jobs, 1))
    with ThreadPoolExecutor(count) as pool:
        yield pool


@contextlib.contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    """Connect to the Dask scheduler at ``address`` and yield its executor."""
    try:
        client_of: Any = importlib.import_module("distributed").Client
    except ImportError:
        raise SchedulerError("--scheduler needs Dask: pip install distributed") from None
    try:
        client = client_of(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        detail = " ".join(str(error).split())
        raise SchedulerError(f"no scheduler answers at {address!r}: {detail or type(error).__name__}") from None
    with client:
        if not client.scheduler_info()["workers"]:
            raise SchedulerError(f"the scheduler at {address!r} has no workers")
        # pure=False: Dask must not reuse the result of an equal job, since two runs of one job may differ.
        yield client.get_executor(pure=False)
