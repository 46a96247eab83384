"""Reader of TORCH_LOGS text, alone or between the lines of a program's own log."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gblint.runtime_logs.lines import LogLine, decode, split_prefix
from gblint.runtime_logs.record_text import is_record_start, parse_record, record_start
from gblint.runtime_logs.records import LogEntry

MAX_RECORD_LINES = 1000  # lines of a record
_MAX_STREAMS = 4096  # processes with open records at a time
_MAX_GAP = 20_000  # lines without a continuation after which a record is finished
# A line without one of these starts no record; this one search skips most lines of a long log.
_RECORD_START = re.compile(
    rb"Graph break|Recompiling function |hit config\.|_dynamo\.exc\.|WON'T CONVERT |graph_break=True|start tracing "
)
_TRACING = re.compile(r"(?:Step 1: )?torchdynamo start tracing (?P<name>\S+)")
_STAMP = re.compile(r"\[?\d{4}-\d\d-\d\d[ T]\d\d:|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b|[VDIWEC]\d{4} \d\d:\d\d:\d\d")
# Continuations of an unprefixed record that are not indented.
_CONTINUATION = re.compile(
    r"\s|$|=====|NOTE: |Most recent bytecode|\*\*\* While|User code traceback"
    r"|from user code|Stack variable|The graph break occurred|Graph Break Reason: |Reason: |triggered by"
    r"|torch\.compile will"
)
_GUARD_CONTINUATION = re.compile(r"\s|$|triggered by|User stack trace|guard \d|To log all|[Tt]o diagnose")
_LAST_LINE = re.compile(
    r"Set TORCHDYNAMO_VERBOSE|You can suppress this exception|To diagnose recompilation|to diagnose recompilation"
)
_STACK_START = re.compile(
    r"\s*(?:User code traceback:|from user code:)|.*from user code at:?$|The graph break occurred in"
)


@dataclass(slots=True)
class _OpenRecord:
    """A record that may continue; ``same_prefix`` is true once a second line had the prefix of the first."""

    line: LogLine
    first_line_number: int
    lines: list[str] = field(default_factory=list)
    has_stack: bool = False
    same_prefix: bool = False

    def add(self, text: str) -> None:
        if len(self.lines) < MAX_RECORD_LINES:
            self.lines.append(text)
        self.has_stack = self.has_stack or _STACK_START.match(text) is not None


class TextReader:
    """Incremental reader: takes lines and yields the completed records. ``rank`` is the rank of the whole file, if
    known."""

    def __init__(self, rank: int | None = None) -> None:
        self._rank = rank
        self._open: dict[str, _OpenRecord] = {}
        self._frames: dict[str, tuple[str, str]] = {}
        self._count = 0
        self.prefixed = False

    def feed(self, raw: bytes) -> Iterator[LogEntry]:
        """Take a line and yield the records that it completes."""
        self._count += 1
        if not self._open and _RECORD_START.search(raw) is None:
            return
        line = split_prefix(decode(raw))
        if self._open and self._count % 1000 == 0:
            yield from self._finish_stale()
        if line.prefix:
            self.prefixed = True
            yield from self._prefixed_line(line)
        else:
            yield from self._unprefixed_line(line)

    def close(self) -> Iterator[LogEntry]:
        """Yield the records that the end of the log completes."""
        for stream in list(self._open):
            yield from self._finish(stream)

    def _prefixed_line(self, line: LogLine) -> Iterator[LogEntry]:
        """Take a line with torch's prefix: it continues the open record of its process, or finishes it and may start
        another."""
        current = self._open.get(line.stream)
        if current is not None:
            begins = line.text.startswith(("Graph break", "Recompiling function "))
            if current.line.prefix == line.prefix and not (
                begins and not current.lines[0].startswith("Graph break from `")
            ):
                current.add(line.text)
                current.same_prefix = True
                return
            yield from self._finish(line.stream)
        if is_record_start(line.text):
            yield from self._begin(line, line.text)
        elif tracing := _TRACING.match(line.text):
            if len(self._frames) >= _MAX_STREAMS:
                self._frames.clear()
            self._frames[line.stream] = (line.compile_id, tracing["name"])

    def _unprefixed_line(self, line: LogLine) -> Iterator[LogEntry]:
        """Take a line without a prefix: it continues the open record, or may start one."""
        current = self._open.get(line.stream)
        if current is not None and (not current.line.prefix or not current.same_prefix):
            if self._continues(current, line.text):
                current.add(line.text)
                if _LAST_LINE.match(line.text.strip()):
                    yield from self._finish(line.stream)
                return
            yield from self._finish(line.stream)
        start = record_start(line.text)
        if start >= 0 and line.stream not in self._open:
            yield from self._begin(line, line.text[start:])

    @staticmethod
    def _continues(current: _OpenRecord, text: str) -> bool:
        """Return whether an unprefixed line continues a record."""
        first = current.lines[0]
        if first.startswith("Recompiling ") or "hit config." in first:
            return _GUARD_CONTINUATION.match(text) is not None
        if text.startswith(("Traceback (most recent", "torch._dynamo.exc.")):
            # Only some wordings end with an error; otherwise the error is the one that ends the program.
            return first.startswith("Graph break: ")
        if _STAMP.match(text) or record_start(text) == 0:
            return first.startswith("Graph break from `") and text.startswith("Graph break: from")
        if _CONTINUATION.match(text):
            return True
        # The title of a break is not indented; after the stack, an unindented line belongs to other output.
        return first.startswith(("Graph break", "torch._dynamo.exc.")) and not current.has_stack

    def _begin(self, line: LogLine, text: str) -> Iterator[LogEntry]:
        """Open a record."""
        if len(self._open) >= _MAX_STREAMS:
            yield from self._finish(next(iter(self._open)))
        self._open[line.stream] = record = _OpenRecord(line, self._count)
        record.add(text)

    def _finish(self, stream: str) -> Iterator[LogEntry]:
        """Close the open record of a process and parse it."""
        done = self._open.pop(stream)
        compile_id, frame = self._frames.get(stream, ("", ""))
        record = parse_record(done.lines, done.line.compile_id, frame if compile_id == done.line.compile_id else "")
        if record is not None:
            rank = self._rank if done.line.rank is None else done.line.rank
            yield LogEntry(record, rank, done.line.stream)

    def _finish_stale(self) -> Iterator[LogEntry]:
        """Close records that have not been continued for a long time."""
        for stream in [
            each for each, open_record in self._open.items() if self._count - open_record.first_line_number > _MAX_GAP
        ]:
            yield from self._finish(stream)


def read(lines: Iterable[bytes], rank: int | None = None) -> Iterator[LogEntry]:
    """Yield the records in the lines of a log."""
    reader = TextReader(rank)
    for raw in lines:
        yield from reader.feed(raw)
    yield from reader.close()
