"""Helpers for text output: paths, colours, and source lines without terminal control characters."""

from __future__ import annotations

import io
import os
import re
import tokenize
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from gblint.runtime.files import read_bytes
from gblint.runtime.lazy_dataclasses import dataclass, field

if TYPE_CHECKING:
    from gblint.project.notebook import Notebook

# Control characters could move the cursor or set colours; bidirectional marks reorder the displayed text. Azure takes
# ``##vso[`` and ``##[`` for commands, wherever they stand.
_UNSAFE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|#(?=#\\w{0,9}\\[)"
)
TAB = "    "
_NOTEBOOK = ".ipynb"
_SOURCES = (".py", ".pyi", _NOTEBOOK)
# Notebooks open in an editor, by absolute path; they take precedence over the files.
unsaved: dict[str, Notebook] = {}


def neutral(text: str) -> str:
    """Return ``text`` on one line, with every terminal control character and every command of Azure escaped."""
    return _UNSAFE.sub(_escape, text).replace("\t", TAB)


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def display_path(path: str) -> str:
    """Return ``path`` relative to the working directory if it lies below it, else unchanged."""
    if not path.startswith(os.sep) and not Path(path).is_absolute():
        return path
    return _below(path, os.getcwd())


@lru_cache(4096)
def _below(path: str, folder: str) -> str:
    try:
        relative = os.path.relpath(path, folder)
    except ValueError:  # on another drive
        return path
    return path if relative.startswith("..") else relative


def shown_path(path: str) -> str:
    """Return ``display_path`` for output."""
    return neutral_path(display_path(path))


def neutral_path(path: str) -> str:
    """Return ``neutral(path)``; a path that GitHub would read as a command at the start of a line gets a ``./``."""
    return ("./" if path.startswith("::") else "") + neutral(path)


def located(path: str, line: int) -> tuple[int | None, int]:
    """Return the cell and the line in it for a line of a notebook; None and the line for any other file."""
    notebook = notebook_at(path)
    found = notebook.place(line) if notebook is not None and line else None
    return (None, line) if found is None else (found[0].number, found[1])


def place(path: str, line: int) -> str:
    """Format ``path:line`` for output, ``path:cell 3:line`` in a notebook; the line is omitted if it is 0."""
    cell, line = located(path, line)
    shown = shown_path(path) + ("" if cell is None else f":cell {cell}")
    return f"{shown}:{line}" if line else shown


def notebook_at(path: str) -> Notebook | None:
    """Return the notebook in a file, or in the editor if it is open there; None if it is not a notebook."""
    if not path.endswith(_NOTEBOOK):
        return None
    if unsaved and (shown := unsaved.get(os.path.abspath(path))) is not None:
        return shown
    try:
        state = os.stat(path)
        return _notebook(os.path.abspath(path), state.st_mtime_ns, state.st_size)
    except OSError:
        return None


@lru_cache(maxsize=64)
def _notebook(path: str, modified: int, size: int) -> Notebook | None:
    from gblint.project.source import SourceProblem, notebook_of

    try:
        return notebook_of(read_bytes(path))
    except (OSError, SourceProblem):
        return None


def width(text: str) -> int:
    """Return the number of columns that ``text`` takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


@dataclass(frozen=True, slots=True)
class Style:
    """Styles of terminal text; without ``color``, text is returned unchanged."""

    color: bool = False

    def _sgr(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and text else text

    def bold(self, text: str) -> str:
        """Style names and paths: bold."""
        return self._sgr("1", text)

    def dim(self, text: str) -> str:
        """Style less important text: dimmed."""
        return self._sgr("2", text)

    def red(self, text: str) -> str:
        """Style codes and errors: red."""
        return self._sgr("1;31", text)

    def green(self, text: str) -> str:
        """Style added lines: green."""
        return self._sgr("32", text)

    def yellow(self, text: str) -> str:
        """Style warnings: yellow."""
        return self._sgr("1;33", text)

    def blue(self, text: str) -> str:
        """Style the frame around code: blue."""
        return self._sgr("1;34", text)

    def cyan(self, text: str) -> str:
        """Style the separators in a location: cyan."""
        return self._sgr("36", text)


@dataclass(slots=True)
class Source:
    """The lines of source files, read on demand.

    overlays: unsaved texts by absolute path.
    python_only: files whose names are not those of Python sources are empty: the paths may be anybody's.
    """

    overlays: Mapping[str, str] = field(default_factory=dict)
    python_only: bool = False
    _texts: dict[str, str] = field(default_factory=dict)
    _lines: dict[str, list[str]] = field(default_factory=dict)

    def text(self, path: str) -> str:
        """Return the text of ``path``; empty if it cannot be read."""
        if path not in self._texts:
            overlay = self.overlays.get(os.path.abspath(path))
            readable = not self.python_only or path.endswith(_SOURCES)
            self._texts[path] = (_read(path) if readable else "") if overlay is None else overlay
        return self._texts[path]

    def lines(self, path: str) -> list[str]:
        """Return the lines of ``path`` as Python counts them, without line endings."""
        if path not in self._lines:
            self._lines[path] = re.split(r"\r\n|\r|\n", self.text(path))
        return self._lines[path]


def _read(path: str) -> str:
    if path.endswith(_NOTEBOOK):
        notebook = notebook_at(path)
        return "" if notebook is None else notebook.text
    try:
        data = read_bytes(path)
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding, errors="replace")
    except (OSError, SyntaxError, ValueError, LookupError):
        return ""
