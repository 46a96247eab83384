"""Ignore rules of git: ``.git/info/exclude`` and the ``.gitignore`` files from a repository's root to a folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from gblint.project.globs import PathPatterns
from gblint.runtime.files import MAX_SETTINGS, read_text


class IgnoreLayer:
    """The patterns that apply below one folder."""

    __slots__ = ("folder", "patterns")

    def __init__(self, folder: str, patterns: PathPatterns) -> None:
        self.folder = folder
        self.patterns = patterns

    def below(self, folder: str) -> IgnoreLayer:
        """Return the same patterns, applied below another folder."""
        return IgnoreLayer(folder, self.patterns)


def read_layer(folder: Path, file: Path | None = None) -> IgnoreLayer | None:
    """Read the ``.gitignore`` in ``folder`` (or another file, applied as if it were there)."""
    try:
        text = read_text(file or folder / ".gitignore", errors="replace", limit=MAX_SETTINGS)
    except OSError:
        return None
    return layer_of(folder, text.splitlines())


def layer_of(folder: Path, patterns: Sequence[str]) -> IgnoreLayer | None:
    """Return a layer with patterns in the syntax of ``.gitignore``; None if there are none."""
    significant = [line for line in patterns if line.strip() and not line.startswith("#")]
    return IgnoreLayer(str(folder).rstrip("/\\"), PathPatterns(significant)) if significant else None


def is_ignored(path: str, *, is_dir: bool, layers: Sequence[IgnoreLayer]) -> bool:
    """Return whether ``path`` itself is ignored; the deepest layer with a matching pattern decides."""
    for layer in reversed(layers):
        relative = path[len(layer.folder) + 1 :].replace(os.sep, "/")
        decision = layer.patterns.decide(relative, is_dir=is_dir)
        if decision is not None:
            return decision
    return False


def repository_of(folder: Path) -> Path | None:
    """Return the root of the repository with ``folder``; None outside a repository."""
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)


def layers_above(folder: Path) -> list[IgnoreLayer]:
    """Return the layers of the repository from its root to the parent of ``folder``.

    Empty outside a repository, and if ``folder`` itself is ignored, because a folder named explicitly is always read.
    """
    chain = [folder, *folder.parents]
    repository = repository_of(folder)
    if repository is None:
        return []
    top = chain.index(repository)
    layers = [layer for layer in [read_layer(chain[top], chain[top] / ".git" / "info" / "exclude")] if layer]
    for index in range(top, 0, -1):
        found = read_layer(chain[index])
        layers += [found] if found else []
        if is_ignored(str(chain[index - 1]), is_dir=True, layers=layers):
            return []
    return layers
