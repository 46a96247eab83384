"""Ignore rules of git: ``.git/info/exclude`` and the ``.gitignore`` files from a repository's root to a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathspec


class IgnoreLayer:
    """The patterns that apply below one folder; they are compiled on first use because that is slow."""

    def __init__(self, folder: str, patterns: Sequence[str]) -> None:
        self.folder = folder
        self.patterns = patterns
        self._spec: pathspec.GitIgnoreSpec | None = None

    @property
    def spec(self) -> pathspec.GitIgnoreSpec:
        """The compiled patterns; malformed ones are skipped, as in git."""
        if self._spec is None:
            import pathspec

            try:
                self._spec = pathspec.GitIgnoreSpec.from_lines(self.patterns)
            except ValueError:
                self._spec = pathspec.GitIgnoreSpec.from_lines(line for line in self.patterns if _is_valid(line))
        return self._spec

    def below(self, folder: str) -> IgnoreLayer:
        """Return the same patterns, applied below another folder."""
        copy = IgnoreLayer(folder, self.patterns)
        copy._spec = self.spec
        return copy


def read_layer(folder: Path, file: Path | None = None) -> IgnoreLayer | None:
    """Read the ``.gitignore`` in ``folder`` (or another file, applied as if it were there)."""
    try:
        text = (file or folder / ".gitignore").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return layer_of(folder, text.splitlines())


def layer_of(folder: Path, patterns: Sequence[str]) -> IgnoreLayer | None:
    """Return a layer with patterns in the syntax of ``.gitignore``; None if there are none."""
    significant = [line for line in patterns if line.strip() and not line.startswith("#")]
    return IgnoreLayer(str(folder).rstrip("/\\"), significant) if significant else None


def _is_valid(line: str) -> bool:
    import pathspec

    try:
        pathspec.GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def is_ignored(path: str, *, is_dir: bool, layers: Sequence[IgnoreLayer]) -> bool:
    """Return whether ``path`` itself is ignored; the deepest layer with a matching pattern decides."""
    for layer in reversed(layers):
        relative = path[len(layer.folder) + 1 :].replace("\\", "/") + ("/" if is_dir else "")
        decision = layer.spec.check_file(relative).include
        if decision is not None:
            return decision
    return False


def layers_above(folder: Path) -> list[IgnoreLayer]:
    """Return the layers of the repository from its root to the parent of ``folder``.

    Empty outside a repository, and if ``folder`` itself is ignored, because a folder named explicitly is always read.
    """
    chain = [folder, *folder.parents]
    top = next((index for index, parent in enumerate(chain) if (parent / ".git").exists()), None)
    if top is None:
        return []
    layers = [layer for layer in [read_layer(chain[top], chain[top] / ".git" / "info" / "exclude")] if layer]
    for index in range(top, 0, -1):
        found = read_layer(chain[index])
        layers += [found] if found else []
        if is_ignored(str(chain[index - 1]), is_dir=True, layers=layers):
            return []
    return layers
