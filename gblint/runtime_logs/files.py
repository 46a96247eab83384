"""Log files: finding, opening and decompressing files, folders and standard input."""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from gblint.runtime.files import open_regular, read_start
from gblint.runtime_logs.records import LogProblem
from gblint.runtime_logs.structured import is_envelope

LogKind = Literal["text", "trace", "jsonl", "tlparse"]
Progress = Callable[[int, int, str], None]

_SNIFF_BYTES = 1 << 16
_MAX_LINE_BYTES = {"text": 1 << 20, "trace": 1 << 25, "jsonl": 1 << 25}
_PROGRESS_LINES = 5000  # lines between two progress reports
# A compressed log that unpacks to so much more than its size holds nothing but repetition.
_UNPACKED_BYTES = 1 << 28
_MOST_PACKED = 100
# A line takes as long as so many bytes.
_LINE_BYTES = 100
_SUFFIXES = (".log", ".txt", ".out", ".err", ".jsonl")
_RANK = re.compile(r"rank[_-]?(\d+)")
_TORCHRUN_ATTEMPT = re.compile(r"attempt_\d+$")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MAX_DEPTH = 6


@dataclass(frozen=True, slots=True)
class LogSource:
    """One log: ``path`` is None for standard input. The kind "tlparse" is a tlparse folder without the original log."""

    kind: LogKind
    path: Path | None
    rank: int | None = None
    stream: io.BufferedReader | None = None

    @property
    def name(self) -> str:
        """Name for messages."""
        return "standard input" if self.path is None else str(self.path)


def find_logs(argument: str) -> list[LogSource]:
    """Return the logs that an argument stands for; raises LogProblem if there are none."""
    if argument == "-":
        return [_stream_source(_buffered(sys.stdin.buffer), "standard input")]
    path = Path(argument)
    try:
        if path.is_dir():
            return _in_folder(path)
        if not path.exists():
            raise LogProblem(f"{argument}: no such file or directory")
        if path.suffix == ".html" and _is_report(path.parent):
            return _in_folder(path.parent)
        if not path.is_file():
            # A pipe, such as a shell's process substitution, can be read only once.
            return [_stream_source(open(path, "rb"), argument)]
        return [LogSource(_kind(_first_bytes(path), argument), path, _rank_of(path))]
    except OSError as error:
        raise LogProblem(f"{argument}: cannot be read: {error.strerror or error}") from None


def no_logs_in(folder: str) -> LogProblem:
    """Return the error for a folder without logs of torch."""
    return LogProblem(f"{folder}: no trace or log of torch in this folder (set TORCH_TRACE={folder} to write one)")


def _stream_source(stream: io.BufferedReader, name: str) -> LogSource:
    return LogSource(_kind(stream.peek(_SNIFF_BYTES)[:_SNIFF_BYTES], name), None, stream=stream)


def _is_report(folder: Path) -> bool:
    return any(any(folder.glob(pattern)) for pattern in ("compile_directory.json", "rank_*/compile_directory.json"))


def lines(source: LogSource, progress: Progress | None = None) -> Iterator[bytes]:
    """Yield the lines of a log; over-long lines are cut. Raises LogProblem for a truncated compressed file."""
    raw, total = _open(source)
    longest = _MAX_LINE_BYTES[source.kind]
    try:
        with _text(raw) as stream:
            count, size, work, next_look, skip_rest = 0, 0, 0, _UNPACKED_BYTES, False
            packed = isinstance(stream, io.BufferedReader) and isinstance(stream.raw, gzip.GzipFile)
            while line := stream.readline(longest):
                count += 1
                size += len(line)
                work += max(len(line), _LINE_BYTES)
                if progress is not None and count % _PROGRESS_LINES == 0:
                    progress(_position(raw) >> 20, total >> 20, source.name)
                if packed and work > next_look:
                    next_look += _UNPACKED_BYTES // 16
                    if size > _MOST_PACKED * _position(raw) > 0:
                        raise LogProblem(
                            f"{source.name}: its unpacked size is more than {_MOST_PACKED} times its size;"
                            f" the first {size >> 20} MiB were read"
                        )
                # The rest of an over-long line is skipped.
                if not skip_rest:
                    yield line
                skip_rest = len(line) == longest and not line.endswith(b"\n")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise LogProblem(
            f"{source.name}: the compressed file is truncated or damaged; the part before that was read"
        ) from None
    except OSError as error:
        raise LogProblem(f"{source.name}: cannot be read completely: {error.strerror or error}") from None


def _open(source: LogSource) -> tuple[IO[bytes], int]:
    if source.path is None:
        assert source.stream is not None
        return source.stream, 0
    return open(open_regular(source.path), "rb"), source.path.stat().st_size


