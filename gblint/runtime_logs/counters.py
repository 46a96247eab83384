"""Counters of a log: breaks, recompiles and compiled frames, with number, ranks and times.

Memory depends on the number of different items, not on the length of the log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from gblint.confirm.dynamo_names import resume_point
from gblint.runtime_logs.records import (
    LogEntry,
    LogFrame,
    LoggedBreak,
    LoggedCompilation,
    LoggedRecompile,
    LoggedVersion,
    RecompileLimitHit,
)

_MAX_GUARDS = 40  # different guards counted for one function
_MAX_STREAMS = 4096
_LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|-?\b\d[\d.e+-]*")

Place = tuple[str, int]


@dataclass(slots=True)
class RankedCount:
    """A count, and the ranks (empty if the log has none)."""

    count: int = 0
    ranks: set[int] = field(default_factory=set)

    def add(self, entry: LogEntry) -> None:
        """Count one entry."""
        self.count += 1
        if entry.rank is not None:
            self.ranks.add(entry.rank)


@dataclass(slots=True)
class BreakCount(RankedCount):
    """A break: ``report`` is its most complete report, ``user_frame`` the innermost frame of the user's own code."""

    report: LoggedBreak = field(default_factory=lambda: LoggedBreak(LogFrame("", 0)))
    user_frame: LogFrame = field(default_factory=lambda: LogFrame("", 0))


@dataclass(slots=True)
class RecompileCount(RankedCount):
    """A function that was compiled again.

    - ``guards``: failed guards by their text without literals: the number, and the text of the last one.
    - ``limit``: recompile limit that was reached, or None.
    """

    function: LogFrame = field(default_factory=lambda: LogFrame("", 0))
    guards: dict[str, tuple[int, str]] = field(default_factory=dict)
    place: LogFrame | None = None
    limit: int | None = None

    def add_guard(self, guard: str) -> None:
        """Count a failed guard."""
        pattern = _LITERAL.sub("…", guard)
        if guard and (pattern in self.guards or len(self.guards) < _MAX_GUARDS):
            self.guards[pattern] = (self.guards.get(pattern, (0, ""))[0] + 1, guard)


@dataclass(slots=True)
class FrameCount(RankedCount):
    """A compiled frame; ``seconds`` and ``operations`` are sums over all its compilations."""

    function: LogFrame = field(default_factory=lambda: LogFrame("", 0))
    seconds: float = 0.0
    operations: int = 0


@dataclass(slots=True)
class _StreamState:
    """State of the current compilation of a process, to count a break only once if it has secondary reports."""

    compile_id: str = ""
    places: set[Place] = field(default_factory=set)
    pending: list[LogEntry] = field(default_factory=list)


