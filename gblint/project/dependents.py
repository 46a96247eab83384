"""Search for the files that depend on other files through imports, traced name by name.

A package that re-exports a name passes the dependency on for that name only, not for its other names.
"""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path

from gblint.project.source import SourceProblem, parse_source, read_bytes, text_of
from gblint.runtime.lazy_dataclasses import dataclass, field

# Import statements, including those that span several lines.
_IMPORTS = re.compile(rb"\b(?:from\s+([.\w]+)\s+)?import\b((?:[^\n(\\]|\([^)]*\)|\\\s*\n|\\[^\n])*)")
_WORD = re.compile(rb"\w+")
MOST_FILES = 500
_ALL = "*"  # in a set of names: every name of the module


@dataclass(frozen=True, slots=True)
class Dependents:
    """The ``files`` that depend on others. ``is_complete`` is false if the search was stopped by its limit."""

    files: frozenset[str]
    is_complete: bool


def dependents(changed: Collection[str], files: Iterable[str], most: int = MOST_FILES) -> Dependents:
    """Return those of ``files`` that use names affected by the files ``changed``, through any number of imports.

    Paths are absolute.  The result includes the changed files, even those that no longer exist.  No more than ``most``
    files are read, starting with those that are the fewest imports away.
    """
    search = _Search(list(files), most)
    touched = set(changed)
    names = {path: {_ALL} for path in changed}
    queue = deque(names)
    while queue:
        path = queue.popleft()
        for importer in search.importers(path):
            known = names.setdefault(importer.path, set())
            if _ALL in known:
                continue
            new, used = importer.affected(path, names[path], known, search.names.get(path, set()))
            if used:
                touched.add(importer.path)
            if not new <= known:
                known |= new
                if importer.path not in queue:
                    queue.append(importer.path)
    return Dependents(frozenset(touched), search.is_complete)


@dataclass(slots=True)
class _Import:
    """``import module [as name]``, or ``from module import attribute [as name]``."""

    name: str
    module: tuple[str, ...]
    folder: tuple[str, ...] | None  # for a relative import: the folder that ``module`` is relative to
    attribute: str = ""
    renamed: bool = False

    def brings(self, path: str, names: set[str], importer: str) -> set[str]:
        """Return the names among ``names`` of the file at ``path`` that this import makes accessible.

        An imported attribute makes itself accessible, an imported module its ``names``, and the package around a
        module all names of the module.
        """
        place = _place(path)
        if self.attribute == "*":
            return names if self._is(place, self.module, importer) else set()
        if self.attribute:
            if self._is(place, self.module, importer):
                return {self.attribute} if self.attribute in names or _ALL in names else set()
            return names if self._is(place, (*self.module, self.attribute), importer) else set()
        if self.renamed or len(self.module) == 1:
            return names if self._is(place, self.module, importer) else set()
        if self._is(place, self.module[:1], importer):
            return names
        # In ``app.flags.FAST`` the first attribute, ``flags``, does not show which name is used.
        lengths = range(2, len(self.module) + 1)
        return {_ALL} if any(self._is(place, self.module[:length], importer) for length in lengths) else set()

    def is_module(self, path: str, importer: str) -> bool:
        """Return whether ``name`` is a module. Valid only for an import that refers to the file at ``path``."""
        return not self.attribute or not self._is(_place(path), self.module, importer)

    def _is(self, place: tuple[str, ...], module: tuple[str, ...], importer: str) -> bool:
        """Return whether ``module``, as imported by ``importer``, may be the module at ``place``."""
        if self.folder is not None:
            return place == (*self.folder, *module)
        # Only a script in the same folder imports a module of a package by its last name.
        return place[-len(module) :] == module and (
            place[: -len(module)] == Path(importer).parent.parts or not _is_package(place[: -len(module)])
        )


@cache
def _place(path: str) -> tuple[str, ...]:
    """Return the parts of a module's path, without ``.py`` or ``__init__``."""
    file = Path(path)
    return file.parent.parts if file.stem == "__init__" else file.with_suffix("").parts


@cache
def _is_package(folder: tuple[str, ...]) -> bool:
    return Path(*folder, "__init__.py").exists()


@dataclass(slots=True)
class _Statement:
    """A top-level statement of a module, with the names that it uses.

    ``binds`` are the names that it binds, ``changes`` the names of objects that it may change, ``bare`` the names that
    it uses on their own, and ``attributes`` the attributes that it reads from a name.
    """

    binds: set[str] = field(default_factory=set)
    changes: set[str] = field(default_factory=set)
    bare: set[str] = field(default_factory=set)
    attributes: set[tuple[str, str]] = field(default_factory=set)

    def uses(self, names: set[str], modules: dict[str, set[str]]) -> bool:
        """Return whether the statement uses one of ``names``, or one of the listed names of a module in ``modules``."""
        if not names.isdisjoint(self.bare) or not modules.keys().isdisjoint(self.bare):
            return True
        return any(
            base in names or (base in modules and (_ALL in modules[base] or attribute in modules[base]))
            for base, attribute in self.attributes
        )


