"""Progress on standard error: at a terminal a bar after the first second, elsewhere a line every ten seconds."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

import click

from gblint.project.source_text import neutral

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0  # seconds before anything is shown
INTERVAL = 0.1  # seconds between two updates
LINE_INTERVAL = 10.0  # seconds between two lines


class ProgressBar:
    """A progress bar at a terminal; lines elsewhere, and nothing with --quiet."""

    def __init__(self) -> None:
        self._start = self._drawn = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._has_bar = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        context = click.get_current_context(silent=True)
        self._quiet = context is not None and bool(context.params.get("quiet"))

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int, label: str) -> None:
        """Show that ``done`` of ``total`` work units are finished; ``label`` names the next one."""
        if self._quiet:
            return
        if not self._has_bar:
            self._print_line(done, total, label)
            return
        if self._bar is None and time.monotonic() - self._start < PATIENCE:
            return
        if self._bar is None or self._task is None:
            self._bar, self._task = self._begin()
        self._bar.update(self._task, completed=done, total=total, description=neutral(label)[:40])
        now = time.monotonic()
        if now - self._drawn > INTERVAL:
            self._drawn = now
            self._bar.refresh()

    def pause(self) -> None:
        """Remove the bar from the terminal; the next step that takes long enough draws it again."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = self._task = None
        self._start = time.monotonic()

    def _print_line(self, done: int, total: int, label: str) -> None:
        now = time.monotonic()
        if now - self._drawn >= LINE_INTERVAL:
            self._drawn = now
            state = f"{done:,} of {total:,} done" if done < total else f"the last of {total:,}"
            after = f"after {now - self._start:.0f} s"
            sys.stderr.write(f"note: still running, {state} {after}, now at {neutral(label)}\n")
            sys.stderr.flush()

    @staticmethod
    def _begin() -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
        )
        # A refresh thread would prevent the work from being shared among forked processes.
        bar = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
        bar.start()
        return bar, bar.add_task("", total=None)
