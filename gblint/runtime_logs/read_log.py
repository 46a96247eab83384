"""Reading of all logs in an argument: a file, a folder, or standard input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gblint.runtime_logs import structured, text, tlparse_files
from gblint.runtime_logs.counters import LogCounters
from gblint.runtime_logs.files import LogSource, Progress, find_logs, lines, no_logs_in
from gblint.runtime_logs.records import LogEntry, LogProblem


@dataclass(slots=True)
class LogContents:
    """Counted contents of a log; ``problems`` has the errors of logs that could not be read to their end."""

    counters: LogCounters
    sources: int = 0
    problems: list[str] = field(default_factory=list)


def read_log(argument: str, is_own: Callable[[str], bool], progress: Progress | None = None) -> LogContents:
    """Read a file, a folder, or standard input (``-``); raises LogProblem if there is nothing to read."""
    contents = LogContents(LogCounters(is_own))
    sources = find_logs(argument)
    for source in sources:
        try:
            for entry in _entries(source, progress):
                contents.counters.add(entry)
        except LogProblem as problem:
            contents.problems.append(str(problem))
        contents.sources += 1
    contents.counters.close()
    if not contents.counters.records and argument != "-" and Path(argument).is_dir():
        if all(each.kind == "text" for each in sources):
            raise no_logs_in(argument)
    return contents


def _entries(source: LogSource, progress: Progress | None) -> Iterator[LogEntry]:
    """Yield the entries of a log, with the reader of its format."""
    name = "" if source.path is None else str(source.path)
    if source.kind == "tlparse":
        assert source.path is not None
        return tlparse_files.read(source.path, source.rank)
    if source.kind == "trace":
        return structured.read(lines(source, progress), source.rank, name)
    if source.kind == "jsonl":
        assert source.path is not None
        return structured.read_jsonl(
            lines(source, progress), tlparse_files.payloads(source.path.parent), source.rank, name
        )
    return (_with_file_name(entry, name) for entry in text.read(lines(source, progress), source.rank))


def _with_file_name(entry: LogEntry, name: str) -> LogEntry:
    """Return the entry with the file's name in its stream, since process ids may repeat in other files."""
    return LogEntry(entry.record, entry.rank, f"{name} {entry.stream}")
