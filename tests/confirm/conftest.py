"""Fixtures for the tests of ``gblint confirm``. Runs start slowly, so several run at the same time."""

from __future__ import annotations

import atexit
import os
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gblint.confirm.jobs import Job, Limits, Result, Target
from gblint.confirm.run import runner, supervisors

MARK = "GBLINT_TEST_RUN"
SECONDS = 240.0  # far more than a run takes


@pytest.fixture(scope="session")
def pool() -> Iterator[ThreadPoolExecutor]:
    """A pool that runs jobs in parallel."""
    atexit.register(supervisors.cancel)
    with ThreadPoolExecutor(max(2, min(4, (os.cpu_count() or 2)))) as executor:
        yield executor
        supervisors.cancel()


@pytest.fixture(scope="session")
def mark() -> str:
    """Set a variable in the environment of every process of a run, and return its value."""
    os.environ[MARK] = uuid.uuid4().hex
    return os.environ[MARK]


@pytest.fixture(scope="session")
def start(pool: ThreadPoolExecutor, mark: str) -> Callable[..., Future[Result]]:
    """Return a function that starts a job on a folder with the given files."""

    def begin(root: Path, files: dict[str, str], target: Target, **options: Any) -> Future[Result]:
        limits = options.pop("limits", {})
        root.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        job = Job(root.name, target, str(root), (str(root),), tuple(str(root / name) for name in files))
        job = replace(job, limits=Limits(**{"seconds": SECONDS, **limits}))
        return pool.submit(runner.run, replace(job, **options))

    return begin


@pytest.fixture(scope="session")
def left_behind(mark: str) -> Callable[[], list[str]]:
    """Return a function that lists the processes of runs that still exist."""
    return lambda: _marked(mark)


def _marked(mark: str) -> list[str]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdecimal() and int(name) != os.getpid():
            try:
                environment = Path(f"/proc/{name}/environ").read_bytes()
                state = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            # The processes that the tests themselves start have the mark, but not the temporary folder of a run.
            if f"{MARK}={mark}".encode() in environment and b"/gblint-" in environment and state != "Z":
                found.append(Path(f"/proc/{name}/cmdline").read_text().replace("\0", " "))
    return found
