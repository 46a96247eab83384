"""What a log comes to: each break, recompile and frame once, with how often, on which ranks, and the time it took.

Memory depends on how many different things a log tells of, not on its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from gblint.runtime_logs.records import (
    LogEntry,
    LogFrame,
    LoggedBreak,
    LoggedCompilation,
    LoggedRecompile,
    LoggedVersion,
    RecompileLimitHit,
)

_GUARDS = 40  # different guards of one function that are kept apart
_STREAMS = 4096
_LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|-?\b\d[\d.e+-]*")
_RESUMED = re.compile(r"torch_dynamo_resume_in_(?P<name>.+)_at_(?P<line>\d{1,9})$")

Place = tuple[str, int]


@dataclass(slots=True)
class RankedCount:
    """How often, and on which ranks (empty where the log does not tell)."""

    count: int = 0
    ranks: set[int] = field(default_factory=set)

    def add(self, told: LogEntry) -> None:
        """Count one more."""
        self.count += 1
        if told.rank is not None:
            self.ranks.add(told.rank)


@dataclass(slots=True)
class BreakCount(RankedCount):
    """A break: ``broken`` is the fullest report of it, ``own`` the innermost frame of the user's own code."""

    broken: LoggedBreak = field(default_factory=lambda: LoggedBreak(LogFrame("", 0)))
    own: LogFrame = field(default_factory=lambda: LogFrame("", 0))


@dataclass(slots=True)
class RecompileCount(RankedCount):
    """A function that was compiled again.

    ``guards`` has the guards that failed, by their text without literals: how often, and the text of the last one.
    ``limit`` is the number of versions at which it was given up, None if it was not.
    """

    function: LogFrame = field(default_factory=lambda: LogFrame("", 0))
    guards: dict[str, tuple[int, str]] = field(default_factory=dict)
    place: LogFrame | None = None
    limit: int | None = None

    def failed(self, guard: str) -> None:
        """Count a guard."""
        kind = _LITERAL.sub("…", guard)
        if guard and (kind in self.guards or len(self.guards) < _GUARDS):
            self.guards[kind] = (self.guards.get(kind, (0, ""))[0] + 1, guard)


@dataclass(slots=True)
class FrameCount(RankedCount):
    """A frame that was compiled; ``seconds`` and ``operations`` are sums over all times."""

    function: LogFrame = field(default_factory=lambda: LogFrame("", 0))
    seconds: float = 0.0
    operations: int = 0


@dataclass(slots=True)
class _Stream:
    """What has been told of the compilation at hand, so that a second mention is not counted."""

    compile_id: str = ""
    places: set[Place] = field(default_factory=set)
    held: list[LogEntry] = field(default_factory=list)


