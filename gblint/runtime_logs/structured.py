"""Readers of structured logs: those that ``TORCH_TRACE`` writes, and those that tlparse makes of them.

A record is a line with a prefix and a JSON object (``torch/_logging/_internal.py``, trace_structured); its payload
follows in lines that start with a tab. Strings in stacks are interned: ``{"str": [text, number]}``. tlparse keeps the
whole as ``raw.log``; its ``raw.jsonl`` has one object a line, with a table of strings first and payloads in files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from gblint.runtime.json_files import parse_json
from gblint.runtime_logs.lines import without_attempt
from gblint.runtime_logs.record_text import guard_of, ids_in, merge_resumed, parse_record
from gblint.runtime_logs.records import (
    LogEntry,
    LogFrame,
    LoggedBreak,
    LoggedCompilation,
    LoggedRecompile,
    LoggedVersion,
    RecompileLimitHit,
    Record,
)

_ENVELOPE = re.compile(
    rb"(?:\[rank\d+\]:)?[VDIWEC]\d{4,8} [\d:.]+ +(?:(?P<pid>\d+) +)?[^\s:]+:\d+\] (?P<json>\{.*)", re.DOTALL
)
_WANTED = re.compile(
    rb'\{"str": |"dynamo_start": |"compilation_metrics": |"name": "(?:dynamo_graph_break_reason|recompile_reasons'
    rb'|dynamo_error|torch_version)"'
)
_ARTIFACTS = frozenset({"dynamo_graph_break_reason", "recompile_reasons", "dynamo_error", "torch_version"})
_MAX_PAYLOAD = 4 << 20  # characters of a payload
_MAX_STRINGS = 200_000
_MAX_SECONDS = 1e9  # larger or negative numbers of seconds are ignored
_LIMIT = re.compile(r"recompile_limit|cache_size_limit|recompile limit exceeded", re.IGNORECASE)
_NUMBER = re.compile(r"set to (\d{1,9})|limit \((\d{1,9})\)|limit reached \((\d{1,9})\)")


def is_envelope(line: bytes) -> bool:
    """Return whether a line starts a record of a structured log."""
    return _ENVELOPE.match(line) is not None


def read(lines: Iterable[bytes], rank: int | None = None, stream: str = "") -> Iterator[LogEntry]:
    """Yield the records of a structured log."""
    reader = _ObjectReader(rank, stream)
    pending: dict[str, Any] | None = None
    payload: list[str] = []
    size = 0
    for line in lines:
        if line[:1] == b"\t":
            if pending is not None and size < _MAX_PAYLOAD:
                payload.append(line[1:].decode("utf-8", errors="replace").rstrip("\r\n"))
                size += len(line)
            continue
        if pending is not None:
            yield from reader.read_object(pending, "\n".join(payload))
            pending = None
        if _WANTED.search(line, 0, 600) is None:
            continue
        pending, payload, size = _parse_envelope(line), [], 0
    if pending is not None:
        yield from reader.read_object(pending, "\n".join(payload))
    yield from reader.close()


def read_jsonl(
    lines: Iterable[bytes], payload: Callable[[str], str], rank: int | None = None, stream: str = ""
) -> Iterator[LogEntry]:
    """Yield the records of tlparse's ``raw.jsonl``; ``payload`` reads a payload file."""
    reader = _ObjectReader(rank, stream)
    for line in lines:
        if b'"string_table"' not in line[:40] and not any(word in line for word in _JSONL_WANTED):
            continue
        found = _load(line)
        if isinstance(found.get("string_table"), list):
            reader.strings.update(enumerate(map(str, found["string_table"])))
            continue
        name = found.get("payload_filename")
        yield from reader.read_object(found, payload(name) if isinstance(name, str) and _artifact_name(found) else "")
    yield from reader.close()


_JSONL_WANTED = (b'"dynamo_start"', b'"compilation_metrics"', *(f'"{name}"'.encode() for name in sorted(_ARTIFACTS)))


def _parse_envelope(line: bytes) -> dict[str, Any]:
    """Return the JSON object in a line; {} if there is none."""
    found = _ENVELOPE.match(line)
    if found is None:
        return {}
    made = _load(found["json"])
    if found["pid"]:
        made.setdefault("thread", found["pid"].decode())
    return made


