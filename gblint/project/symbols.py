"""The names that the body of a module or class binds, collected in one walk over its statements.

The walk includes the bodies of ``if``, ``try``, ``with``, loops and ``match``, but not those of functions and nested
classes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass, replace

BindingKind = Literal[
    "def", "class", "assign", "annotation", "import", "from", "for", "with", "except", "aug", "delete", "other"
]
Guard = Literal["always", "if", "else", "try", "handler", "type_checking", "not_type_checking", "main"]
ResolveRelative = Callable[[int, "str | None"], "str | None"]

STAR = "*"


@dataclass(frozen=True, slots=True)
class Binding:
    """One statement that binds (or deletes) a name.

    ``value`` is set for ``name = value``, ``name: T = value`` and ``(name := value)``; it is None if the name is only a
    part of ``target``.  For an import, ``module`` is the absolute dotted module and ``attribute`` the name imported
    from it: ``import a.b as c`` has module ``a.b``; ``import a.b`` binds ``a`` and has module ``a``.  ``guard`` is the
    innermost conditional construct around the statement, and ``test`` its condition if it is an ``if``;
    ``type_checking`` is true anywhere below an ``if TYPE_CHECKING:``.
    """

    name: str
    kind: BindingKind
    node: ast.AST
    value: ast.expr | None = None
    target: ast.expr | None = None
    module: str | None = None
    attribute: str | None = None
    guard: Guard = "always"
    test: ast.expr | None = None
    type_checking: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The bindings of one body by name, and its ``from X import *`` statements (with the name ``*``)."""

    names: dict[str, tuple[Binding, ...]]
    stars: tuple[Binding, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    guard: Guard = "always"
    test: ast.expr | None = None
    type_checking: bool = False


def build_table(body: Sequence[ast.stmt], resolve: ResolveRelative, *, walrus: bool = True) -> Table:
    """Collect the bindings of ``body``; ``walrus=False`` skips the search for ``:=`` in expressions."""
    walk = _Walk(resolve, walrus)
    walk.body(body, _Place())
    stars = walk.names.pop(STAR, ())
    return Table({name: tuple(found) for name, found in walk.names.items()}, tuple(stars))


class _Walk:
    """Collects bindings by name, in source order."""

    __slots__ = ("names", "resolve", "walrus")

    def __init__(self, resolve: ResolveRelative, walrus: bool) -> None:
        self.resolve = resolve
        self.walrus = walrus
        self.names: dict[str, list[Binding]] = {}

    def body(self, statements: Iterable[ast.stmt], place: _Place) -> None:
        """Collect the bindings of a list of statements."""
        for statement in statements:
            if self.walrus:
                self.walruses(statement, place)
            self.statement(statement, place)

    def statement(self, node: ast.stmt, place: _Place) -> None:
        if isinstance(node, ast.FunctionDef):
            self.bind(node.name, "def", node, place)
        elif isinstance(node, ast.Expr):
            return
        elif isinstance(node, ast.ImportFrom):
            module = self.resolve(node.level, node.module) if node.level else node.module
            for alias in node.names:
                self.bind_import(alias.asname or alias.name, "from", node, place, module, alias.name)
        elif isinstance(node, ast.ClassDef):
            self.bind(node.name, "class", node, place)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self.targets(target, "assign", node, place, node.value)
        elif isinstance(node, ast.AnnAssign):
            if isinstance(node.target, ast.Name):
                kind: BindingKind = "annotation" if node.value is None else "assign"
                self.bind(node.target.id, kind, node, place, node.value, node.target)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.name if alias.asname else alias.name.partition(".")[0]
                self.bind_import(alias.asname or bound, "import", node, place, bound)
        elif isinstance(node, ast.If):
            self.if_statement(node, place)
        else:
            self.less_common(node, place)

    def less_common(self, node: ast.stmt, place: _Place) -> None:
        match node:
            case ast.AsyncFunctionDef():
                self.bind(node.name, "def", node, place)
            case ast.AugAssign():
                self.targets(node.target, "aug", node, place)
            case ast.Delete():
                for target in node.targets:
                    self.targets(target, "delete", node, place)
            case ast.For() | ast.AsyncFor():
                self.targets(node.target, "for", node, place)
                self.body(node.body, place)
                self.body(node.orelse, place)
            case ast.While():
                self.body(node.body, place)
                self.body(node.orelse, place)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    if item.optional_vars is not None:
                        self.targets(item.optional_vars, "with", node, place)
                self.body(node.body, place)
            case ast.Match():
                for case in node.cases:
                    inside = replace(place, guard="if", test=None)
                    self.captures(case.pattern, node, inside)
                    self.body(case.body, inside)
            case _:
                self.by_name(node, place)

    def if_statement(self, node: ast.If, place: _Place) -> None:
        """Visit the branches in a loop, since generated code has ``elif`` chains too long for recursion."""
        inside, otherwise = _branches(node.test, place)
        self.body(node.body, inside)
        while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            node = node.orelse[0]
            if self.walrus:
                self.walruses(node, otherwise)
            inside, otherwise = _branches(node.test, otherwise)
            self.body(node.body, inside)
        self.body(node.orelse, otherwise)

    def by_name(self, node: ast.stmt, place: _Place) -> None:
        """Visit ``try``, ``try``/``except*`` and ``type X = ...``, whose node classes some Python versions lack."""
        kind = type(node).__name__
        if kind in ("Try", "TryStar"):
            self.try_statement(node, place)
        elif kind == "TypeAlias":
            name = getattr(node, "name")  # noqa: B009
            self.bind(name.id, "assign", node, place, getattr(node, "value"), name)  # noqa: B009

    def try_statement(self, node: ast.AST, place: _Place) -> None:
        assert isinstance(node, ast.Try) or type(node).__name__ == "TryStar"
        inside = replace(place, guard="try", test=None)
        handling = replace(place, guard="handler", test=None)
        self.body(getattr(node, "body"), inside)  # noqa: B009
        for handler in getattr(node, "handlers"):  # noqa: B009
            if handler.name:
                self.bind(handler.name, "except", handler, handling)
            self.body(handler.body, handling)
        self.body(getattr(node, "orelse"), inside)  # noqa: B009
        self.body(getattr(node, "finalbody"), place)  # noqa: B009

    def targets(
        self, target: ast.expr, kind: BindingKind, node: ast.AST, place: _Place, value: ast.expr | None = None
    ) -> None:
        """Bind the names in an assignment target; only a single name gets the value."""
        if isinstance(target, ast.Name):
            self.bind(target.id, kind, node, place, value, target)
            return
        pending: list[ast.expr] = [target]
        while pending:
            part = pending.pop(0)
            if isinstance(part, ast.Name):
                self.bind(part.id, kind, node, place, None, target)
            elif isinstance(part, (ast.Tuple, ast.List)):
                pending[:0] = part.elts
            elif isinstance(part, ast.Starred):
                pending.insert(0, part.value)

    def captures(self, pattern: ast.pattern, node: ast.AST, place: _Place) -> None:
        """Bind the names in the pattern of a ``case``."""
        for part in ast_walk.walk(pattern):
            name = part.rest if isinstance(part, ast.MatchMapping) else getattr(part, "name", None)
            if isinstance(name, str):
                self.bind(name, "other", node, place)

    def walruses(self, statement: ast.stmt, place: _Place) -> None:
        """Bind each ``:=`` in the statement's own expressions (not in nested statements, functions or classes)."""
        if isinstance(statement, _SCOPES):
            return
        pending = [child for child in ast_walk.children(statement) if not isinstance(child, ast.stmt)]
        while pending:
            node = pending.pop(0)
            if isinstance(node, ast.NamedExpr):
                self.bind(node.target.id, "assign", statement, place, node.value, node.target)
            if not isinstance(node, (ast.Lambda, ast.ExceptHandler, ast.match_case)):
                pending.extend(ast_walk.children(node))

    def bind(
        self,
        name: str,
        kind: BindingKind,
        node: ast.AST,
        place: _Place,
        value: ast.expr | None = None,
        target: ast.expr | None = None,
    ) -> None:
        """Add a binding that is not an import."""
        self._add(Binding(name, kind, node, value, target, None, None, place.guard, place.test, place.type_checking))

    def bind_import(
        self,
        name: str,
        kind: BindingKind,
        node: ast.AST,
        place: _Place,
        module: str | None,
        attribute: str | None = None,
    ) -> None:
        """Add the binding of an imported name."""
        self._add(
            Binding(name, kind, node, None, None, module, attribute, place.guard, place.test, place.type_checking)
        )

    def _add(self, binding: Binding) -> None:
        found = self.names.get(binding.name)
        if found is None:
            self.names[binding.name] = [binding]
        else:
            found.append(binding)


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def _branches(test: ast.expr, place: _Place) -> tuple[_Place, _Place]:
    """Return the guards in the body of an ``if`` statement and in its ``else``."""
    if _is_type_checking(test):
        return _Place("type_checking", test, True), replace(place, guard="not_type_checking", test=test)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and _is_type_checking(test.operand):
        return replace(place, guard="not_type_checking", test=test), _Place("type_checking", test, True)
    body: Guard = "main" if _is_main(test) else "if"
    return replace(place, guard=body, test=test), replace(place, guard="else", test=test)


def _is_type_checking(test: ast.expr) -> bool:
    """Return whether a condition is ``TYPE_CHECKING``, ``typing.TYPE_CHECKING``, or an and/or expression with one."""
    if isinstance(test, ast.Name):
        return test.id == "TYPE_CHECKING"
    if isinstance(test, ast.Attribute):
        return test.attr == "TYPE_CHECKING"
    return isinstance(test, ast.BoolOp) and any(_is_type_checking(value) for value in test.values)


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq) and asks_for_main(test)


