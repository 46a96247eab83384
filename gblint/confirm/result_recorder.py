"""The result of a process of a run, in a file that is rewritten during the run."""

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

from gblint.confirm.capture import DynamoCapture, capture
from gblint.confirm.jobs import CallExpressions, CallTiming, Difference, Job, ModeRun, Platform, Result, Status
from gblint.confirm.line_coverage import LineRecorder
from gblint.confirm.line_ranges import to_ranges
from gblint.diagnostics.span import ChainLink

WRITE_INTERVAL = 1.0  # seconds between two writes of an unfinished result


class ResultRecorder:
    """The result of this process so far; a forked child starts a result of its own."""

    def __init__(self, job: Job, path: Path) -> None:
        self.job, self.path = job, path
        self.captured = DynamoCapture(on_change=self.touch)
        self.lines = LineRecorder(job.watch)
        self.passes: list[ModeRun] = []
        self.timings: list[CallTiming] = []
        self.differences: list[Difference] = []
        self.status: Status = "ok"
        self.reason = ""
        self.exit_status: int | None = None
        self.device = ""
        self.call = CallExpressions()
        self._start = time.monotonic()
        self._written = 0.0
        self._lock = threading.Lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def fail(self, status: Status, reason: str) -> None:
        """Set the status and the reason of a failed run."""
        self.status, self.reason = status, reason

    def touch(self) -> None:
        """Write the result, unless it was written less than WRITE_INTERVAL seconds ago."""
        if time.monotonic() - self._written > WRITE_INTERVAL:
            self.write()

    def write(self, *, final: bool = False) -> None:
        """Write the result to its file."""
        with self._lock:
            self._written = time.monotonic()
            data = {**self._result().as_json(), "final": final}
            unfinished = self.path.with_suffix(".new")
            unfinished.write_text(json.dumps(data), encoding="utf-8")
            unfinished.replace(self.path)

    def _forked(self) -> None:
        """Start an empty result in a forked child process."""
        self.path = child_result_path(self.path.parent)
        self._lock = threading.Lock()
        self.captured.clear()

    def _result(self) -> Result:
        """Return the result so far."""
        captured, root = self.captured, self.job.root
        watched = self.lines.files
        compiled = {str(Path(path).resolve()): lines for path, lines in captured.traced.items()}

        def relative(link: ChainLink) -> ChainLink:
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
                    each,
                    frame=relative(each.frame),
                    stack=tuple(map(relative, each.stack)),
                    above=tuple(map(relative, each.above)),
                )
                for each in captured.breaks
            ),
            graphs=tuple(replace(each, frame=relative(each.frame)) for each in captured.graphs),
            recompiles=tuple(replace(each, frame=relative(each.frame)) for each in captured.recompiles),
            skipped=tuple(replace(each, frame=relative(each.frame)) for each in captured.skipped),
            compiled={_below(path, root): to_ranges(lines) for path, lines in compiled.items() if path in watched},
            ran={_below(path, root): to_ranges(lines) for path, lines in self.lines.executed.items()},
            compile_s=round(captured.compile_s, 4),
            frames=captured.frames,
            call=self.call,
        )


def child_result_path(folder: Path) -> Path:
    """Return the file for the result of this process, which is a child of a run."""
    return folder / f"child-{os.getpid()}.json"


@contextlib.contextmanager
def recording(recorder: ResultRecorder) -> Iterator[DynamoCapture]:
    """Record what Dynamo does and which watched lines run."""
    with capture(recorder.job.watch, recorder.captured), recorder.lines.recording():
        yield recorder.captured


@contextlib.contextmanager
def writing_on_exit(recorder: ResultRecorder) -> Iterator[None]:
    """Write the result before ``os._exit`` ends the process."""
    real_exit = os._exit

    @functools.wraps(real_exit)
    def write_and_exit(status: int) -> Any:
        recorder.exit_status = status
        recorder.write(final=True)
        real_exit(status)

    os._exit = write_and_exit
    try:
        yield
    finally:
        os._exit = real_exit


def _platform(device: str) -> Platform:
    """Return the versions and the system of this process."""
    torch = sys.modules.get("torch")
    version = str(getattr(torch, "__version__", ""))
    python = ".".join(map(str, sys.version_info[:3]))
    return Platform(version, python, device, sys.platform)


def _below(path: str, root: str) -> str:
    """Return ``path`` relative to ``root`` if it is below it."""
    start = root.rstrip(os.sep) + os.sep
    return path[len(start) :] if path.startswith(start) else path
