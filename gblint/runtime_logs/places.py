"""Where the files that a log names are here: the same path, or the file of the project whose path ends most alike."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gblint.knowledge.pasted_errors import is_library
from gblint.project.source_text import Source
from gblint.runtime_logs.records import LogFrame

_SITE = re.compile(r"[/\\](?:site|dist)-packages[/\\](?P<top>[^/\\]+)")


def own_code(follow: Iterable[str]) -> OwnCode:
    """What counts as the user's own: everything but libraries, and of these the packages of ``follow``."""
    return OwnCode(frozenset(name.partition(":")[0].partition(".")[0] for name in follow))


@dataclass(frozen=True, slots=True)
class OwnCode:
    """Tells the user's own files from those of libraries, by their paths."""

    followed: frozenset[str]

    def __call__(self, path: str) -> bool:
        if not is_library(path):
            return True
        found = _SITE.search(path)
        return found is not None and found["top"].removesuffix(".py") in self.followed


@dataclass(frozen=True, slots=True)
class LocalPlace:
    """A line of a log's file as it is here.  ``changed`` says that the line has another text now."""

    path: str
    line: int
    changed: bool = False


class LogPlaces:
    """Looks up files of a log among ``files``, those of the project."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._found: dict[str, str] = {}
        self.source = Source()

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[str, ...]]]:
        table: dict[str, list[tuple[str, ...]]] = {}
        for path in self._files:
            parts = Path(os.path.abspath(path)).parts
            table.setdefault(parts[-1], []).append(parts)
        return table

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(os.path.abspath(path) for path in self._files)

    def is_here(self, path: str) -> bool:
        """Whether the file is one of the project's."""
        return os.path.abspath(self.path(path)) in self._known

    def path(self, logged: str) -> str:
        """Where the file is here; as it was logged if it is not to be found."""
        if logged not in self._found:
            self._found[logged] = self._look_up(logged)
        return self._found[logged]

    def _look_up(self, logged: str) -> str:
        if logged in self._known or os.path.abspath(logged) in self._known:
            return os.path.abspath(logged)
        wanted = tuple(part for part in re.split(r"[/\\]", logged) if part not in ("", "."))
        scored = (
            sorted(((_shared(wanted, parts), parts) for parts in self._by_name.get(wanted[-1:][0], ())), reverse=True)
            if wanted
            else []
        )
        if not scored or (len(scored) > 1 and scored[0][0] == scored[1][0]):
            return logged
        # One name alone, such as utils.py, says too little while the file itself is there.
        if scored[0][0] < 2 and os.path.exists(logged):
            return logged
        return str(Path(*scored[0][1]))

    def here(self, frame: LogFrame) -> LocalPlace:
        """The line as it is here: if its text has moved, where it is now."""
        path = self.path(frame.path)
        lines = self.source.lines(path)
        if not frame.code or not any(lines):
            return LocalPlace(path, frame.line)
        wanted = frame.code.strip()
        if _at(lines, frame.line) == wanted or wanted.startswith(_at(lines, frame.line) or "\0"):
            return LocalPlace(path, frame.line)
        moved = [number for number, line in enumerate(lines, 1) if line.strip() == wanted]
        if moved:
            return LocalPlace(path, min(moved, key=lambda number: abs(number - frame.line)))
        return LocalPlace(path, frame.line, changed=True)

    def function(self, frame: LogFrame) -> LocalPlace:
        """The beginning of a function as it is here: where it is defined now, if it has moved."""
        path = self.path(frame.path)
        lines = self.source.lines(path)
        if frame.function in _at(lines, frame.line) or _at(lines, frame.line).startswith("@"):
            return LocalPlace(path, frame.line)
        head = re.compile(rf"\s*(?:async\s+)?def {re.escape(frame.function)}\b")
        defined = [number for number, line in enumerate(lines, 1) if head.match(line)]
        return LocalPlace(path, min(defined, key=lambda number: abs(number - frame.line), default=frame.line))


def _at(lines: Sequence[str], number: int) -> str:
    return lines[number - 1].strip() if 1 <= number <= len(lines) else ""


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for first, second in zip(reversed(one), reversed(other)):
        if first != second:
            break
        count += 1
    return count