def asks_for_main(test: ast.Compare) -> bool:
    """Return whether a comparison is ``__name__ == "__main__"`` or another one of the two."""
    sides = (test.left, test.comparators[0])
    return (
        len(test.ops) == 1
        and any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
        and any(isinstance(side, ast.Constant) and side.value == "__main__" for side in sides)
    )


def literal_all(statements: Iterable[ast.stmt]) -> tuple[str, ...] | None:
    """Return the names in ``__all__`` if all top-level statements that change it use literals, else None."""
    names: list[str] | None = None
    for statement in statements:
        change = _all_change(statement)
        if change is None:
            continue
        replaces, value = change
        added = _strings(value)
        if added is None or (names is None and not replaces):
            return None
        names = added if replaces or names is None else names + added
    return None if names is None else tuple(dict.fromkeys(names))


def _all_change(statement: ast.stmt) -> tuple[bool, ast.expr] | None:
    """Return (whether it replaces the old value, the new names) for a statement that sets ``__all__``."""
    match statement:
        case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
            return True, value
        case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value):
            return True, value
        case ast.AugAssign(target=ast.Name(id="__all__"), op=ast.Add(), value=value):
            return False, value
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="__all__"), attr=method), args=[value])) if (
            method in ("extend", "append")
        ):
            return False, value if method == "extend" else ast.List([value], ast.Load())
    return None


