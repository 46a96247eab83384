"""Codes that the configuration ignores in some files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from gblint.project.globs import PathPatterns


class PerFileIgnores:
    """The per-file-ignores of a configuration: .gitignore-style patterns relative to ``root``, each with its codes."""

    def __init__(self, table: Iterable[tuple[str, tuple[str, ...]]], root: Path) -> None:
        self._root = root
        self._patterns = [(PathPatterns([pattern]), codes) for pattern, codes in table if codes]

    def silences(self, code: str, path: str) -> bool:
        """Return whether ``code`` is ignored in the file ``path``."""
        if not self._patterns:
            return False
        relative = os.path.relpath(path, self._root).replace(os.sep, "/")
        return any(
            code.startswith(codes) and patterns.decide(relative, is_dir=False) for patterns, codes in self._patterns
        )
