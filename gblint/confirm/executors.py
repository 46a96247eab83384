"""What jobs are run through: threads of this process, each of which waits for a worker, or a cluster."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

CONNECT_SECONDS = 10.0  # seconds to reach a scheduler


class SchedulerError(Exception):
    """The scheduler cannot be used."""


@contextlib.contextmanager
def executor(jobs: int, several: int | None = None, scheduler: str | None = None) -> Iterator[Executor]:
    """What runs ``jobs`` jobs: ``several`` at a time here, or the Dask cluster of the ``scheduler`` at an address.

    Raises SchedulerProblem.
    """
    if scheduler is not None:
        with _cluster(scheduler) as found:
            yield found
        return
    count = min(several or max((os.cpu_count() or 2) // 2, 1), max(jobs, 1))
    with ThreadPoolExecutor(count) as pool:
        yield pool


@contextlib.contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    try:
        client_of: Any = importlib.import_module("distributed").Client
    except ImportError:
        raise SchedulerError("--scheduler needs Dask: pip install 'gblint[dask]'") from None
    try:
        client = client_of(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        detail = " ".join(str(error).split())
        raise SchedulerError(f"no scheduler answers at {address!r}: {detail or type(error).__name__}") from None
    with client:
        if not client.scheduler_info()["workers"]:
            raise SchedulerError(f"the scheduler at {address!r} has no workers")
        # A job is a function of its data, yet run twice it may come out differently.
        yield client.get_executor(pure=False)