def _strings(value: ast.expr) -> list[str] | None:
    """Return the strings in a literal list or tuple, or in a sum of these; None if it has any other element."""
    names: list[str] = []
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
            pending += [part.right, part.left]
        elif isinstance(part, (ast.List, ast.Tuple, ast.Set)):
            for item in part.elts:
                if not (isinstance(item, ast.Constant) and isinstance(item.value, str)):
                    return None
                names.append(item.value)
        else:
            return None
    return names


def bound_anywhere(tree: ast.AST) -> frozenset[str]:
    """Return every name that is bound in a syntax tree, in any scope."""
    return frozenset(name for node in ast_walk.walk(tree) for name in _binds(node))


def sets_attribute(text: str, name: str) -> bool:
    """Return whether code in a text sets an attribute of this name on any object."""
    if name not in text:
        return False
    name = re.escape(name)
    pattern = rf"\.{name}\s*(?:=(?!=)|:[^=\n]+=)|(?:setattr|register_\w+|add_module)\([^)]*[\"']{name}[\"']"
    return re.search(pattern, text) is not None


def _binds(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.alias):
        return [node.asname or node.name.partition(".")[0]]
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return node.names
    if isinstance(node, ast.ExceptHandler):
        return [node.name] if node.name else []
    if isinstance(node, (ast.MatchAs, ast.MatchStar)):
        return [node.name] if node.name else []
    if isinstance(node, ast.MatchMapping):
        return [node.rest] if node.rest else []
    # Type parameters (Python 3.12).
    return [node.name] if type(node).__name__ in ("TypeVar", "ParamSpec", "TypeVarTuple") else []  # type: ignore[attr-defined]