class LogCounters:
    """Takes records one by one; ``is_own`` says whether a path is the user's own code."""

    def __init__(self, is_own: Callable[[str], bool]) -> None:
        self._is_own = is_own
        self.breaks: dict[object, BreakCount] = {}
        self._full: dict[object, BreakCount] = {}
        self._last: dict[Place, object] = {}
        self.recompiles: dict[LogFrame, RecompileCount] = {}
        self.frames: dict[LogFrame, FrameCount] = {}
        self.versions: dict[str, None] = {}
        self.ranks: set[int] = set()
        self._streams: dict[str, _Stream] = {}
        self.records = 0

    def add(self, told: LogEntry) -> None:
        """Count a record."""
        self.records += 1
        if told.rank is not None:
            self.ranks.add(told.rank)
        record = told.record
        if isinstance(record, LoggedBreak):
            self._break(told, record)
        elif isinstance(record, LoggedRecompile):
            found = self._recompile(record.function)
            found.add(told)
            found.failed(record.guard)
            found.place = record.place or found.place
        elif isinstance(record, RecompileLimitHit):
            found = self._recompile(record.function)
            found.limit = max(record.limit, found.limit or 0)
            if not found.guards:
                found.failed(record.guard)
            if told.rank is not None:
                found.ranks.add(told.rank)
        elif isinstance(record, LoggedCompilation):
            frame = self.frames.setdefault(record.function, FrameCount(function=record.function))
            frame.add(told)
            frame.seconds += record.seconds
            frame.operations += record.operations
        elif isinstance(record, LoggedVersion):
            self.versions.setdefault(record.torch)

    def close(self) -> None:
        """Count what was held back."""
        for stream in self._streams.values():
            self._release(stream)
        self._streams.clear()

    def _recompile(self, function: LogFrame) -> RecompileCount:
        key = LogFrame(function.path, function.line, function.function)
        return self.recompiles.setdefault(key, RecompileCount(function=key))

    def _break(self, told: LogEntry, broken: LoggedBreak) -> None:
        if len(self._streams) >= _STREAMS:
            self.close()
        stream = self._streams.setdefault(told.stream, _Stream())
        # A second mention may come after the compilation that it is about.
        if stream.compile_id != broken.compile_id and not (broken.echo and not broken.compile_id):
            self._release(stream)
            stream.compile_id, stream.places = broken.compile_id, set()
        place = (broken.place.path, broken.place.line)
        if broken.echo:
            if place not in stream.places and place not in _places(stream.held):
                stream.held.append(told)
            return
        stream.places.add(place)
        stream.held = [each for each in stream.held if _place(each) != place]
        self._count(told, broken)

    def _release(self, stream: _Stream) -> None:
        for each in stream.held:
            assert isinstance(each.record, LoggedBreak)
            self._count(each, each.record)
        stream.held = []

    def _count(self, told: LogEntry, broken: LoggedBreak) -> None:
        said: object = (broken.gb_ids or (broken.title,), broken.raises)
        place = (broken.place.path, broken.place.line)
        if not broken.stack and not broken.title and place in self._last:
            # Repeated breaks are logged without their reason before torch 2.6.
            said = self._last[place]
        self._last[place] = said
        short = (*place, said)
        own = own_frame(broken, self._is_own)
        found = self._full.get(short) if not broken.stack else None
        if found is None:
            key = (own.path, own.line, *short)
            bare = self._full.get(short)
            if broken.stack and bare is not None and not bare.broken.stack:
                # The full report of a break that was seen without its stack, in a log that begins in the middle.
                self.breaks.pop((bare.own.path, bare.own.line, *short), None)
                self.breaks[key] = bare
            found = self.breaks.setdefault(key, BreakCount())
            self._full[short] = found
        if not found.count or (broken.stack and not found.broken.stack):
            found.broken, found.own = broken, own
        elif broken.frame and not found.broken.frame:
            found.broken = replace(found.broken, frame=broken.frame)
        found.add(told)


def own_frame(broken: LoggedBreak, is_own: Callable[[str], bool]) -> LogFrame:
    """The innermost frame of the user's own code; the innermost of all if there is none."""
    return next((frame for frame in reversed(broken.stack) if is_own(frame.path)), broken.place)


def resume_compile_seconds(found: BreakCount, frames: Iterable[FrameCount]) -> float:
    """The time it took to compile what comes after a break: the functions that go on at the lines of its stack."""
    wanted = {(frame.path, frame.line, frame.function) for frame in (*found.broken.stack, found.broken.place)}
    return sum(frame.seconds for frame in frames if _goes_on(frame.function) in wanted)


def _goes_on(function: LogFrame) -> tuple[str, int, str] | None:
    resumed = _RESUMED.match(function.function)
    return (function.path, int(resumed["line"]), resumed["name"]) if resumed else None


def _place(told: LogEntry) -> Place:
    assert isinstance(told.record, LoggedBreak)
    return told.record.place.path, told.record.place.line


def _places(held: Iterable[LogEntry]) -> Iterator[Place]:
    return map(_place, held)
