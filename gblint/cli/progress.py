"""A progress bar on standard error, shown at a terminal for work that takes more than a second."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from gblint.project.source_text import neutral

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0  # seconds before anything is shown
INTERVAL = 0.1  # seconds between two updates


class ProgressBar:
    """A progress bar; it shows nothing in a pipe or during the first second."""

    def __init__(self) -> None:
        self._start = self._drawn = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._silent = not sys.stderr.isatty() or os.environ.get("TERM") == "dumb"

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int, label: str) -> None:
        """Show that ``done`` of ``total`` work units are finished; ``label`` names the next one."""
        if self._silent or (self._bar is None and time.monotonic() - self._start < PATIENCE):
            return
        if self._bar is None or self._task is None:
            self._bar, self._task = self._begin()
        self._bar.update(self._task, completed=done, total=total, description=neutral(label)[:40])
        now = time.monotonic()
        if now - self._drawn > INTERVAL:
            self._drawn = now
            self._bar.refresh()

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
