"""TORCH_LOGS text, by itself or among the lines of a program's own log: whole records, whatever stands between."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gblint.runtime_logs.lines import LogLine, decode, split_prefix
from gblint.runtime_logs.record_text import is_record_start, parse_record, record_start
from gblint.runtime_logs.records import LogEntry

MAX_RECORD_LINES = 1000  # lines of a record
_STREAMS = 4096  # processes whose records may be open at a time
_PATIENCE = 20_000  # lines of others before a record that nobody goes on with is taken for finished
# Without one of these a line begins nothing; most lines of a long log are passed over with this one search.
_INTERESTING = re.compile(
    rb"Graph break|Recompiling function |hit config\.|_dynamo\.exc\.|WON'T CONVERT |graph_break=True|start tracing "
)
_TRACING = re.compile(r"(?:Step 1: )?torchdynamo start tracing (?P<name>\S+)")
_STAMP = re.compile(r"\[?\d{4}-\d\d-\d\d[ T]\d\d:|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b|[VDIWEC]\d{4} \d\d:\d\d:\d\d")
# What an unprefixed record goes on with though it is not indented.
_GOES_ON = re.compile(
    r"\s|$|=====|NOTE: |Most recent bytecode|\*\*\* While|User code traceback"
    r"|from user code|Stack variable|The graph break occurred|Graph Break Reason: |Reason: |triggered by"
    r"|torch\.compile will"
)
_GUARDS_GO_ON = re.compile(r"\s|$|triggered by|User stack trace|guard \d|To log all|[Tt]o diagnose")
_LAST = re.compile(
    r"Set TORCHDYNAMO_VERBOSE|You can suppress this exception|To diagnose recompilation|to diagnose recompilation"
)
_STACKED = re.compile(r"\s*(?:User code traceback:|from user code:)|.*from user code at:?$|The graph break occurred in")


@dataclass(slots=True)
class _Open:
    """A record that may go on; with ``same_head`` once a second line has come with the prefix of the first."""

    line: LogLine
    born: int
    lines: list[str] = field(default_factory=list)
    stacked: bool = False
    same_head: bool = False

    def add(self, text: str) -> None:
        if len(self.lines) < MAX_RECORD_LINES:
            self.lines.append(text)
        self.stacked = self.stacked or _STACKED.match(text) is not None


class TextReader:
    """Fed with lines, it gives the records that are complete; ``rank`` is that of the whole file, if it has one."""

    def __init__(self, rank: int | None = None) -> None:
        self._rank = rank
        self._open: dict[str, _Open] = {}
        self._frames: dict[str, tuple[str, str]] = {}
        self._count = 0
        self.prefixed = False

    def feed(self, raw: bytes) -> Iterator[LogEntry]:
        """Take a line; what is complete with it comes back."""
        self._count += 1
        if not self._open and _INTERESTING.search(raw) is None:
            return
        line = split_prefix(decode(raw))
        if self._open and self._count % 1000 == 0:
            yield from self._forget()
        if line.head:
            self.prefixed = True
            yield from self._prefixed(line)
        else:
            yield from self._bare(line)

    def close(self) -> Iterator[LogEntry]:
        """The records that the end of the log completes."""
        for stream in list(self._open):
            yield from self._finish(stream)

    def _prefixed(self, line: LogLine) -> Iterator[LogEntry]:
        current = self._open.get(line.stream)
        if current is not None:
            begins = line.text.startswith(("Graph break", "Recompiling function "))
            if current.line.head == line.head and not (
                begins and not current.lines[0].startswith("Graph break from `")
            ):
                current.add(line.text)
                current.same_head = True
                return
            yield from self._finish(line.stream)
        if is_record_start(line.text):
            yield from self._begin(line, line.text)
        elif tracing := _TRACING.match(line.text):
            if len(self._frames) >= _STREAMS:
                self._frames.clear()
            self._frames[line.stream] = (line.compile_id, tracing["name"])

    def _bare(self, line: LogLine) -> Iterator[LogEntry]:
        current = self._open.get(line.stream)
        if current is not None and (not current.line.head or not current.same_head):
            if self._goes_on(current, line.text):
                current.add(line.text)
                if _LAST.match(line.text.strip()):
                    yield from self._finish(line.stream)
                return
            yield from self._finish(line.stream)
        start = record_start(line.text)
        if start >= 0 and line.stream not in self._open:
            yield from self._begin(line, line.text[start:])

    @staticmethod
    def _goes_on(current: _Open, text: str) -> bool:
        first = current.lines[0]
        if first.startswith("Recompiling ") or "hit config." in first:
            return _GUARDS_GO_ON.match(text) is not None
        if text.startswith(("Traceback (most recent", "torch._dynamo.exc.")):
            # Only some wordings have an error at their end; else it is the one that ends the program.
            return first.startswith("Graph break: ")
        if _STAMP.match(text) or record_start(text) == 0:
            return first.startswith("Graph break from `") and text.startswith("Graph break: from")
        if _GOES_ON.match(text):
            return True
        # The name of the break stands at the margin; behind the stack such a line is somebody else's.
        return first.startswith(("Graph break", "torch._dynamo.exc.")) and not current.stacked

    def _begin(self, line: LogLine, text: str) -> Iterator[LogEntry]:
        if len(self._open) >= _STREAMS:
            yield from self._finish(next(iter(self._open)))
        self._open[line.stream] = opened = _Open(line, self._count)
        opened.add(text)

    def _finish(self, stream: str) -> Iterator[LogEntry]:
        done = self._open.pop(stream)
        compile_id, frame = self._frames.get(stream, ("", ""))
        record = parse_record(done.lines, done.line.compile_id, frame if compile_id == done.line.compile_id else "")
        if record is not None:
            rank = self._rank if done.line.rank is None else done.line.rank
            yield LogEntry(record, rank, done.line.stream)

    def _forget(self) -> Iterator[LogEntry]:
        for stream in [each for each, opened in self._open.items() if self._count - opened.born > _PATIENCE]:
            yield from self._finish(stream)


def read(lines: Iterable[bytes], rank: int | None = None) -> Iterator[LogEntry]:
    """The records in the lines of a log."""
    reader = TextReader(rank)
    for raw in lines:
        yield from reader.feed(raw)
    yield from reader.close()
