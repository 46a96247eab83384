"""Discovery of the files of a run: Python files and notebooks below PATHS that are not excluded or ignored by git."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from gblint.diagnostics.report import FileError
from gblint.project.git_index import TrackedFiles
from gblint.project.gitignore import IgnoreLayer, is_ignored, layer_of, layers_above, read_layer, repository_of
from gblint.project.notebook import SUFFIX
from gblint.project.source import explain_os_error
from gblint.runtime.lazy_dataclasses import dataclass, field

DEFAULT_EXCLUDE: tuple[str, ...] = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".git-rewrite",
    ".hg",
    ".hypothesis",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pyenv",
    ".pytest_cache",
    ".pytype",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "__pycache__",
    "__pypackages__",
    "_build",
    "buck-out",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)
"""Names that are skipped below PATHS; a path given explicitly is always included."""


@dataclass(frozen=True, slots=True)
class FileSelection:
    """The rules that decide which files below PATHS are left out.

    ``exclude`` and ``extend_exclude`` are patterns in the syntax of ``.gitignore``, relative to the root of the
    project. With ``force_exclude`` they also apply to paths given explicitly. ``respect_gitignore``: files that match a
    ``.gitignore`` are skipped unless git tracks them; git itself ignores ``.gitignore`` for tracked files.
    """

    exclude: Sequence[str] = DEFAULT_EXCLUDE
    extend_exclude: Sequence[str] = ()
    respect_gitignore: bool = True
    force_exclude: bool = False


DEFAULT_SELECTION = FileSelection()


def discover(
    paths: Sequence[Path], *, root: Path | None = None, selection: FileSelection = DEFAULT_SELECTION
) -> tuple[list[Path], list[FileError]]:
    """Return the selected files without duplicates, sorted, and the errors for paths that could not be read.

    The patterns are relative to ``root``, by default the working directory.
    """
    here = Path(os.getcwd())
    patterns = [*selection.exclude, *selection.extend_exclude]
    search = _Search(layer_of(Path(os.path.abspath(root or here)), patterns), selection.respect_gitignore, here)
    for given in paths:
        path = Path(os.path.abspath(given))
        if selection.force_exclude and search.is_excluded(path):
            continue
        search.add_explicit(path, given)
    return search.result()


def display_path(path: Path, here: Path) -> str:
    """Return ``path`` relative to ``here`` if it lies below it, else the absolute path; with forward slashes."""
    try:
        return path.relative_to(here).as_posix()
    except ValueError:
        return path.as_posix()


@dataclass(slots=True)
class _Search:
    excluded: IgnoreLayer | None
    respect_gitignore: bool
    here: Path
    files: dict[str, Path] = field(default_factory=dict)
    errors: dict[tuple[str, str], FileError] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)

    def result(self) -> tuple[list[Path], list[FileError]]:
        """Return the files and the errors, in order."""
        return sorted(self.files.values()), sorted(self.errors.values(), key=lambda error: (error.path, error.line))

    def fail(self, path: Path, message: str) -> None:
        display = display_path(path, self.here)
        self.errors.setdefault((display, message), FileError(display, 0, message))

    def add_explicit(self, path: Path, given: Path) -> None:
        """Add a path that the user named: all files of a folder, or a file of any name."""
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            self.fail(path, explain_os_error(error) if isinstance(error, OSError) else str(error))
            return
        if stat.S_ISDIR(mode):
            self.walk(path, layers_above(path) if self.respect_gitignore else [])
        elif stat.S_ISREG(mode):
            self.add_file(path)
        else:
            self.fail(path, "not a regular file")

    def add_file(self, path: Path) -> None:
        """Add a file once; if several links lead to one file, keep the path of the file itself."""
        real = os.path.realpath(path)
        if real not in self.files or str(path) == real:
            self.files[real] = path

    def walk(self, top: Path, layers: list[IgnoreLayer]) -> None:
        """Collect the files below ``top``.  Links to folders are not followed because they may be cyclic."""
        anchor = self.anchor_for(top)
        always = [anchor] if anchor else []
        repository = repository_of(top) if self.respect_gitignore else None
        tracked = TrackedFiles(repository) if repository else None
        pending = [(str(top), layers, False)]
        while pending:
            folder, above, ignored = pending.pop()
            if folder in self.folders:
                continue
            self.folders.add(folder)
            try:
                with os.scandir(folder) as listing:
                    entries = list(listing)
                real = os.path.realpath(folder)
            except OSError as error:
                self.fail(Path(folder), explain_os_error(error))
                continue
            here = above if ignored else self.layers_for(folder, above, entries)
            for entry in entries:
                is_dir = entry.is_dir(follow_symlinks=False)
                if not is_dir and not entry.name.endswith((".py", SUFFIX)):
                    continue
                # Checked separately, because a "!" in a .gitignore does not re-include an excluded path.
                if is_ignored(entry.path, is_dir=is_dir, layers=always):
                    continue
                below = ignored or is_ignored(entry.path, is_dir=is_dir, layers=here)
                if below and not (tracked and tracked.contains(entry.path, is_dir=is_dir)):
                    continue
                if not is_dir:
                    self.add_listed(entry, real)
                elif not _is_environment(entry.path):
                    pending.append((entry.path, here, below))

    def layers_for(
        self, folder: str, above: list[IgnoreLayer], entries: Sequence[os.DirEntry[str]]
    ) -> list[IgnoreLayer]:
        if not self.respect_gitignore or not any(entry.name == ".gitignore" for entry in entries):
            return above
        layer = read_layer(Path(folder))
        return [*above, layer] if layer else above

    def add_listed(self, entry: os.DirEntry[str], folder: str) -> None:
        """Add a file that was found in a folder; ``folder`` is its real path."""
        try:
            mode = entry.stat().st_mode
        except OSError as error:
            if not entry.name.startswith(".#"):  # the lock file of an editor: a link without a target
                self.fail(Path(entry.path), explain_os_error(error))
            return
        if stat.S_ISREG(mode):
            if entry.is_symlink():
                self.add_file(Path(entry.path))
            else:
                self.files[os.path.join(folder, entry.name)] = Path(entry.path)

    def anchor_for(self, top: Path) -> IgnoreLayer | None:
        """Return the exclude patterns for ``top``: relative to ``top`` if it is itself excluded or outside the root."""
        if self.excluded is None:
            return None
        if _is_below(top, self.excluded.folder) and not self.is_excluded(top):
            return self.excluded
        return self.excluded.below(str(top).rstrip(os.sep))

    def is_excluded(self, path: Path) -> bool:
        """Return whether ``path``, or a folder between it and the root of the patterns, is excluded."""
        if self.excluded is None:
            return False
        if not _is_below(path, self.excluded.folder):
            return bool(self.excluded.patterns.decide(path.name, is_dir=path.is_dir()))
        return is_ignored(str(path), is_dir=path.is_dir(), layers=[self.excluded])


def _is_below(path: Path, folder: str) -> bool:
    return str(path).startswith(folder + os.sep)


def _is_environment(folder: str) -> bool:
    """Return whether a folder is a virtual environment, whatever its name."""
    return os.path.exists(os.path.join(folder, "pyvenv.cfg"))
