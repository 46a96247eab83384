"""A source file as a module: its name, text, syntax tree and bindings, each computed on first use."""

from __future__ import annotations

import ast
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from gblint.diagnostics.report import FileError
from gblint.project.module_names import ModuleName
from gblint.project.pyc_check import has_bytecode
from gblint.project.source import (
    SourceProblem,
    is_well_formed,
    parse_library,
    parse_source,
    read_bytes,
    read_source,
    text_of,
)
from gblint.project.symbols import (
    Binding,
    ResolveRelative,
    Table,
    bound_anywhere,
    build_table,
    literal_all,
    sets_attribute,
)
from gblint.project.text_names import NamePlace, names_at
from gblint.runtime.digests import digest
from gblint.runtime.files import normalise_newlines
from gblint.runtime.lazy_dataclasses import dataclass

__all__ = ["Binding", "Module", "Origin", "Stamp"]

Origin = Literal["user", "follow", "library"]
"""user: under PATHS; follow: named by ``--follow``; library: any other module."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """The state of a file when it was read.

    ``time`` is the modification time and ``read`` the time of reading, both in nanoseconds; ``size`` is in bytes;
    ``digest`` is the digest of the bytes.
    """

    time: int
    size: int
    inode: int
    read: int
    digest: str


class FileReader:
    """Reads a file, possibly several times, and detects whether it changed in between.

    ``stamp`` is None if the file could not be read, or changed between two reads.
    """

    __slots__ = ("path", "stamp", "was_read")

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stamp: Stamp | None = None
        self.was_read = False

    def text(self) -> str:
        """Read the file; raises :class:`SourceProblem`."""
        again, self.was_read = self.was_read, True
        before, self.stamp = self.stamp, None
        try:
            status, now = os.stat(self.path), time.time_ns()
        except (OSError, ValueError):
            return read_source(self.path)  # raises a SourceProblem that explains the error
        data = read_bytes(self.path)
        found = digest(data)
        if not again or (before is not None and before.digest == found):
            self.stamp = Stamp(status.st_mtime_ns, len(data), status.st_ino, now, found)
        return text_of(self.path, data)


class ScopeTables:
    """The binding tables of one syntax tree, each built on first use; ``text`` is its source."""

    __slots__ = ("_all", "_bound_anywhere", "_module_table", "_others", "_resolve", "_tree", "_walrus")

    def __init__(self, tree: ast.Module, text: str, resolve: ResolveRelative) -> None:
        self._tree = tree
        self._resolve = resolve
        self._walrus = ":=" in text
        self._all: tuple[tuple[str, ...] | None] | None = None
        self._bound_anywhere: frozenset[str] | None = None
        self._module_table: Table | None = None
        self._others: dict[int, tuple[ast.AST, Table]] = {}

    def module(self) -> Table:
        """Return the table of the module level."""
        if self._module_table is None:
            self._module_table = self._build(self._tree.body)
        return self._module_table

    def of(self, node: ast.ClassDef | ast.Module) -> Table:
        """Return the table of the body of ``node``."""
        if node is self._tree:
            return self.module()
        cached = self._others.get(id(node))
        if cached is None:
            # The node is kept with its table so that its id cannot be reused for another node.
            cached = self._others[id(node)] = (node, self._build(node.body))
        return cached[1]

    def dunder_all(self) -> tuple[str, ...] | None:
        """Return ``__all__`` if it is assigned literally, else None."""
        if self._all is None:
            self._all = (literal_all(self._tree.body),)
        return self._all[0]

    def bound_anywhere(self) -> frozenset[str]:
        """Return every name that is bound in the file, in any scope."""
        if self._bound_anywhere is None:
            self._bound_anywhere = bound_anywhere(self._tree)
        return self._bound_anywhere

    def replace_text(self, text: str) -> None:
        """Set a new text after the tree was edited in place; module-level tables stay valid."""
        self._walrus = ":=" in text
        self._bound_anywhere = None

    def _build(self, body: list[ast.stmt]) -> Table:
        return build_table(body, self._resolve, walrus=self._walrus)


class Module:
    """A source file.  It is read and parsed on demand, and :meth:`release` frees the result again.

    ``path`` is absolute; ``display`` is relative to the working directory if the file lies below it.  ``error`` is set
    when the file turns out to be unreadable or unparsable; its tree is then empty.
    """

    __slots__ = (
        "_contains",
        "_file",
        "_lines",
        "_mentions_torch",
        "_names_at",
        "_namespace",
        "_overlay",
        "_report",
        "_scopes",
        "_sets_attribute",
        "_source",
        "_tree",
        "display",
        "error",
        "folder",
        "import_root",
        "is_package",
        "name",
        "origin",
        "path",
    )

    def __init__(
        self,
        named: ModuleName,
        path: Path,
        display: str,
        *,
        origin: Origin,
        overlay: str | None = None,
        report: Callable[[FileError], None] | None = None,
    ) -> None:
        self.name = named.name
        self.path = path
        self.folder = os.path.dirname(path)
        self.display = display
        self.is_package = named.is_package
        self.origin: Origin = origin
        self.import_root = named.import_root
        self.error: FileError | None = None
        self._namespace = named.namespace
        self._overlay = None if overlay is None else normalise_newlines(overlay)
        self._report = report
        self._file = FileReader(path)
        self._source: str | None = None
        self._tree: ast.Module | None = None
        self._lines: list[str] | None = None
        self._scopes: ScopeTables | None = None
        self._mentions_torch: bool | None = None
        self._sets_attribute: dict[str, bool] = {}
        self._contains: dict[str, bool] = {}
        self._names_at: dict[NamePlace, frozenset[str]] = {}

    def __repr__(self) -> str:
        return f"<Module {self.name} at {self.display}>"

    @property
    def source(self) -> str:
        """The text, with ``\\n`` as line ending; empty if the file cannot be read."""
        if self._source is None:
            try:
                self._source = self._file.text() if self._overlay is None else self._overlay
            except SourceProblem as problem:
                self._fail(problem)
                self._source = ""
        return self._source

    @property
    def was_read(self) -> bool:
        """Whether the file was ever read."""
        return self._file.was_read

    @property
    def stamp(self) -> Stamp | None:
        """The state of the file when it was read; None if it could not be read or changed between two reads."""
        return self._file.stamp

    def contains(self, words: str) -> bool:
        """Return whether the text contains ``words``; results are cached."""
        known = self._contains.get(words)
        if known is None:
            known = self._contains[words] = words in self.source
        return known

    def names_at(self, place: NamePlace) -> frozenset[str]:
        """Return the names at one kind of place in the text; results are cached."""
        known = self._names_at.get(place)
        if known is None:
            known = self._names_at[place] = names_at(self.source, place)
        return known

    @property
    def mentions_torch(self) -> bool:
        """Whether the text contains "torch", even as part of another package's name, but not as part of "pytorch"."""
        if self._mentions_torch is None:
            self._mentions_torch = self.source.count("torch") > self.source.count("pytorch")
        return self._mentions_torch

    @property
    def is_loaded(self) -> bool:
        """Whether the text or the tree is in memory."""
        return self._source is not None or self._tree is not None

    @property
    def lines(self) -> list[str]:
        """The lines of :attr:`source` without their newlines; line ``n`` is ``lines[n - 1]``."""
        if self._lines is None:
            # Not splitlines(): that also splits at form feeds, which do not end a line in Python.
            self._lines = self.source.split("\n")
        return self._lines

    @property
    def tree(self) -> ast.Module:
        """The syntax tree; an empty one if the file cannot be read or parsed."""
        if self._tree is None:
            try:
                parse = parse_library if self.origin != "user" and self._has_bytecode() else parse_source
                self._tree = parse(self.source)
            except SourceProblem as problem:
                self._fail(problem)
                self._tree = ast.Module(body=[], type_ignores=[])
        return self._tree

    def check(self) -> None:
        """Detect syntax errors; a syntax tree is built only if there may be one."""
        if self._tree is None and not self._has_bytecode() and not is_well_formed(self.source):
            _ = self.tree

    @property
    def is_parsed(self) -> bool:
        """Whether the tree is in memory."""
        return self._tree is not None

    @property
    def symbols(self) -> dict[str, tuple[Binding, ...]]:
        """The names bound at module level, each with its bindings in source order."""
        return self._tables().module().names

    @property
    def stars(self) -> tuple[Binding, ...]:
        """The ``from X import *`` statements at module level, in order, as bindings of the name ``*``."""
        return self._tables().module().stars

    @property
    def star_imports(self) -> tuple[str, ...]:
        """The absolute names of the modules in ``from X import *`` statements, in order."""
        return tuple(star.module for star in self.stars if star.module is not None)

    @property
    def dunder_all(self) -> tuple[str, ...] | None:
        """``__all__`` if it is assigned literally, else None."""
        return self._tables().dunder_all() if self.contains("__all__") else None

    @property
    def bound_anywhere(self) -> frozenset[str]:
        """Every name that is bound in the file, in any scope."""
        return self._tables().bound_anywhere()

    def sets_attribute(self, name: str) -> bool:
        """Return whether code in the file sets an attribute of this name on any object."""
        known = self._sets_attribute.get(name)
        if known is None:
            known = self._sets_attribute[name] = sets_attribute(self.source, name)
        return known

    @property
    def package(self) -> str:
        """The package that relative imports start from: the module's own name if it is a package."""
        return self.name if self.is_package else self.name.rpartition(".")[0]

    def resolve_relative(self, level: int, module: str | None) -> str | None:
        """Return the absolute dotted name of ``from <level dots><module> import ...`` in this module.

        ``None`` if the dots lead out of the project.
        """
        if level <= 0:
            return module
        up = level - 1
        parts = self.package.split(".") if self.package else []
        if up >= len(parts) and self._namespace:
            # Above the module's import root, folders without __init__.py may still be namespace packages.
            parts = [*self._namespace.split("."), *parts]
        if up > len(parts):
            return None
        base = parts[: len(parts) - up]
        return ".".join([*base, module] if module else base) or None

    def binding_table(self, node: ast.ClassDef | ast.Module) -> dict[str, tuple[Binding, ...]]:
        """Return the bindings in the body of ``node``, like :attr:`symbols`."""
        return self._tables().of(node).names

    def replace_text(self, text: str) -> None:
        """Set ``text`` as the source after the syntax tree was edited in place to match it."""
        self._source = self._overlay = text
        self._lines = None
        self._sets_attribute, self._contains, self._names_at = {}, {}, {}
        if self._scopes is not None:
            self._scopes.replace_text(text)

    def release(self) -> None:
        """Free the text, the tree and everything derived from them; they are read again on demand."""
        self._source = self._tree = self._lines = self._scopes = None
        self._sets_attribute, self._contains, self._names_at = {}, {}, {}

    def _tables(self) -> ScopeTables:
        if self._scopes is None:
            self._scopes = ScopeTables(self.tree, self.source, self.resolve_relative)
        return self._scopes

    def _has_bytecode(self) -> bool:
        stamp = self.stamp if self.source and self._overlay is None else None
        return stamp is not None and has_bytecode(str(self.path), stamp.time, stamp.size)

    def _fail(self, problem: SourceProblem) -> None:
        if self.error is None:
            self.error = problem.at(self.display)
            if self._report is not None:
                self._report(self.error)