class LogCounters:
    """Counters of a log; ``is_own``: whether a path is the user's own code."""

    def __init__(self, is_own: Callable[[str], bool]) -> None:
        self._is_own = is_own
        self.breaks: dict[object, BreakCount] = {}
        self._by_reason: dict[object, BreakCount] = {}
        self._last_reasons: dict[Place, object] = {}
        self.recompiles: dict[LogFrame, RecompileCount] = {}
        self.frames: dict[LogFrame, FrameCount] = {}
        self.versions: dict[str, None] = {}
        self.ranks: set[int] = set()
        self._streams: dict[str, _StreamState] = {}
        self.records = 0

    def add(self, entry: LogEntry) -> None:
        """Count an entry."""
        self.records += 1
        if entry.rank is not None:
            self.ranks.add(entry.rank)
        record = entry.record
        if isinstance(record, LoggedBreak):
            self._add_break(entry, record)
        elif isinstance(record, LoggedRecompile):
            found = self._recompile_count(record.function)
            found.add(entry)
            found.add_guard(record.guard)
            found.place = record.place or found.place
        elif isinstance(record, RecompileLimitHit):
            found = self._recompile_count(record.function)
            found.limit = max(record.limit, found.limit or 0)
            if not found.guards:
                found.add_guard(record.guard)
            if entry.rank is not None:
                found.ranks.add(entry.rank)
        elif isinstance(record, LoggedCompilation):
            frame = self.frames.setdefault(record.function, FrameCount(function=record.function))
            frame.add(entry)
            frame.seconds += record.seconds
            frame.operations += record.operations
        elif isinstance(record, LoggedVersion):
            self.versions.setdefault(record.torch)

    def close(self) -> None:
        """Count the secondary reports that are still pending."""
        for stream in self._streams.values():
            self._release(stream)
        self._streams.clear()

    def _recompile_count(self, function: LogFrame) -> RecompileCount:
        """Return the counter of a function's recompilations."""
        key = LogFrame(function.path, function.line, function.function)
        return self.recompiles.setdefault(key, RecompileCount(function=key))

    def _add_break(self, entry: LogEntry, report: LoggedBreak) -> None:
        """Count a break, or keep a secondary report until it is clear that no primary one follows."""
        if len(self._streams) >= _MAX_STREAMS:
            self.close()
        stream = self._streams.setdefault(entry.stream, _StreamState())
        # A secondary report may follow the end of its compilation.
        if stream.compile_id != report.compile_id and not (report.secondary and not report.compile_id):
            self._release(stream)
            stream.compile_id, stream.places = report.compile_id, set()
        place = (report.place.path, report.place.line)
        if report.secondary:
            if place not in stream.places and place not in _places(stream.pending):
                stream.pending.append(entry)
            return
        stream.places.add(place)
        stream.pending = [each for each in stream.pending if _place(each) != place]
        self._count_break(entry, report)

    def _release(self, stream: _StreamState) -> None:
        """Count the pending secondary reports of a process."""
        for each in stream.pending:
            assert isinstance(each.record, LoggedBreak)
            self._count_break(each, each.record)
        stream.pending = []

    def _count_break(self, entry: LogEntry, report: LoggedBreak) -> None:
        """Count a break by place and reason; reports without a stack are counted with the full report."""
        reason_key: object = (report.gb_ids or (report.title,), report.raises)
        place = (report.place.path, report.place.line)
        if not report.stack and not report.title and place in self._last_reasons:
            # Before torch 2.6 repeated breaks are logged without a reason.
            reason_key = self._last_reasons[place]
        self._last_reasons[place] = reason_key
        reason_at_place = (*place, reason_key)
        user_frame = user_frame_of(report, self._is_own)
        found = self._by_reason.get(reason_at_place) if not report.stack else None
        if found is None:
            key = (user_frame.path, user_frame.line, *reason_at_place)
            without_stack = self._by_reason.get(reason_at_place)
            if report.stack and without_stack is not None and not without_stack.report.stack:
                # The full report of a break first seen without its stack, in a log that starts in the middle of a run.
                self.breaks.pop((without_stack.user_frame.path, without_stack.user_frame.line, *reason_at_place), None)
                self.breaks[key] = without_stack
            found = self.breaks.setdefault(key, BreakCount())
            self._by_reason[reason_at_place] = found
        if not found.count or (report.stack and not found.report.stack):
            found.report, found.user_frame = report, user_frame
        elif report.frame and not found.report.frame:
            found.report = replace(found.report, frame=report.frame)
        found.add(entry)


def user_frame_of(report: LoggedBreak, is_own: Callable[[str], bool]) -> LogFrame:
    """Return the innermost frame of the user's own code, or the innermost frame if there is none."""
    return next((frame for frame in reversed(report.stack) if is_own(frame.path)), report.place)


def resume_compile_seconds(found: BreakCount, frames: Iterable[FrameCount]) -> float:
    """Return the compile time after a break: that of the functions that resume at the lines of its stack."""
    wanted = {(frame.path, frame.line, frame.function) for frame in (*found.report.stack, found.report.place)}
    return sum(frame.seconds for frame in frames if _resume_key(frame.function) in wanted)


def _resume_key(function: LogFrame) -> tuple[str, int, str] | None:
    """Return path, line and original name at which a resume function starts, or None."""
    resumed = resume_point(function.function)
    return (function.path, resumed.line, resumed.name) if resumed else None


def _place(entry: LogEntry) -> Place:
    """Return the place of a break."""
    assert isinstance(entry.record, LoggedBreak)
    return entry.record.place.path, entry.record.place.line


def _places(pending: Iterable[LogEntry]) -> Iterator[Place]:
    """Return the places of breaks."""
    return map(_place, pending)
