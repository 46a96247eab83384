"""The dotted name of a file's module, and the folder from which it would be imported."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from gblint.project.path_finder import Listings
from gblint.runtime.lazy_dataclasses import dataclass

_SITE_NAMES = ("site-packages", "dist-packages")


@dataclass(frozen=True, slots=True)
class ModuleName:
    """A dotted name and ``name_root``, the folder that it is relative to.

    ``import_root`` is the folder in which the module's own imports are looked up first. It equals ``name_root``, except
    for a file in a folder that is not a package: since it may be run as a script, its own folder is used.
    ``namespace`` is the dotted path from the project's root to ``name_root`` if folders without ``__init__.py`` could
    also be namespace packages; otherwise it is empty.
    """

    name: str
    is_package: bool
    name_root: Path
    import_root: Path
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    """The common part of the names of the modules in a folder."""

    inner: tuple[str, ...]
    name_root: Path
    import_root: Path
    namespace: str = ""


class Namer:
    """Names files by their location: below a fixed import root, in a package, or in a plain folder.

    ``roots`` are folders on the import path regardless of their contents (site-packages, ``src``, the standard
    library); ``packages`` maps folders to dotted names that are known in another way (editable installs).
    """

    __slots__ = ("_listings", "_packages", "_places", "_project_root", "_roots")

    def __init__(
        self, listings: Listings, project_root: Path, roots: Sequence[Path], packages: Mapping[Path, str]
    ) -> None:
        self._listings = listings
        self._project_root = str(project_root)
        self._roots = frozenset(str(root) for root in roots)
        self._packages = {str(path): name for path, name in packages.items()}
        self._places: dict[str, _Place] = {}

    def name(self, path: Path) -> ModuleName:
        """Return the name of the module in the file at ``path`` (absolute)."""
        is_package = path.name == "__init__.py"
        last = [] if is_package else [path.stem]
        folder = str(path.parent)
        place = self._places.get(folder)
        if place is None:
            place = self._places[folder] = self._place(path.parent)
        # The folder's name may not be a valid package name: then __init__.py is named by itself.
        name = ".".join([*place.inner, *last]) or "__init__"
        return ModuleName(name, is_package, place.name_root, place.import_root, place.namespace)

    def _place(self, folder: Path) -> _Place:
        fixed = self._below_fixed_root(str(folder))
        top, inner = fixed if fixed is not None else self._below_package_top(str(folder))
        top, inner = _cut(top, inner)
        root = Path(top)
        if fixed is not None:
            return _Place(tuple(inner), root, root)
        plain = not self._listings.has(str(folder), "__init__.py")
        return _Place(tuple(inner), root, folder if plain else root, self._namespace(top))

    def _below_fixed_root(self, folder: str) -> tuple[str, list[str]] | None:
        inner: list[str] = []
        while True:
            if folder in self._packages:
                return os.path.dirname(folder), [*self._packages[folder].split("."), *reversed(inner)]
            if folder in self._roots or os.path.basename(folder) in _SITE_NAMES:
                return folder, inner[::-1]
            parent = os.path.dirname(folder)
            if parent == folder:
                return None
            inner.append(os.path.basename(folder))
            folder = parent

    def _below_package_top(self, folder: str) -> tuple[str, list[str]]:
        """Climb while there is an ``__init__.py``; a plain folder inside the project is named from its root."""
        inner: list[str] = []
        while self._listings.has(folder, "__init__.py"):
            parent = os.path.dirname(folder)
            if parent == folder:
                break
            inner.append(os.path.basename(folder))
            folder = parent
        if not inner and folder.startswith(self._project_root + os.sep):
            return self._project_root, folder[len(self._project_root) + 1 :].split(os.sep)
        return folder, inner[::-1]

    def _namespace(self, top: str) -> str:
        if not top.startswith(self._project_root + os.sep):
            return ""
        parts = top[len(self._project_root) + 1 :].split(os.sep)
        return ".".join(parts) if all(part.isidentifier() for part in parts) else ""


def _cut(top: str, inner: list[str]) -> tuple[str, list[str]]:
    """Move the import root below the last folder whose name is not a valid identifier."""
    for index in range(len(inner) - 1, -1, -1):
        if not inner[index].isidentifier():
            return os.path.join(top, *inner[: index + 1]), inner[index + 1 :]
    return top, inner