@dataclass(slots=True)
class _File:
    path: str
    imports: list[_Import] = field(default_factory=list)
    statements: list[_Statement] = field(default_factory=list)

    def own(self) -> set[str]:
        """Return the names that the statements of this file bind."""
        return {name for statement in self.statements for name in statement.binds}

    def affected(self, path: str, names: set[str], known: set[str], listed: set[str]) -> tuple[set[str], bool]:
        """Return the names of this file that are affected, and whether any statement uses an affected name.

        A name is affected if it depends on ``names`` of the file at ``path`` or on a name in ``known``. ``listed`` are
        all names of the file at ``path``.
        """
        modules: dict[str, set[str]] = {}
        found = set(known)
        for each in self.imports:
            every = each.attribute == "*" and _ALL in names
            brought = each.brings(path, listed if every else names, self.path)
            if brought and each.attribute != "*" and each.is_module(path, self.path):
                modules.setdefault(each.name, set()).update(brought)
                found.discard(each.name)
            elif brought:
                found |= brought if each.attribute == "*" else {each.name}
        used, before = False, -1
        while len(found) != before:
            before = len(found)
            for statement in self.statements:
                made = statement.binds | statement.changes
                if not (used and made <= found) and statement.uses(found, modules):
                    used = True
                    found |= made
        return found | modules.keys(), used


class _Search:
    """The files of a project, parsed on demand."""

    def __init__(self, files: list[str], most: int) -> None:
        self.is_complete = True
        self._files = files
        self._most = most
        self._words: dict[str, list[str]] | None = None
        self._read: dict[str, _File | None] = {}
        self.names: dict[str, set[str]] = {}

    def importers(self, path: str) -> Iterator[_File]:
        """Yield the files whose imports mention the module at ``path``."""
        if self._words is None:
            self._words = _words(self._files)
        file = Path(path)
        self._file(path)  # records the names of the module, which ``from module import *`` needs
        stem = file.parent.name if file.stem == "__init__" else file.stem
        # A relative import from the package itself consists of dots only.
        dots = self._words.get(".", ()) if file.stem == "__init__" else ()
        below = [each for each in dots if Path(each).is_relative_to(file.parent)]
        for each in dict.fromkeys((*self._words.get(stem, ()), *below)):
            found = None if each == path else self._file(each)
            if found is not None:
                yield found

    def _file(self, path: str) -> _File | None:
        if path not in self._read:
            if len(self._read) >= self._most:
                self.is_complete = False
                return None
            self._read[path] = _parsed(path)
            parsed = self._read[path]
            if parsed is not None:
                self.names[path] = parsed.own() | {each.name for each in parsed.imports}
        return self._read[path]


def _words(files: Iterable[str]) -> dict[str, list[str]]:
    """Return the files in which each word appears in an import statement."""
    found: dict[str, list[str]] = {}
    for path in files:
        try:
            data = read_bytes(Path(path))
        except SourceProblem:
            continue
        words: set[bytes] = set()
        for module, names in _IMPORTS.findall(data):
            words.update(_WORD.findall(module + b" " + names))
            if module and not module.strip(b"."):
                words.add(b".")
        for word in words:
            found.setdefault(word.decode("utf-8", "replace"), []).append(path)
    return found


def _parsed(path: str) -> _File | None:
    """Parse the imports and the statements of a file; None if it cannot be read."""
    try:
        tree = parse_source(text_of(Path(path), read_bytes(Path(path))))
    except SourceProblem:
        return None
    file = _File(path)
    for node in tree.body:
        statement = _Statement()
        _read(node, statement, file)
        file.statements.append(statement)
    own = file.own()
    for statement in file.statements:
        statement.changes &= own  # changes to objects of libraries are not tracked
    return file


def _read(top: ast.stmt, statement: _Statement, file: _File) -> None:
    """Collect the names and imports of a top-level statement, including those in nested statements."""
    folder = Path(file.path).parent
    waiting: list[tuple[ast.AST, bool]] = [(top, False)]
    while waiting:
        node, inside = waiting.pop()  # inside: in a function or class, whose names are local
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                statement.bare.add(node.id)
            elif not inside:
                statement.binds.add(node.id)
            continue
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            statement.attributes.add((node.value.id, node.attr))
            if not isinstance(node.ctx, ast.Load):
                statement.changes.add(node.value.id)
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            file.imports += _imports(node, folder)
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if not inside:
                statement.binds.add(node.name)
            inside = True
        elif isinstance(node, ast.Global):
            statement.binds.update(node.names)
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            statement.changes |= {node.value.id} if isinstance(node.value, ast.Name) else set()
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not inside:
            statement.changes |= {node.func.value.id} if isinstance(node.func.value, ast.Name) else set()
        for name in node._fields:
            child = getattr(node, name, None)
            if isinstance(child, list):
                waiting += [(each, inside) for each in child if isinstance(each, ast.AST)]
            elif isinstance(child, ast.AST) and name != "ctx":
                waiting.append((child, inside))


def _imports(node: ast.Import | ast.ImportFrom, folder: Path) -> Iterator[_Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            module = tuple(alias.name.split("."))
            yield _Import(alias.asname or module[0], module, None, renamed=alias.asname is not None)
        return
    module = tuple(node.module.split(".")) if node.module else ()
    start = folder.parts[: len(folder.parts) - node.level + 1] if node.level else None
    for alias in node.names:
        yield _Import(alias.asname or alias.name, module, start, alias.name)
