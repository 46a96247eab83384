"""The state of a workspace project between two runs: edits not yet analysed, and the last analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from gblint.diagnostics.report import FileError
from gblint.editors.server.jobs import Answer
from gblint.runtime.lazy_dataclasses import dataclass, field


@dataclass(slots=True)
class PendingEdits:
    """The edits since the start, and those that no run has analysed yet.

    ``number`` counts all edits.  ``epoch`` counts the changes that invalidate everything kept in memory.  ``changed``
    has the files that were edited, and ``on_disk`` those that have to be read again from disk.
    """

    number: int = 0
    epoch: int = 0
    changed: set[str] = field(default_factory=set)
    on_disk: set[str] = field(default_factory=set)

    def add(self, path: str | None, on_disk: bool) -> None:
        """Record an edit of a file; None means that anything in the project may have changed."""
        self.number += 1
        if path is None:
            self.epoch += 1
        else:
            self.changed.add(path)
            if on_disk:
                self.on_disk.add(path)


@dataclass(slots=True)
class LastAnalysis:
    """The analysis that later runs of a part are merged into.

    ``texts`` are the lines of the open files that were analysed, and ``number`` is the number of the job. ``answer`` is
    None before the first run.  ``complete`` is true if the whole project was analysed, and ``fast`` if that is so quick
    that analysing a part first is not worthwhile.
    """

    answer: Answer | None = None
    number: int = 0
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    complete: bool = False
    fast: bool = False


class ErrorReporter:
    """Reports each internal error, and each warning about fixes, once."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._reported: set[str] = set()

    def crashed(self, place: object, error: str) -> None:
        """Report an error in the analysis of ``place`` unless it was reported before."""
        if error not in self._reported:
            self._reported.add(error)
            self._report(f"internal error while analysing {place}: {error}")

    def warned(self, warnings: Iterable[FileError]) -> None:
        """Report each warning unless it was reported before."""
        for each in warnings:
            text = f"{each.path}:{each.line}: {each.message}"
            if text not in self._reported:
                self._reported.add(text)
                self._report(text)
