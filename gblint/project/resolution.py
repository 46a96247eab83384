"""Resolution of a name in a module through imports, re-exports, star imports and packages with lazy imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from gblint.project.modules import Module
from gblint.project.path_finder import ModuleKind
from gblint.project.star_imports import Modules, StarIndex, is_lazy
from gblint.project.symbols import Binding
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass

_MOST_HOPS = 60


@dataclass(frozen=True, slots=True)
class Definition:
    """The result of resolving a name.

    ``binding``: ``module`` binds the name with ``binding``, which is not an import.  ``module``: the name is ``module``
    itself.  ``namespace`` and ``extension``: the name is, or is defined in, a module without Python source.
    ``missing``: the name refers to something that does not exist.  ``name`` is the dotted name of the definition.
    """

    kind: Literal["binding", "module", "namespace", "extension", "missing"]
    name: str
    module: Module | None = None
    binding: Binding | None = None


def resolve_name(modules: Modules, index: StarIndex, module: Module, name: str) -> Definition:
    """Return the definition of the attribute ``name`` of ``module``."""
    return _Resolution(modules, index).attribute(module, name)


class _Resolution:
    """One resolution; ``seen`` stops circular imports."""

    __slots__ = ("index", "modules", "seen")

    def __init__(self, modules: Modules, index: StarIndex) -> None:
        self.modules = modules
        self.index = index
        self.seen: set[tuple[str, str]] = set()

    def attribute(self, module: Module, name: str) -> Definition:
        missing = Definition("missing", f"{module.name}.{name}", module)
        step = (str(module.path), name)
        if step in self.seen or len(self.seen) > _MOST_HOPS:
            # `from . import name` in the package itself: the name is a submodule.
            return self.submodule(module, name) or missing
        self.seen.add(step)
        bound = self.bound(module, name)
        if bound is not None and bound.kind != "missing":
            return bound
        # A package with lazy imports has its submodules under their names, regardless of its imports for type checkers.
        first = (self.submodule, self.starred) if is_lazy(module) else (self.starred, self.submodule)
        for look in (*first, self.lazily, self.starred_from_extension):
            found = look(module, name)
            if found is not None:
                return found
        return bound or missing

    def bound(self, module: Module, name: str) -> Definition | None:
        """Resolve through the module's own bindings in order of preference; return the first one that is found."""
        first: Definition | None = None
        for binding in preferred(module.symbols.get(name, ())):
            found = self.binding(module, binding)
            if found.kind != "missing":
                return found
            first = first or found
        return first

    def binding(self, module: Module, binding: Binding) -> Definition:
        if binding.kind not in ("import", "from"):
            return Definition("binding", f"{module.name}.{binding.name}", module, binding)
        if binding.module is None:
            return Definition("missing", binding.name, module, binding)
        if binding.attribute is None:
            return self.whole(binding.module, module)
        target = self.modules.find_module(binding.module, module)
        if target is not None:
            return self.attribute(target, binding.attribute)
        kind = self.modules.module_exists(binding.module, module)
        name = f"{binding.module}.{binding.attribute}"
        return self.whole(name, module) if kind == "namespace" else _without_source(kind, name)

    def whole(self, name: str, importer: Module) -> Definition:
        """Return the definition of a module, given its dotted name."""
        found = self.modules.find_module(name, importer)
        if found is not None:
            return Definition("module", found.name, found)
        return _without_source(self.modules.module_exists(name, importer), name)

    def submodule(self, module: Module, name: str) -> Definition | None:
        if not module.is_package:
            return None
        found = self.whole(f"{module.name}.{name}", module)
        return None if found.kind == "missing" else found

    def starred(self, module: Module, name: str) -> Definition | None:
        """Resolve through ``from X import *``."""
        for target in self.index.origins(module, name):
            if (str(target.path), name) in self.seen:
                continue
            found = self.attribute(target, name)
            if found.kind != "missing":
                return found
        return None

    def starred_from_extension(self, module: Module, name: str) -> Definition | None:
        """Attribute a name with no other definition to a star import of a compiled module, if there is one."""
        for star in module.stars:
            if star.module and self.modules.module_exists(star.module, module) == "extension":
                return Definition("extension", f"{star.module}.{name}")
        return None

    def lazily(self, module: Module, name: str) -> Definition | None:
        """Resolve through a table of a package with lazy imports (``_import_structure`` and the like)."""
        if f'"{name}"' not in module.source and f"'{name}'" not in module.source:
            return None
        for submodule, attribute in _table_entries(module, name):
            for candidate in _absolute_names(module, submodule):
                target = self.modules.find_module(candidate, module)
                if target is None or target is module:
                    continue
                found = self.attribute(target, attribute)
                if found.kind != "missing":
                    return found
        return None


def preferred(bindings: tuple[Binding, ...]) -> list[Binding]:
    """Sort the bindings of one name by how likely they are in effect when the program runs.

    Bindings at run time come before those for type checkers only, normal ones before fallbacks in an ``except``, real
    values before ``None``, and unconditional before conditional ones. Among equals, the last unconditional binding or
    the first branch wins.
    """

    def rank(item: tuple[int, Binding]) -> tuple[bool, bool, bool, bool, int]:
        index, binding = item
        nothing = isinstance(binding.value, ast.Constant) and binding.value.value is None
        conditional = binding.guard not in ("always", "try", "handler")
        weak = binding.kind in ("annotation", "aug", "except")
        fallback = binding.guard in ("handler", "main")
        return binding.type_checking, fallback, nothing or weak, conditional, index if conditional else -index

    live = [item for item in enumerate(bindings) if item[1].kind != "delete"]
    return [binding for _, binding in sorted(live, key=rank)]


def _without_source(kind: ModuleKind, name: str) -> Definition:
    if kind == "namespace":
        return Definition("namespace", name)
    return Definition("extension" if kind == "extension" else "missing", name)


def _table_entries(module: Module, name: str) -> Iterator[tuple[str, str]]:
    """Yield (submodule, name in it) for each entry for ``name`` in the literal tables at the top level.

    The supported forms are ``{"submodule": ["name", ...]}``, ``table["submodule"] = [...]``, ``{"name": "submodule"}``
    and ``{"name": ("submodule", "other name")}``, also as arguments of a call such as ``lazy_loader.attach``.
    """
    for node in _top_level_nodes(module.tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield from _entry(key.value, value, name)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            index = node.targets[0].slice
            if isinstance(index, ast.Constant) and isinstance(index.value, str):
                yield from _entry(index.value, node.value, name)


def _entry(key: str, value: ast.expr, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, (ast.List, ast.Set, ast.Tuple)):
        strings = [item.value for item in value.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        if key == name and len(strings) == 2 and isinstance(value, ast.Tuple):
            yield strings[0], strings[1]
        elif name in strings:
            yield key, name
    elif key == name and isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value, name


def _top_level_nodes(tree: ast.Module) -> Iterator[ast.AST]:
    pending: list[ast.AST] = list(reversed(tree.body))
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Constant)):
            continue
        yield node
        pending.extend(ast_walk.children(node))


def _absolute_names(module: Module, place: str) -> Iterator[str]:
    """Yield the modules that ``place`` in a table may refer to: relative to the package first, then absolute."""
    relative = place.lstrip(".")
    level = len(place) - len(relative)
    inner = module.resolve_relative(max(level, 1), relative)
    if inner:
        yield inner
    if level == 0:
        yield place
