"""The names that ``from X import *`` binds, read from the text of ``X`` if possible.

A package such as ``transformers.models`` has star imports of hundreds of other modules. Looking up one name in it must
not parse or even read all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from gblint.project.modules import Module
from gblint.project.path_finder import ModuleKind
from gblint.runtime.lazy_dataclasses import dataclass

_WRITTEN_ALL = re.compile(r"^__all__(?:[ \t]*:[^=\n]+)?[ \t]*=[ \t]*[\[(]([^\])]*)[\])][ \t]*(?:#.*)?$", re.MULTILINE)
_STRING = re.compile(r"""["'](\w+)["']""")


class Modules(Protocol):
    """The part of a project that name lookup needs."""

    def find_module(self, name: str, importer: Module | None = None) -> Module | None:
        """Return the module that ``import name`` finds in ``importer``."""

    def module_exists(self, name: str, importer: Module | None = None) -> ModuleKind:
        """Return the kind of module that ``import name`` finds in ``importer``."""

    def record(self, module: Module) -> None:
        """Record a module that a result depends on."""


@dataclass(frozen=True, slots=True)
class _Exports:
    names: frozenset[str]
    stars: tuple[Module, ...]


class StarIndex:
    """The names that the modules of a project export to star imports; results are cached."""

    __slots__ = ("_asking", "_exports", "_modules", "_names", "_sources")

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._exports: dict[str, _Exports] = {}
        self._names: dict[str, frozenset[str]] = {}
        self._asking: set[tuple[str, str]] = set()
        self._sources: dict[str, list[Module]] = {}

    def origins(self, module: Module, name: str) -> Iterator[Module]:
        """Yield the modules from which star imports in ``module`` take ``name``, the effective one first.

        The last star import is the effective one; those in an ``except`` come after the others.  In a package with lazy
        imports, modules with names similar to ``name`` come first.  A module that imports ``name`` from ``module``
        itself does not define it.
        """
        stars = [
            star
            for _, star in sorted(enumerate(module.stars), key=lambda item: (item[1].guard == "handler", -item[0]))
            if star.module
        ]
        if is_lazy(module):
            stars.sort(key=lambda star: -_likeness(star.module or "", name))
        for star in stars:
            target = self._modules.find_module(star.module or "", module)
            if target is None or target is module or not self.exports(target, name):
                continue
            if not _imports_back(target, name, module):
                yield target

    def exports(self, module: Module, name: str) -> bool:
        """Return whether ``from module import *`` binds ``name``."""
        key = str(module.path)
        self._modules.record(module)
        if key not in self._exports and not _mentions(module, name):
            return False
        names = self._names.get(key)
        if names is None and is_lazy(module) and self._likely(module, name):
            return True
        if names is None:
            names = self._names[key] = self._closure(module)
        for source in self._sources[key]:
            self._modules.record(source)
        return name in names

    def _likely(self, module: Module, name: str) -> bool:
        """Return whether a module whose name resembles ``name`` exports it to a package with lazy imports."""
        step = (str(module.path), name)
        if step in self._asking:
            return False
        self._asking.add(step)
        try:
            targets = (
                self._modules.find_module(star.module, module)
                for star in module.stars
                if star.module and _likeness(star.module, name)
            )
            return any(target is not None and self.exports(target, name) for target in targets)
        finally:
            self._asking.discard(step)

    def _closure(self, module: Module) -> frozenset[str]:
        """Return the names of a module and of everything in its star imports, which may be circular."""
        names: set[str] = set()
        seen = {str(module.path)}
        pending = [module]
        sources = self._sources[str(module.path)] = [module]
        while pending:
            found = self._read(pending.pop())
            names |= found.names
            for target in found.stars:
                if str(target.path) not in seen:
                    seen.add(str(target.path))
                    pending.append(target)
                    sources.append(target)
        return frozenset(names)

    def _read(self, module: Module) -> _Exports:
        found = self._exports.get(str(module.path))
        if found is None:
            loaded = module.is_loaded
            found = self._exports[str(module.path)] = self._read_anew(module)
            if not loaded:
                module.release()
        return found

    def _read_anew(self, module: Module) -> _Exports:
        if module.contains("__all__"):
            listed = _written_all(module.source)
            if listed is None:
                listed = module.dunder_all
            if listed is not None:
                return _Exports(frozenset(listed), ())
        names = frozenset(name for name in module.symbols if not name.startswith("_"))
        found = (self._modules.find_module(star, module) for star in module.star_imports)
        return _Exports(names, tuple(target for target in found if target is not None))


def _imports_back(source: Module, name: str, module: Module) -> bool:
    """Return whether all statements that bind ``name`` in ``source`` import it from ``module``."""
    bindings = source.symbols.get(name, ())
    return bool(bindings) and all(b.module == module.name and b.attribute == name for b in bindings)


def is_lazy(module: Module) -> bool:
    """Return whether a package loads its modules lazily, so that its star imports are for type checkers only."""
    return module.is_package and bool(module.stars) and all(star.type_checking for star in module.stars)


def _likeness(module: str, name: str) -> int:
    """Return how many letters of ``name`` the module's name has: five for ``models.llama`` and ``LlamaConfig``."""
    last = module.rpartition(".")[2].replace("_", "").lower()
    return len(last) if last in name.replace("_", "").lower() else 0


def _mentions(module: Module, name: str) -> bool:
    """Return whether the text contains the name, or star imports that could bind it."""
    loaded = module.is_loaded
    mentioned = name in module.source or module.contains("import *")
    if not mentioned and not loaded:
        module.release()
    return mentioned


def _written_all(text: str) -> tuple[str, ...] | None:
    """Return ``__all__`` if the text assigns it once, as a list of strings, and does not mention it elsewhere."""
    written = _WRITTEN_ALL.findall(text)
    if len(written) != 1 or text.count("__all__") != 1 or "#" in written[0]:
        return None
    return tuple(_STRING.findall(written[0]))
