"""Finding and opening logs: files, folders, standard input; packed or not."""

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

from gblint.runtime_logs.records import LogProblem
from gblint.runtime_logs.structured import is_envelope

LogKind = Literal["text", "trace", "jsonl", "parts"]
Progress = Callable[[int, int, str], None]

_SNIFFED = 1 << 16
_LONGEST_LINE = {"text": 1 << 20, "trace": 1 << 25, "jsonl": 1 << 25}
_STEP = 5000  # lines between two reports of progress
_SUFFIXES = (".log", ".txt", ".out", ".err", ".jsonl")
_RANK = re.compile(r"rank[_-]?(\d+)")
_TORCHRUN = re.compile(r"attempt_\d+$")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class LogSource:
    """One log: ``path`` is None for standard input.  ``parts`` is a folder of tlparse's without the log itself."""

    kind: LogKind
    path: Path | None
    rank: int | None = None
    stream: io.BufferedReader | None = None

    @property
    def name(self) -> str:
        """What to call it."""
        return "standard input" if self.path is None else str(self.path)


def find_logs(given: str) -> list[LogSource]:
    """The logs that an argument means; raises LogProblem if there are none."""
    if given == "-":
        return [_streamed(_buffered(sys.stdin.buffer), "standard input")]
    path = Path(given)
    try:
        if path.is_dir():
            return _in_folder(path)
        if not path.exists():
            raise LogProblem(f"{given}: no such file or directory")
        if path.suffix == ".html" and _is_report(path.parent):
            return _in_folder(path.parent)
        if not path.is_file():
            # A pipe, such as a shell's process substitution: what has been read of it is gone.
            return [_streamed(open(path, "rb"), given)]
        return [LogSource(_kind(_beginning(path), given), path, _rank_of(path))]
    except OSError as error:
        raise LogProblem(f"{given}: cannot be read: {error.strerror or error}") from None


def _streamed(stream: io.BufferedReader, name: str) -> LogSource:
    return LogSource(_kind(stream.peek(_SNIFFED)[:_SNIFFED], name), None, stream=stream)


def _is_report(folder: Path) -> bool:
    return any(any(folder.glob(pattern)) for pattern in ("compile_directory.json", "rank_*/compile_directory.json"))


def lines(source: LogSource, progress: Progress | None = None) -> Iterator[bytes]:
    """The lines of a log, one at a time, none longer than fits; a packed file may end early (LogProblem)."""
    raw, total = _open(source)
    longest = _LONGEST_LINE[source.kind]
    try:
        with _text(raw) as stream:
            count, rest = 0, False
            while line := stream.readline(longest):
                count += 1
                if progress is not None and count % _STEP == 0:
                    progress(_position(raw) >> 20, total >> 20, source.name)
                # The rest of a line that is too long belongs to no record.
                if not rest:
                    yield line
                rest = len(line) == longest and not line.endswith(b"\n")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise LogProblem(f"{source.name}: the packed file is cut off or damaged; what came before was read") from None
    except OSError as error:
        raise LogProblem(f"{source.name}: cannot be read to its end: {error.strerror or error}") from None


def _open(source: LogSource) -> tuple[IO[bytes], int]:
    if source.path is None:
        assert source.stream is not None
        return source.stream, 0
    return open(source.path, "rb"), source.path.stat().st_size


def _position(raw: IO[bytes]) -> int:
    try:
        return raw.tell()
    except (OSError, ValueError):
        return 0


def _text(raw: IO[bytes]) -> IO[bytes]:
    """``raw`` unpacked, and in UTF-8 where it is UTF-16 (what a redirection in PowerShell writes)."""
    buffered = _buffered(raw)
    start = buffered.peek(4)
    if start[:2] == b"\x1f\x8b":
        return io.BufferedReader(gzip.GzipFile(fileobj=buffered))
    if start[:2] in _UTF16:
        return _Recoded(buffered)
    return buffered


def _buffered(raw: IO[bytes]) -> io.BufferedReader:
    return raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)  # type: ignore[arg-type]


class _Recoded(io.BytesIO):
    """Lines of UTF-16 text as UTF-8."""

    def __init__(self, raw: IO[bytes]) -> None:
        super().__init__()
        self._text = io.TextIOWrapper(raw, encoding="utf-16", errors="replace", newline="\n")

    def readline(self, size: int | None = -1, /) -> bytes:
        return self._text.readline(-1 if size is None else size).encode("utf-8", errors="replace")


def _beginning(path: Path) -> bytes:
    with open(path, "rb") as raw:
        start = raw.read(_SNIFFED)
    if start[:2] == b"\x1f\x8b":
        return _unpacked(start)
    return start


def _unpacked(start: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(start, _SNIFFED)
    except zlib.error:
        return b"\0"


def _kind(start: bytes, name: str) -> LogKind:
    if start[:2] == b"\x1f\x8b":
        start = _unpacked(start)
    if not start.strip():
        raise LogProblem(f"{name}: the file is empty" if name != "standard input" else "standard input is empty")
    if start[:2] in _UTF16:
        return "text"
    if b"\0" in start[:8192]:
        raise LogProblem(f"{name}: no text but binary data")
    head = start.split(b"\n", 50)[:50]
    if any(is_envelope(line) for line in head):
        return "trace"
    if head[0].startswith((b'{"string_table"', b'{"artifact"', b'{"attempt"', b'{"chromium_event"')):
        return "jsonl"
    return "text"


def _rank_of(path: Path) -> int | None:
    found = _RANK.search(path.name) or _RANK.search(path.parent.name)
    if found:
        return int(found[1])
    # torchrun --log-dir: RUN/attempt_0/RANK/stderr.log
    if path.parent.name.isdecimal() and _TORCHRUN.match(path.parent.parent.name):
        return int(path.parent.name)
    return None


def _in_folder(folder: Path) -> list[LogSource]:
    """The traces below a folder; text logs where there are no traces; what tlparse made of one where it kept none."""
    found: list[LogSource] = []
    for path, names in _walk(folder):
        if "compile_directory.json" in names or "failures_and_restarts.html" in names:
            found += _tlparse(path, names)
        elif not any(path.is_relative_to(each.path.parent) for each in found if each.path and each.kind != "text"):
            found += _loose(path, names)
    traces = [each for each in found if each.kind != "text"]
    if not found:
        raise LogProblem(
            f"{folder}: no trace or log of torch's in this folder (TORCH_TRACE={folder} makes the program write one)"
        )
    return traces or found


def _walk(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    for where, folders, names in os.walk(folder):
        depth = len(Path(where).relative_to(folder).parts)
        folders[:] = sorted(folders) if depth < _DEEPEST else []
        yield Path(where), sorted(names)


def _tlparse(folder: Path, names: list[str]) -> list[LogSource]:
    rank = _rank_of(folder / "raw.log")
    kinds: tuple[tuple[str, LogKind], ...] = (("raw.log", "trace"), ("raw.jsonl", "jsonl"))
    for name, kind in kinds:
        if name in names and _sniffed(folder / name) == kind:
            return [LogSource(kind, folder / name, rank)]
    return [LogSource("parts", folder, rank)]


def _loose(folder: Path, names: list[str]) -> Iterator[LogSource]:
    for name in names:
        bare = name.removesuffix(".gz")
        if bare.endswith(_SUFFIXES) or bare in ("stdout", "stderr"):
            kind = _sniffed(folder / name)
            if kind is not None:
                yield LogSource(kind, folder / name, _rank_of(folder / name))


def _sniffed(path: Path) -> LogKind | None:
    try:
        return _kind(_beginning(path), str(path))
    except (OSError, LogProblem):
        return None