def _load(text: bytes) -> dict[str, Any]:
    """Return a JSON object; {} for anything else."""
    try:
        found = parse_json(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _artifact_name(record: Mapping[str, Any]) -> str:
    """Return the name of the artifact that an object describes, or ""."""
    artifact = record.get("artifact")
    name = artifact.get("name") if isinstance(artifact, dict) else None
    return name if isinstance(name, str) and name in _ARTIFACTS else ""


class _ObjectReader:
    """Reader of objects with the state that later records need: strings, the current stack, and functions
    by frame id."""

    def __init__(self, rank: int | None, stream: str) -> None:
        self.strings: dict[int, str] = {}
        self._rank, self._stream = rank, stream
        self._started: tuple[str, tuple[LogFrame, ...]] = ("", ())
        self._pending_recompile: tuple[str, str, LogFrame | None] | None = None
        self._reported: set[str] = set()
        self._functions: dict[str, LogFrame] = {}

    def read_object(self, record: Mapping[str, Any], payload: str) -> Iterator[LogEntry]:
        """Yield the entries of one object of the log."""
        rank = record.get("rank")
        source_rank = rank if isinstance(rank, int) else self._rank
        for each in self._records(record, payload):
            yield LogEntry(each, source_rank, f"{self._stream} {record.get('thread', '')}".strip())

    def close(self) -> Iterator[LogEntry]:
        """Yield the pending recompile."""
        for each in self._flush_recompile(None):
            yield LogEntry(each, self._rank, self._stream)

    def _records(self, record: Mapping[str, Any], payload: str) -> Iterator[Record]:
        """Yield the records of one object."""
        compile_id = _compile_id(record)
        if "str" in record:
            self._intern(record["str"])
        elif "dynamo_start" in record:
            stack = self._stack(record["dynamo_start"])
            self._started = (compile_id, stack)
            if stack:
                self._remember(compile_id, stack[-1])
            yield from self._flush_recompile(self._functions.get(_frame_id(compile_id)), compile_id)
        elif isinstance(record.get("compilation_metrics"), dict):
            yield from self._read_metrics(record["compilation_metrics"], compile_id)
        elif name := _artifact_name(record):
            yield from self._read_artifact(name, payload, compile_id)

    def _read_artifact(self, name: str, payload: str, compile_id: str) -> Iterator[Record]:
        """Yield the records of an artifact's payload."""
        if name == "torch_version":
            if version := version_in(payload):
                yield LoggedVersion(version)
        elif name == "recompile_reasons":
            yield from self._flush_recompile(None)
            guard, place = guard_of(first_reason(payload))
            self._pending_recompile = (compile_id, guard, place)
        else:
            yield from self._read_break(payload, compile_id, secondary=name == "dynamo_error")

    def _read_break(self, payload: str, compile_id: str, secondary: bool) -> Iterator[Record]:
        """Yield the break that a payload describes."""
        started, above = self._started
        frame = above[-1].function if started == compile_id and above else ""
        lines = payload.split("\n")
        if secondary:
            heads = [number for number, line in enumerate(lines) if line.startswith("torch._dynamo.exc.")]
            lines = lines[heads[-1] :] if heads else []
        found = parse_record(lines, compile_id, frame)
        if not isinstance(found, LoggedBreak):
            return
        self._reported.add(compile_id)
        stack = found.stack
        if stack and above and started == compile_id and stack[0].function != "<module>":
            # Older versions log only the part of the stack that is being compiled.
            stack = merge_resumed((*above[:-1], replace(stack[0], function=above[-1].function), *stack[1:]))
        yield LoggedBreak(
            found.place, stack, found.title, found.gb_ids, found.consequence_ids, found.text, found.outcome,
            secondary and found.raises, found.frame, compile_id, secondary,
        )  # fmt: skip

    def _read_metrics(self, metrics: Mapping[str, Any], compile_id: str) -> Iterator[Record]:
        """Yield the records in the metrics of a compilation."""
        path, name, line = metrics.get("co_filename"), metrics.get("co_name"), metrics.get("co_firstlineno")
        if isinstance(path, str) and isinstance(line, int):
            function = self._remember(compile_id, LogFrame(path, line, str(name or "")))
        elif (known := self._functions.get(_frame_id(compile_id))) is not None:
            # A failure before tracing, such as the recompile limit, does not name the function.
            function = known
        else:
            return
        yield from self._flush_recompile(function, compile_id)
        if isinstance(metrics.get("pytorch_version"), str):
            yield LoggedVersion(metrics["pytorch_version"])
        seconds = metrics.get("entire_frame_compile_time_s")
        if seconds is None and isinstance(metrics.get("duration_us"), int):
            seconds = metrics["duration_us"] / 1e6
        operations = metrics.get("graph_op_count")
        yield LoggedCompilation(
            function,
            float(seconds) if isinstance(seconds, (int, float)) and 0 <= seconds < _MAX_SECONDS else 0.0,
            operations if isinstance(operations, int) else 0,
            compile_id,
        )
        reason = metrics.get("fail_reason")
        if isinstance(reason, str) and _LIMIT.search(reason.split("\n", 1)[0]):
            number = _NUMBER.search(reason)
            yield RecompileLimitHit(function, int(next(filter(None, number.groups()))) if number else 0, "", compile_id)
        elif isinstance(reason, str) and "Unsupported" in str(metrics.get("fail_type")):
            yield from self._failure(metrics, function, reason, compile_id)
        elif compile_id not in self._reported:
            # Before torch 2.6 a trace has only the reasons.
            reasons = metrics.get("restart_reasons")
            for each in reasons if isinstance(reasons, list) else ():
                if isinstance(each, str) and "restart" not in each.lower():
                    yield self._reason_only(function, each, compile_id)
        self._reported.discard(compile_id)

    def _failure(
        self, metrics: Mapping[str, Any], function: LogFrame, reason: str, compile_id: str
    ) -> Iterator[Record]:
        """Yield the break that made a compilation fail, unless it has been reported."""
        if compile_id in self._reported:
            return
        path, line = metrics.get("fail_user_frame_filename"), metrics.get("fail_user_frame_lineno")
        place = LogFrame(path, line) if isinstance(path, str) and isinstance(line, int) else function
        yield self._reason_only(place, reason, compile_id, function.function)

    @staticmethod
    def _reason_only(place: LogFrame, reason: str, compile_id: str, skipped: str = "") -> LoggedBreak:
        """Return a break with only a reason."""
        text = tuple(reason.split("\n"))
        ids, consequence_ids = ids_in(text)
        return LoggedBreak(
            place, (), text[0].strip(), ids, consequence_ids, text, "frame-eager" if skipped else "resumes",
            frame=skipped, compile_id=compile_id, secondary=True,
        )  # fmt: skip

    def _flush_recompile(self, function: LogFrame | None, compile_id: str = "") -> Iterator[Record]:
        """Yield the pending recompile, once its function is known."""
        if self._pending_recompile is None:
            return
        compiled, guard, place = self._pending_recompile
        self._pending_recompile = None
        if function is None or compiled != compile_id:
            function = self._functions.get(_frame_id(compiled), place)
        if function is not None:
            yield LoggedRecompile(function, guard, place, compiled)

    def _remember(self, compile_id: str, function: LogFrame) -> LogFrame:
        """Store the function of a frame id, without the text of its line."""
        plain = LogFrame(function.path, function.line, function.function)
        if len(self._functions) < _MAX_STRINGS:
            self._functions[_frame_id(compile_id)] = plain
        return plain

    def _intern(self, pair: Any) -> None:
        """Store an interned string."""
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], int) and len(self.strings) < _MAX_STRINGS:
            self.strings[pair[1]] = str(pair[0])

    def _stack(self, start: Any) -> tuple[LogFrame, ...]:
        """Return the stack in a ``dynamo_start`` object."""
        stack = start.get("stack") if isinstance(start, dict) else None
        frames = []
        for each in stack if isinstance(stack, list) else ():
            if isinstance(each, dict) and isinstance(each.get("line"), int):
                path = each.get("filename")
                path = self.strings.get(path, "") if isinstance(path, int) else str(path or "")
                frames.append(
                    LogFrame(path, each["line"], str(each.get("name", "")), str(each.get("loc") or "").strip())
                )
        return tuple(frames)


def _compile_id(record: Mapping[str, Any]) -> str:
    """Return the compile id of an object, without the attempt."""
    frame, again = record.get("frame_id"), record.get("frame_compile_id")
    autograd = record.get("compiled_autograd_id")
    plain = "" if frame is None else f"{frame}/{again}"
    return without_attempt(f"!{autograd}/{plain}" if autograd is not None else plain)


def version_in(payload: str) -> str:
    """Return the version in the artifact ``torch_version``."""
    version = _load(payload.encode()).get("pytorch_version")
    return version if isinstance(version, str) else ""


def _frame_id(compile_id: str) -> str:
    """Return the frame's part of a compile id."""
    return compile_id.rpartition("/")[0]


def first_reason(payload: str) -> str:
    """Return the first failed guard of the payload, which is a text or a list of texts."""
    try:
        found = parse_json(payload)
    except ValueError:
        found = payload
    first = found[0] if isinstance(found, list) and found else found
    return str(first).split("\n", 1)[0]
