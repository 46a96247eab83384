"""Local places of logged files: the same path, or the project's file whose path has the longest common end."""

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

_SITE_PACKAGES = re.compile(r"[/\\](?:site|dist)-packages[/\\](?P<top>[^/\\]+)")


def own_code(follow: Iterable[str]) -> OwnCode:
    """Return the test for the user's own code: all files except libraries, and the packages in ``follow``."""
    return OwnCode(frozenset(name.partition(":")[0].partition(".")[0] for name in follow))


@dataclass(frozen=True, slots=True)
class OwnCode:
    """Distinguishes the user's own files from library files, by their paths."""

    followed: frozenset[str]

    def __call__(self, path: str) -> bool:
        if not is_library(path):
            return True
        found = _SITE_PACKAGES.search(path)
        return found is not None and found["top"].removesuffix(".py") in self.followed


@dataclass(frozen=True, slots=True)
class LocalPlace:
    """A logged line in the local file; ``changed`` if the line has another text now."""

    path: str
    line: int
    changed: bool = False


class LogPlaces:
    """Finds the local files of a log among ``files``, the project's files."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._found: dict[str, str] = {}
        self.source = Source(python_only=True)

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

    def in_project(self, path: str) -> bool:
        """Return whether the file is one of the project's."""
        return os.path.abspath(self.path(path)) in self._known

    def path(self, logged: str) -> str:
        """Return the local path of a logged file, or the logged path if there is none."""
        if logged not in self._found:
            self._found[logged] = self._look_up(logged)
        return self._found[logged]

    def _look_up(self, logged: str) -> str:
        """Find the local path of a logged file."""
        if logged in self._known or os.path.abspath(logged) in self._known:
            return os.path.abspath(logged)
        wanted = tuple(part for part in re.split(r"[/\\]", logged) if part not in ("", "."))
        candidates = (
            sorted(
                ((_common_suffix_length(wanted, parts), parts) for parts in self._by_name.get(wanted[-1:][0], ())),
                reverse=True,
            )
            if wanted
            else []
        )
        if not candidates or (len(candidates) > 1 and candidates[0][0] == candidates[1][0]):
            return logged
        # A common name alone, such as utils.py, is too weak a match if the logged path itself exists.
        if candidates[0][0] < 2 and os.path.exists(logged):
            return logged
        return str(Path(*candidates[0][1]))

    def locate(self, frame: LogFrame) -> LocalPlace:
        """Return the local place of a logged line; if its text has moved, the nearest line with this text."""
        path = self.path(frame.path)
        lines = self.source.lines(path)
        if not frame.code or not any(lines):
            return LocalPlace(path, frame.line)
        wanted = frame.code.strip()
        if _line_text(lines, frame.line) == wanted or wanted.startswith(_line_text(lines, frame.line) or "\0"):
            return LocalPlace(path, frame.line)
        moved = [number for number, line in enumerate(lines, 1) if line.strip() == wanted]
        if moved:
            return LocalPlace(path, min(moved, key=lambda number: abs(number - frame.line)))
        return LocalPlace(path, frame.line, changed=True)

    def locate_function(self, frame: LogFrame) -> LocalPlace:
        """Return the local place of a function's definition; if it has moved, the nearest definition of this name."""
        path = self.path(frame.path)
        lines = self.source.lines(path)
        if frame.function in _line_text(lines, frame.line) or _line_text(lines, frame.line).startswith("@"):
            return LocalPlace(path, frame.line)
        head = re.compile(rf"\s*(?:async\s+)?def {re.escape(frame.function)}\b")
        defined = [number for number, line in enumerate(lines, 1) if head.match(line)]
        return LocalPlace(path, min(defined, key=lambda number: abs(number - frame.line), default=frame.line))


def _line_text(lines: Sequence[str], number: int) -> str:
    """Return the stripped text of a line, or ""."""
    return lines[number - 1].strip() if 1 <= number <= len(lines) else ""


def _common_suffix_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of equal items at the ends of two sequences."""
    count = 0
    for first, second in zip(reversed(one), reversed(other)):
        if first != second:
            break
        count += 1
    return count
