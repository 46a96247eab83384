"""Reading what torch logged elsewhere: TORCH_LOGS text, TORCH_TRACE folders, tlparse reports.

``read`` goes through a log once and gives what it comes to; memory depends on how much there is to say, not on the
length of the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gblint.runtime_logs import structured, text, tlparse_files
from gblint.runtime_logs.counters import LogCounters
from gblint.runtime_logs.files import LogSource, Progress, find_logs, lines
from gblint.runtime_logs.records import LogEntry, LogProblem

__all__ = ["Log", "LogProblem", "read"]


@dataclass(slots=True)
class Log:
    """What a log comes to.  ``problems`` has what could not be read to its end; ``prefixed`` is true if torch's own
    prefix was seen, so that a log that tells of nothing is a log of torch's all the same."""

    tally: LogCounters
    sources: int = 0
    problems: list[str] = field(default_factory=list)


def read(given: str, is_own: Callable[[str], bool], progress: Progress | None = None) -> Log:
    """Read a file, a folder, or standard input (``-``); raises LogProblem where there is nothing to read."""
    log = Log(LogCounters(is_own))
    sources = find_logs(given)
    for source in sources:
        try:
            for told in _records(source, progress):
                log.tally.add(told)
        except LogProblem as problem:
            log.problems.append(str(problem))
        log.sources += 1
    log.tally.close()
    if not log.tally.records and given != "-" and Path(given).is_dir() and all(each.kind == "text" for each in sources):
        raise LogProblem(
            f"{given}: no trace or log of torch's in this folder (TORCH_TRACE={given} makes the program write one)"
        )
    return log


def _records(source: LogSource, progress: Progress | None) -> Iterator[LogEntry]:
    name = "" if source.path is None else str(source.path)
    if source.kind == "parts":
        assert source.path is not None
        return tlparse_files.read(source.path, source.rank)
    if source.kind == "trace":
        return structured.read(lines(source, progress), source.rank, name)
    if source.kind == "jsonl":
        assert source.path is not None
        return structured.read_jsonl(
            lines(source, progress), tlparse_files.payloads(source.path.parent), source.rank, name
        )
    return (_named(told, name) for told in text.read(lines(source, progress), source.rank))


def _named(told: LogEntry, name: str) -> LogEntry:
    return LogEntry(told.record, told.rank, f"{name} {told.stream}")
