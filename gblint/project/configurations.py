"""The configuration files of a project, which may name classes."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from gblint.project.modules import FileReader, Stamp
from gblint.project.path_finder import CONFIGURATIONS
from gblint.project.source import SourceProblem

MAX_FILES = 3_000
MAX_FOLDERS = 10_000
LARGEST = 200_000
"""Bounds of a search: the files that are read, the folders that are listed, the bytes of one file."""
_SKIPPED = frozenset(("node_modules", "site-packages", "build", "dist", "__pycache__", "venv"))


class Configurations:
    """The YAML files below a folder; they are read on first use.

    is_cut: whether a search has ended at ``MAX_FILES`` or ``MAX_FOLDERS``.
    """

    def __init__(self, root: Path) -> None:
        self.is_cut = False
        self._root = root
        self._texts: list[tuple[Path, str]] | None = None
        self._single: dict[Path, str | None] = {}
        self._readers: list[FileReader] = []
        self._folders: dict[str, frozenset[str]] = {}

    def texts(self) -> list[tuple[Path, str]]:
        """Return the paths and texts of the files, in order."""
        if self._texts is None:
            self._texts = []
            for path in self._find():
                reader = FileReader(path)
                try:
                    self._texts.append((path, reader.text()))
                    self._readers.append(reader)
                except SourceProblem:
                    continue
        return self._texts

    def text(self, path: Path) -> str | None:
        """Return the text of one file; None if there is none, it is too large or not below the root."""
        if path in self._single:
            return self._single[path]
        self._single[path] = None
        try:
            if not path.resolve().is_relative_to(self._root.resolve()):
                return None
        except (OSError, ValueError, RuntimeError):  # a loop of links, a null character
            return None
        if not _is_small(path):
            with contextlib.suppress(OSError):
                self._folders.setdefault(str(path.parent), frozenset(os.listdir(path.parent)))
            return None
        reader = FileReader(path)
        try:
            self._single[path] = reader.text()
            self._readers.append(reader)
        except SourceProblem:
            return None
        return self._single[path]

    def stamps(self) -> dict[str, Stamp | None]:
        """Return the files read so far with their stamps."""
        return {str(reader.path): reader.stamp for reader in self._readers}

    def folders(self) -> dict[str, frozenset[str]]:
        """Return the folders that were searched, with their entries: a new one may be such a file."""
        return self._folders

    def _find(self) -> list[Path]:
        found: list[Path] = []
        for number, (folder, below, names) in enumerate(os.walk(self._root)):
            self._folders[folder] = frozenset((*below, *names))
            below[:] = sorted(name for name in below if name not in _SKIPPED and not name.startswith("."))
            found += [Path(folder, name) for name in sorted(names) if name.endswith(CONFIGURATIONS)]
            if number >= MAX_FOLDERS or len(found) > MAX_FILES:
                self.is_cut = True
                break
        return [path for path in found[:MAX_FILES] if _is_small(path)]


def _is_small(path: Path) -> bool:
    try:
        return os.stat(path).st_size <= LARGEST
    except OSError:
        return False
