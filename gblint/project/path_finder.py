"""Lookup of a module by its dotted name along a search path, as in ``import``, using only folder listings."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from gblint.runtime.digests import digest
from gblint.runtime.lazy_dataclasses import dataclass

ModuleKind = Literal["source", "extension", "namespace", "missing"]

CONFIGURATIONS = (".yaml", ".yml")
SETTING_FILES = (*CONFIGURATIONS, ".json", ".toml")
_COMPILED = (".so", ".pyd", ".pyc")
_RELEVANT = (".py", *_COMPILED, ".pth", ".egg-info", *SETTING_FILES)
_ALIASES = {"os.path": "posixpath"}


@dataclass(frozen=True, slots=True)
class ModuleSpec:
    """The result of looking up a dotted name.

    ``file`` is set for source; ``folders``, in which submodules are looked up, for packages of any kind.
    """

    kind: ModuleKind
    file: str | None = None
    folders: tuple[str, ...] = ()


MISSING = ModuleSpec("missing")


@dataclass(frozen=True, slots=True)
class _Listing:
    names: frozenset[str]
    compiled: frozenset[str]
    """The names of compiled modules: ``_C`` for ``_C.cpython-312-x86_64-linux-gnu.so``."""


_EMPTY = _Listing(frozenset(), frozenset())


class Listings:
    """Folder listings, each read once."""

    __slots__ = ("_cache",)

    def __init__(self) -> None:
        self._cache: dict[str, _Listing] = {}

    def names(self, folder: str) -> frozenset[str]:
        """Return the entries of a folder; empty if it does not exist."""
        return self._read(folder).names

    def has(self, folder: str, name: str) -> bool:
        """Return whether a folder has an entry of this name."""
        return name in self._read(folder).names

    def find(self, folder: str, name: str) -> ModuleSpec:
        """Return the module ``name`` in ``folder``: a package, else a compiled module, source or namespace package."""
        listing = self._read(folder)
        inner = os.path.join(folder, name)
        is_folder = name in listing.names and os.path.isdir(inner)
        if is_folder:
            content = self._read(inner)
            if "__init__.py" in content.names:
                return ModuleSpec("source", os.path.join(inner, "__init__.py"), (inner,))
            if "__init__" in content.compiled:
                return ModuleSpec("extension", None, (inner,))
        if name in listing.compiled:
            return ModuleSpec("extension")
        if f"{name}.py" in listing.names:
            return ModuleSpec("source", os.path.join(folder, f"{name}.py"))
        return ModuleSpec("namespace", None, (inner,)) if is_folder else MISSING

    def read(self) -> dict[str, frozenset[str]]:
        """Return all folders listed so far, with their entries."""
        return {folder: listing.names for folder, listing in self._cache.items()}

    def _read(self, folder: str) -> _Listing:
        listing = self._cache.get(folder)
        if listing is None:
            try:
                names = frozenset(os.listdir(folder))
            except (OSError, ValueError):
                listing = _EMPTY
            else:
                compiled = frozenset(name.partition(".")[0] for name in names if name.endswith(_COMPILED))
                listing = _Listing(names, compiled)
            self._cache[folder] = listing
        return listing


def listing_digest(folder: str) -> tuple[frozenset[str], str]:
    """Return the entries of a folder, and a digest of those that can be modules, distributions or configurations."""
    try:
        with os.scandir(folder) as listing:
            found = [(entry.name, entry.is_dir()) for entry in listing]
    except (OSError, ValueError):
        return frozenset(), ""
    relevant = sorted(
        (name, is_folder)
        for name, is_folder in found
        if name != "__pycache__" and (is_folder or name.endswith(_RELEVANT))
    )
    return frozenset(name for name, _ in found), digest(repr(relevant).encode())


class Finder:
    """Looks up modules along one search path; results are cached."""

    __slots__ = ("_cache", "_editable", "_folders", "_listings")

    def __init__(self, listings: Listings, folders: Sequence[Path], editable: Mapping[str, Path] | None = None) -> None:
        self._listings = listings
        self._folders = tuple(str(folder) for folder in folders)
        self._editable = {name: str(path) for name, path in (editable or {}).items()}
        self._cache: dict[str, ModuleSpec] = {}

    def find(self, name: str) -> ModuleSpec:
        """Look up ``name``; the kind of the result is ``missing`` if ``name`` is not a valid module name."""
        name = _ALIASES.get(name, name)
        spec = self._cache.get(name)
        if spec is None:
            spec = self._cache[name] = self._look_up(name)
        return spec

    def _look_up(self, name: str) -> ModuleSpec:
        parent, dot, last = name.rpartition(".")
        if not last.isidentifier() or (dot and not parent):
            return MISSING
        mapped = self._editable.get(name)
        if mapped is not None:
            return self._from_mapping(mapped)
        if not parent:
            return self._first(self._folders, last)
        above = self.find(parent)
        return self._first(above.folders, last) if above.folders else MISSING

    def _first(self, folders: Sequence[str], name: str) -> ModuleSpec:
        """Return the first regular module of this name; if there is none, a namespace package of all the folders."""
        portions: list[str] = []
        for folder in folders:
            spec = self._listings.find(folder, name)
            if spec.kind == "namespace":
                portions.extend(spec.folders)
            elif spec.kind != "missing":
                return spec
        return ModuleSpec("namespace", None, tuple(portions)) if portions else MISSING

    def _from_mapping(self, target: str) -> ModuleSpec:
        if self._listings.has(target, "__init__.py"):
            return ModuleSpec("source", os.path.join(target, "__init__.py"), (target,))
        if os.path.isfile(f"{target}.py"):
            return ModuleSpec("source", f"{target}.py")
        if os.path.isfile(target) and target.endswith(".py"):
            return ModuleSpec("source", target)
        return ModuleSpec("namespace", None, (target,)) if os.path.isdir(target) else MISSING


def is_builtin(name: str) -> bool:
    """Return whether a module that was not found on disk is compiled into Python."""
    return name in sys.builtin_module_names


def submodule_names(listings: Listings, folder: str) -> Iterator[str]:
    """Yield the source modules and packages directly in a package's folder, in order."""
    for entry in sorted(listings.names(folder)):
        stem = entry[:-3] if entry.endswith(".py") else entry
        if not stem.isidentifier() or stem in ("__init__", "__pycache__"):
            continue
        if stem != entry or listings.has(os.path.join(folder, entry), "__init__.py"):
            yield stem
