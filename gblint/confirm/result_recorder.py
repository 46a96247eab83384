"""What a process of a run has found so far, in a file that is rewritten as it goes on."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from gblint.confirm.capture import Capture, capture
from gblint.confirm.jobs import CallTiming, Difference, Job, ModeRun, Platform, Result, Status, to_ranges
from gblint.confirm.line_coverage import LineRecorder
from gblint.diagnostics.span import ChainLink

WRITE_INTERVAL = 1.0  # seconds between two times that an unfinished result is written


class ResultRecorder:
    """The result as far as it is known, of this process; a child that is forked off begins one of its own."""

    def __init__(self, job: Job, path: Path) -> None:
        self.job, self.path = job, path
        self.seen = Capture(on_change=self.touch)
        self.lines = LineRecorder(job.watch)
        self.passes: list[ModeRun] = []
        self.timings: list[CallTiming] = []
        self.differences: list[Difference] = []
        self.status: Status = "ok"
        self.reason = ""
        self.exit_status: int | None = None
        self.device = ""
        self.called: dict[str, str] = {}
        self._start = time.monotonic()
        self._written = 0.0
        self._lock = threading.Lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def fail(self, status: Status, reason: str) -> None:
        """The run ends for this reason."""
        self.status, self.reason = status, reason

    def touch(self) -> None:
        """Write what there is, unless that was done a moment ago."""
        if time.monotonic() - self._written > WRITE_INTERVAL:
            self.write()

    def write(self, *, final: bool = False) -> None:
        """Write the result."""
        with self._lock:
            self._written = time.monotonic()
            data = {**self._result().as_json(), "final": final}
            unfinished = self.path.with_suffix(".new")
            unfinished.write_text(json.dumps(data), encoding="utf-8")
            unfinished.replace(self.path)

    def _forked(self) -> None:
        self.path = child_result_path(self.path.parent)
        self._lock = threading.Lock()
        self.seen.clear()

    def _result(self) -> Result:
        seen, root = self.seen, self.job.root
        watched = self.lines.files
        compiled = {str(Path(path).resolve()): lines for path, lines in seen.traced.items()}

        def here(link: ChainLink) -> ChainLink:
            return replace(link, path=_below(link.path, root))

        return Result(
            job=self.job.id,
            status=self.status,
            reason=self.reason,
            exit_status=self.exit_status,
            seconds=time.monotonic() - self._start,
            platform=_platform(self.device),
            passes=tuple(self.passes),
            timings=tuple(self.timings),
            differences=tuple(self.differences),
            breaks=tuple(
                replace(
                    each, frame=here(each.frame), stack=tuple(map(here, each.stack)), above=tuple(map(here, each.above))
                )
                for each in seen.breaks
            ),
            graphs=tuple(replace(each, frame=here(each.frame)) for each in seen.graphs),
            recompiles=tuple(replace(each, frame=here(each.frame)) for each in seen.recompiles),
            skipped=tuple(replace(each, frame=here(each.frame)) for each in seen.skipped),
            compiled={_below(path, root): to_ranges(lines) for path, lines in compiled.items() if path in watched},
            ran={_below(path, root): to_ranges(lines) for path, lines in self.lines.seen.items()},
            compile_s=round(seen.compile_s, 4),
            frames=seen.frames,
            **self.called,
        )


def child_result_path(folder: Path) -> Path:
    """Where this process, which a run has started, puts what it finds."""
    return folder / f"child-{os.getpid()}.json"


@contextlib.contextmanager
def recording(report: ResultRecorder) -> Iterator[Capture]:
    """Dynamo is listened to, and the watched lines are noted."""
    with capture(report.job.watch, report.seen), report.lines.watching():
        yield report.seen


@contextlib.contextmanager
def writing_on_exit(report: ResultRecorder) -> Iterator[None]:
    """The result is written before a script leaves the process by a back door."""
    leave = os._exit

    @functools.wraps(leave)
    def leaving(status: int) -> Any:
        report.exit_status = status
        report.write(final=True)
        leave(status)

    os._exit = leaving
    try:
        yield
    finally:
        os._exit = leave


def _platform(device: str) -> Platform:
    torch = sys.modules.get("torch")
    version = str(getattr(torch, "__version__", ""))
    python = ".".join(map(str, sys.version_info[:3]))
    return Platform(version, python, device, sys.platform)


def _below(path: str, root: str) -> str:
    """``path`` relative to ``root`` if it lies below it."""
    start = root.rstrip(os.sep) + os.sep
    return path[len(start) :] if path.startswith(start) else path
