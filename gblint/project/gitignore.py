"""Ignore rules of git: the ``.gitignore`` files from a repository's top down to a folder, and ``.git/info/exclude``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathspec


class IgnoreLayer:
    """The patterns that hold below one folder: understood when they are first asked, since that takes a while."""

    def __init__(self, folder: str, patterns: Sequence[str]) -> None:
        self.folder = folder
        self.patterns = patterns
        self._spec: pathspec.GitIgnoreSpec | None = None

    @property
    def spec(self) -> pathspec.GitIgnoreSpec:
        """The compiled patterns; a malformed one is skipped, as git does."""
        if self._spec is None:
            import pathspec

            try:
                self._spec = pathspec.GitIgnoreSpec.from_lines(self.patterns)
            except ValueError:
                self._spec = pathspec.GitIgnoreSpec.from_lines(line for line in self.patterns if _is_valid(line))
        return self._spec

    def below(self, folder: str) -> IgnoreLayer:
        """The same patterns below another folder."""
        made = IgnoreLayer(folder, self.patterns)
        made._spec = self.spec
        return made


def read_layer(folder: Path, file: Path | None = None) -> IgnoreLayer | None:
    """The ``.gitignore`` in ``folder`` (or another file, applied as if it were there)."""
    try:
        text = (file or folder / ".gitignore").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return layer_of(folder, text.splitlines())


def layer_of(folder: Path, patterns: Sequence[str]) -> IgnoreLayer | None:
    """Patterns in the syntax of ``.gitignore``."""
    wanted = [line for line in patterns if line.strip() and not line.startswith("#")]
    return IgnoreLayer(str(folder).rstrip("/\\"), wanted) if wanted else None


def _is_valid(line: str) -> bool:
    import pathspec

    try:
        pathspec.GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def is_ignored(path: str, *, is_dir: bool, layers: Sequence[IgnoreLayer]) -> bool:
    """Return whether ``path`` itself is ignored; the layer deepest in the tree that has a matching pattern decides."""
    for layer in reversed(layers):
        relative = path[len(layer.folder) + 1 :].replace("\\", "/") + ("/" if is_dir else "")
        decision = layer.spec.check_file(relative).include
        if decision is not None:
            return decision
    return False


def layers_above(folder: Path) -> list[IgnoreLayer]:
    """The layers of the repository around ``folder``, down to but without its own.

    Empty outside a repository, and when ``folder`` is itself ignored: whoever names it wants it read.
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