def _position(raw: IO[bytes]) -> int:
    try:
        return raw.tell()
    except (OSError, ValueError):
        return 0


def _text(raw: IO[bytes]) -> IO[bytes]:
    """Return ``raw`` decompressed, and recoded to UTF-8 if it is UTF-16 (as PowerShell redirections write)."""
    buffered = _buffered(raw)
    start = buffered.peek(4)
    if start[:2] == b"\x1f\x8b":
        return io.BufferedReader(gzip.GzipFile(fileobj=buffered))
    if start[:2] in _UTF16:
        return _Utf16Lines(buffered)
    return buffered


def _buffered(raw: IO[bytes]) -> io.BufferedReader:
    return raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)  # type: ignore[arg-type]


class _Utf16Lines(io.BytesIO):
    """Lines of UTF-16 text, as UTF-8."""

    def __init__(self, raw: IO[bytes]) -> None:
        super().__init__()
        self._text = io.TextIOWrapper(raw, encoding="utf-16", errors="replace", newline="\n")

    def readline(self, size: int | None = -1, /) -> bytes:
        return self._text.readline(-1 if size is None else size).encode("utf-8", errors="replace")


def _first_bytes(path: Path) -> bytes:
    start = read_start(path, _SNIFF_BYTES)
    if start[:2] == b"\x1f\x8b":
        return _decompressed(start)
    return start


def _decompressed(start: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(start, _SNIFF_BYTES)
    except zlib.error:
        return b"\0"


def _kind(start: bytes, name: str) -> LogKind:
    """Return the kind of a log by its first bytes; raises LogProblem if it is empty or binary."""
    if start[:2] == b"\x1f\x8b":
        start = _decompressed(start)
    if not start.strip():
        raise LogProblem(f"{name}: the file is empty" if name != "standard input" else "standard input is empty")
    if start[:2] in _UTF16:
        return "text"
    if b"\0" in start[:8192]:
        raise LogProblem(f"{name}: a binary file, not a log")
    head = start.split(b"\n", 50)[:50]
    if any(is_envelope(line) for line in head):
        return "trace"
    if head[0].startswith((b'{"string_table"', b'{"artifact"', b'{"attempt"', b'{"chromium_event"')):
        return "jsonl"
    return "text"


def _rank_of(path: Path) -> int | None:
    """Return the rank in the name of a log or of its folder, or None."""
    found = _RANK.search(path.name) or _RANK.search(path.parent.name)
    if found:
        return int(found[1])
    # torchrun --log-dir: RUN/attempt_0/RANK/stderr.log
    if path.parent.name.isdecimal() and _TORCHRUN_ATTEMPT.match(path.parent.parent.name):
        return int(path.parent.name)
    return None


def _in_folder(folder: Path) -> list[LogSource]:
    """Return the traces below a folder; text logs if there are no traces; tlparse reports if tlparse kept no log."""
    found: list[LogSource] = []
    for path, names in _walk(folder):
        if "compile_directory.json" in names or "failures_and_restarts.html" in names:
            found += _tlparse(path, names)
        elif not any(path.is_relative_to(each.path.parent) for each in found if each.path and each.kind != "text"):
            found += _log_files(path, names)
    traces = [each for each in found if each.kind != "text"]
    if not found:
        raise no_logs_in(str(folder))
    return traces or found


def _walk(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    for where, folders, names in os.walk(folder):
        depth = len(Path(where).relative_to(folder).parts)
        folders[:] = sorted(folders) if depth < _MAX_DEPTH else []
        yield Path(where), sorted(names)


def _tlparse(folder: Path, names: list[str]) -> list[LogSource]:
    """Return the log in a tlparse folder, or the folder itself if tlparse kept no log."""
    rank = _rank_of(folder / "raw.log")
    kinds: tuple[tuple[str, LogKind], ...] = (("raw.log", "trace"), ("raw.jsonl", "jsonl"))
    for name, kind in kinds:
        if name in names and _kind_of_file(folder / name) == kind:
            return [LogSource(kind, folder / name, rank)]
    return [LogSource("tlparse", folder, rank)]


def _log_files(folder: Path, names: list[str]) -> Iterator[LogSource]:
    """Yield the log files of a folder."""
    for name in names:
        bare = name.removesuffix(".gz")
        if bare.endswith(_SUFFIXES) or bare in ("stdout", "stderr"):
            kind = _kind_of_file(folder / name)
            if kind is not None:
                yield LogSource(kind, folder / name, _rank_of(folder / name))


def _kind_of_file(path: Path) -> LogKind | None:
    try:
        return _kind(_first_bytes(path), str(path))
    except (OSError, LogProblem):
        return None
