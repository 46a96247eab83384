"""One source file as a module: its name, its text, its syntax tree and the names it binds, each made when asked for."""

from __future__ import annotations

import ast
import os
import time
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from gblint.diagnostics.report import FileError
from gblint.project.pyc_check import has_bytecode
from gblint.project.source import (
    SourceProblem,
    is_well_formed,
    normalise_newlines,
    parse_library,
    parse_source,
    read_bytes,
    read_source,
    text_of,
)
from gblint.project.symbols import Binding, Table, bound_anywhere, build_table, literal_all, sets_attribute
from gblint.runtime.lazy_dataclasses import dataclass

__all__ = ["Binding", "Module", "Origin", "Stamp"]

Origin = Literal["user", "follow", "library"]
"""user: under PATHS; follow: named by ``--follow``; library: any other module."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a file was when it was read: its time, size and inode, when it was ``read``, and a digest of its bytes."""

    time: int
    size: int
    inode: int
    read: int
    digest: str


class Module:
    """A source file.  Nothing is read before it is asked for, and :meth:`release` forgets it again.

    ``path`` is absolute; ``display`` is relative to the working directory where the file lies below it.  ``error`` is
    set once the file was found to be unreadable or unparsable; its tree is then empty.
    """

    __slots__ = (
        "_all",
        "_bound",
        "_lines",
        "_names_torch",
        "_namespace",
        "_overlay",
        "_report",
        "_said",
        "_set",
        "_source",
        "_stamp",
        "_symbols",
        "_tables",
        "_tree",
        "_was_read",
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
        name: str,
        path: Path,
        display: str,
        *,
        is_package: bool,
        origin: Origin,
        import_root: Path | None = None,
        namespace: str = "",
        overlay: str | None = None,
        report: Callable[[FileError], None] | None = None,
    ) -> None:
        self.name = name
        self.path = path
        self.folder = os.path.dirname(path)
        self.display = display
        self.is_package = is_package
        self.origin: Origin = origin
        self.import_root = path.parent if import_root is None else import_root
        self.error: FileError | None = None
        self._names_torch: bool | None = None
        self._namespace = namespace
        self._overlay = None if overlay is None else normalise_newlines(overlay)
        self._report = report
        self._source: str | None = None
        self._stamp: Stamp | None = None
        self._was_read = False
        self._tree: ast.Module | None = None
        self._lines: list[str] | None = None
        self._symbols: Table | None = None
        self._all: tuple[tuple[str, ...] | None] | None = None
        self._bound: frozenset[str] | None = None
        self._set: dict[str, bool] = {}
        self._said: dict[str, bool] = {}
        self._tables: dict[int, tuple[ast.AST, Table]] = {}

    def __repr__(self) -> str:
        return f"<Module {self.name} at {self.display}>"

    @property
    def source(self) -> str:
        """The text, with ``\\n`` for newlines; empty when the file cannot be read."""
        if self._source is None:
            try:
                self._source = self._read() if self._overlay is None else self._overlay
            except SourceProblem as problem:
                self._fail(problem)
                self._source = ""
        return self._source

    def _read(self) -> str:
        again, self._was_read = self._was_read, True
        before, self._stamp = self._stamp, None
        try:
            status, now = os.stat(self.path), time.time_ns()
        except (OSError, ValueError):
            return read_source(self.path)  # which says what is wrong
        data = read_bytes(self.path)
        digest = blake2b(data, digest_size=16).hexdigest()
        if not again or (before is not None and before.digest == digest):
            self._stamp = Stamp(status.st_mtime_ns, len(data), status.st_ino, now, digest)
        return text_of(self.path, data)

    @property
    def was_read(self) -> bool:
        """Whether the file was ever read."""
        return self._was_read

    @property
    def stamp(self) -> Stamp | None:
        """What the file was then; None if it could not be read, or was not the same each time."""
        return self._stamp

    def says(self, words: str) -> bool:
        """Whether the text has these words anywhere: what is asked often is looked for once."""
        known = self._said.get(words)
        if known is None:
            known = self._said[words] = words in self.source
        return known

    @property
    def names_torch(self) -> bool:
        """Whether the text speaks of torch anywhere, be it only in the name of another package, but for "pytorch"."""
        if self._names_torch is None:
            self._names_torch = self.source.count("torch") > self.source.count("pytorch")
        return self._names_torch

    @property
    def is_loaded(self) -> bool:
        """Whether the text or the tree is in memory."""
        return self._source is not None or self._tree is not None

    @property
    def lines(self) -> list[str]:
        """The lines of :attr:`source` without their newlines; line ``n`` is ``lines[n - 1]``."""
        if self._lines is None:
            # Not splitlines(): that also splits at form feeds, which are no line ends to Python.
            self._lines = self.source.split("\n")
        return self._lines

    @property
    def tree(self) -> ast.Module:
        """The syntax tree; an empty one when the file cannot be read or parsed."""
        if self._tree is None:
            try:
                parse = parse_library if self.origin != "user" and self._has_bytecode() else parse_source
                self._tree = parse(self.source)
            except SourceProblem as problem:
                self._fail(problem)
                self._tree = ast.Module(body=[], type_ignores=[])
        return self._tree

    def check(self) -> None:
        """Find what is wrong with the file; a syntax tree is made only if there may be something."""
        if self._tree is None and not self._has_bytecode() and not is_well_formed(self.source):
            _ = self.tree

    def _has_bytecode(self) -> bool:
        stamp = self._stamp if self.source and self._overlay is None else None
        return stamp is not None and has_bytecode(str(self.path), stamp.time, stamp.size)

    @property
    def is_parsed(self) -> bool:
        """Whether the tree is there already."""
        return self._tree is not None

    @property
    def symbols(self) -> dict[str, tuple[Binding, ...]]:
        """The names bound at module level, each with its bindings in source order."""
        return self._table().names

    @property
    def stars(self) -> tuple[Binding, ...]:
        """The ``from X import *`` at module level, in order, as bindings of the name ``*``."""
        return self._table().stars

    @property
    def star_imports(self) -> tuple[str, ...]:
        """The absolute names of the modules that everything is imported from, in order."""
        return tuple(star.module for star in self._table().stars if star.module is not None)

    @property
    def dunder_all(self) -> tuple[str, ...] | None:
        """``__all__`` where it is written out in literals, else ``None``."""
        if self._all is None:
            self._all = (literal_all(self.tree.body) if self.says("__all__") else None,)
        return self._all[0]

    @property
    def bound_anywhere(self) -> frozenset[str]:
        """Every name that is bound anywhere in the file, whatever the scope."""
        if self._bound is None:
            self._bound = bound_anywhere(self.tree)
        return self._bound

    def sets_attribute(self, name: str) -> bool:
        """Whether code somewhere in the file sets an attribute of this name, whatever of."""
        known = self._set.get(name)
        if known is None:
            known = self._set[name] = sets_attribute(self.source, name)
        return known

    @property
    def package(self) -> str:
        """The package that relative imports start from: the module's own name if it is a package."""
        return self.name if self.is_package else self.name.rpartition(".")[0]

    def resolve_relative(self, level: int, module: str | None) -> str | None:
        """The absolute dotted name of ``from <level dots><module> import ...`` in this module.

        ``None`` when the dots lead out of the project.
        """
        if level <= 0:
            return module
        up = level - 1
        parts = self.package.split(".") if self.package else []
        if up >= len(parts) and self._namespace:
            # Above the module's import root, where folders without __init__.py may still be namespace packages.
            parts = [*self._namespace.split("."), *parts]
        if up > len(parts):
            return None
        base = parts[: len(parts) - up]
        return ".".join([*base, module] if module else base) or None

    def binding_table(self, node: ast.ClassDef | ast.Module) -> dict[str, tuple[Binding, ...]]:
        """The same as :attr:`symbols` for the body of ``node``."""
        if node is self._tree:
            return self.symbols
        cached = self._tables.get(id(node))
        if cached is None:
            table = build_table(node.body, self.resolve_relative, walrus=self.says(":="))
            # The node is kept beside its table so that its id cannot come to mean another node.
            cached = self._tables[id(node)] = (node, table)
        return cached[1].names

    def retell(self, text: str) -> None:
        """Take ``text`` for the one that the syntax tree, which somebody has changed to fit, was made from."""
        self._source = self._overlay = text
        self._lines = self._bound = None
        self._set, self._said = {}, {}

    def release(self) -> None:
        """Forget the text, the tree and everything made from them; they are read again on demand."""
        self._source = self._tree = self._lines = self._symbols = self._all = self._bound = None
        self._tables, self._set, self._said = {}, {}, {}

    def _table(self) -> Table:
        if self._symbols is None:
            self._symbols = build_table(self.tree.body, self.resolve_relative, walrus=self.says(":="))
        return self._symbols

    def _fail(self, problem: SourceProblem) -> None:
        if self.error is None:
            self.error = problem.at(self.display)
            if self._report is not None:
                self._report(self.error)
