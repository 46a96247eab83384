"""The import paths of a project: the module name of each file, and the module for each dotted name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from gblint.project.environment import Environment
from gblint.project.module_names import ModuleName, Namer
from gblint.project.modules import Module
from gblint.project.path_finder import MISSING, Finder, Listings, ModuleKind, ModuleSpec, is_builtin, submodule_names
from gblint.project.source import SourceProblem, read_source


class ImportPath:
    """The search paths of a project.

    The project comes first, then installed packages, then the standard library.  The importer's own import root (for a
    script, its folder) comes before all of them.  ``src`` adds import roots; ``root``, and ``src`` below it, are always
    import roots.
    """

    __slots__ = (
        "_environment",
        "_installed_finder",
        "_listings",
        "_local_finders",
        "_namer",
        "_project_finder",
        "_script_finder",
        "_specs",
    )

    def __init__(self, root: Path, files: Sequence[Path], environment: Environment, src: Sequence[Path] = ()) -> None:
        self._environment = environment
        self._listings = Listings()
        self._specs: dict[tuple[str, str | None], ModuleSpec] = {}
        self._local_finders: dict[Path, Finder] = {}
        own = [Path(os.path.abspath(root / folder)) for folder in src]
        if not self._listings.has(str(root / "src"), "__init__.py"):
            own.append(root / "src")
        packages = {path: name for name, path in environment.editable}
        self._namer = Namer(self._listings, root, [*own, *environment.search_path], packages)
        installed = list(environment.search_path)
        roots, scripts = self._folders_of(files, [root, *own])
        editable = dict(environment.editable)
        self._project_finder = Finder(self._listings, [*roots, *installed], editable)
        self._installed_finder = Finder(self._listings, [*installed, *roots], editable)
        self._script_finder = Finder(self._listings, scripts)

    def name(self, path: Path) -> ModuleName:
        """Return the name of the module in the file at ``path`` (absolute)."""
        return self._namer.name(path)

    def find(self, name: str, importer: Module | None) -> ModuleSpec:
        """Return the module that ``import name`` finds in ``importer``; results are cached."""
        key = (name, None if importer is None else importer.folder)
        spec = self._specs.get(key)
        if spec is None:
            spec = self._specs[key] = self._look_up(name, importer)
        return spec

    def kind(self, name: str, importer: Module | None) -> ModuleKind:
        """Return the kind of module that ``import name`` finds in ``importer``."""
        spec = self.find(name, importer)
        return "extension" if spec.kind == "missing" and is_builtin(name) else spec.kind

    def submodules(self, folder: Path) -> Iterator[str]:
        """Iterate over the last name components of the source modules directly in the folder of a package."""
        return submodule_names(self._listings, str(folder))

    def folders_listed(self) -> dict[str, frozenset[str]]:
        """Return the folders in which modules have been looked up so far, with their entries."""
        return self._listings.read()

    def _folders_of(self, files: Sequence[Path], own: Sequence[Path]) -> tuple[list[Path], list[Path]]:
        """Return (import roots, folders of scripts) of the user's files, in order."""
        roots: dict[Path, None] = dict.fromkeys(own)
        scripts: dict[Path, None] = {}
        first_in_folder: dict[str, Path] = {}
        for path in files:
            first_in_folder.setdefault(os.path.dirname(path), path)
        for folder, path in first_in_folder.items():  # the modules of one folder have the same name_root
            named = self._namer.name(path)
            if named.name_root in self._environment.search_path:
                continue
            in_package = self._listings.has(folder, "__init__.py")
            (roots if in_package else scripts).setdefault(named.name_root)
            scripts.setdefault(path.parent)
        return list(roots), list(scripts)

    def _look_up(self, name: str, importer: Module | None) -> ModuleSpec:
        """Ask the finders in turn; a namespace package is used only if no finder has a regular module."""
        fallback = MISSING
        for finder in self._finders(importer):
            spec = finder.find(name)
            if spec.file is not None and self._wraps_package(name, spec.file):
                continue
            if spec.kind in ("source", "extension"):
                return spec
            if fallback.kind == "missing":
                fallback = spec
        return fallback

    def _wraps_package(self, name: str, file: str) -> bool:
        """Return whether a module of a package imports another package that has the last part of its own name.

        An example is ``helpers/einops.py`` with ``import einops``.
        """
        if "." in name or os.path.basename(file) != f"{name}.py":
            return False
        if not self._listings.has(os.path.dirname(file), "__init__.py"):
            return False
        try:
            text = read_source(Path(file))
        except SourceProblem:
            return False
        return re.search(rf"^(?:import|from) {name}\b", text, re.MULTILINE) is not None

    def _finders(self, importer: Module | None) -> Iterator[Finder]:
        if importer is not None and importer.import_root in self._environment.search_path:
            # An installed package does not import the project that uses it.
            yield self._installed_finder
            yield self._script_finder
            return
        if importer is not None:
            yield self._local_finder(importer.import_root)
        yield self._project_finder
        if importer is not None:
            # A script inside a package may also import its neighbours.
            yield self._local_finder(importer.path.parent)
        yield self._script_finder

    def _local_finder(self, folder: Path) -> Finder:
        finder = self._local_finders.get(folder)
        if finder is None:
            finder = self._local_finders[folder] = Finder(self._listings, [folder])
        return finder
