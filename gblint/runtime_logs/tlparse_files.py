"""Reader of a tlparse report without the original log: the files that tlparse wrote for each compilation."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from gblint.runtime.files import read_start
from gblint.runtime_logs.lines import without_attempt
from gblint.runtime_logs.record_text import guard_of, parse_record
from gblint.runtime_logs.records import LogEntry, LoggedRecompile, LoggedVersion
from gblint.runtime_logs.structured import first_reason, version_in

_MAX_PAYLOAD = 4 << 20
_FOLDER = re.compile(r"-_(\d+_\d+)(?:_(\d+))?$")
_NAME = re.compile(
    r"(?P<name>dynamo_graph_break_reason|recompile_reasons|torch_version)(?:_(?P<number>\d+))?\.(?:txt|json)$"
)


def payloads(folder: Path) -> Callable[[str], str]:
    """Return a function that reads a file of a report by its name in the report."""
    root = os.path.realpath(folder)

    def read_one(name: str) -> str:
        path = os.path.realpath(os.path.join(root, name))
        # The names come from the report, which may be untrusted: stay below the folder.
        return _read_text(Path(path)) if path.startswith(root + os.sep) else ""

    return read_one


def read(folder: Path, rank: int | None = None) -> Iterator[LogEntry]:
    """Yield the breaks and recompiles of a report, in the order in which they were logged."""
    found: list[tuple[int, str, str, Path]] = []
    for path in folder.glob("*/*"):
        if matched := _NAME.match(path.name):
            where = _FOLDER.search(path.parent.name)
            compile_id = where[1].replace("_", "/") if where else ""
            found.append((int(matched["number"] or 0), matched["name"], compile_id, path))
    for _, name, compile_id, path in sorted(found):
        payload = _read_text(path)
        if name == "dynamo_graph_break_reason":
            record = parse_record(payload.split("\n"), without_attempt(compile_id))
            if record is not None:
                yield LogEntry(record, rank, str(folder))
        elif name == "torch_version":
            if version := version_in(payload):
                yield LogEntry(LoggedVersion(version), rank, str(folder))
        else:
            guard, place = guard_of(first_reason(payload))
            if place is not None:
                yield LogEntry(LoggedRecompile(place, guard, place, compile_id), rank, str(folder))


def _read_text(path: Path) -> str:
    """Return the first part of a file, or "" if it cannot be read."""
    try:
        return read_start(path, _MAX_PAYLOAD).decode("utf-8", "replace")
    except OSError:
        return ""
