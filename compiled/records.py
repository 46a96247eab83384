"""Rewriting of a module for mypyc: dataclasses become plain classes with their methods written out.

mypyc leaves the methods of dataclasses to Python; written out they are compiled, too.  A record is a dataclass.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARISONS = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
# Imports that the rewritten module does not need; `replace` stays.
_UNUSED = ("dataclass", "field")
_IMPORTS = """
from typing import Any as _Any
from typing import ClassVar as _ClassVar

from gblint.runtime.mypyc import describe as _describe
from gblint.runtime.mypyc import mypyc_attr as _mypyc_attr
"""
_BUILTIN = ("str", "int", "float", "tuple", "dict", "list")


@dataclass(frozen=True)
class _Field:
    """A field of a record: the source of its type, of its default, and of the factory of its default."""

    name: str
    kind: str
    default: str | None = None
    factory: str | None = None
    compared: bool = True

    @property
    def parameter(self) -> str:
        if self.factory is not None:
            return f"{self.name}: {self.kind} | None = None"
        return f"{self.name}: {self.kind}" + ("" if self.default is None else f" = {self.default}")

    @property
    def stored(self) -> str:
        value = f"{self.factory} if {self.name} is None else {self.name}" if self.factory is not None else self.name
        return f"self.{self.name} = {value}"


Records = dict[str, list[_Field]]


def rewrite(source: str, known: Records) -> str:
    """Return ``source`` with each record written out.

    ``known`` has the fields of the records so far, for inheritance; those of this module are added to it.
    """
    tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    edits: list[tuple[int, int, str]] = []
    descriptions: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "gblint.runtime.lazy_dataclasses":
            left = [each.name for each in node.names if each.name not in _UNUSED]
            line = f"from gblint.runtime.lazy_dataclasses import {', '.join(left)}\n" if left else ""
            edits.append((node.lineno - 1, node.end_lineno or 0, line))
        elif isinstance(node, ast.ClassDef):
            edits += _of_class(node, source, known)
            if node.name in known and _decorator(node) is not None:
                fields = ", ".join(f"{field.name}={field.kind!r}" for field in known[node.name])
                descriptions.append(f"_describe({node.name}, {fields})\n")
    if not edits:
        return source
    start = max(node.end_lineno or 0 for node in tree.body if isinstance(node, ast.ImportFrom))
    first = next(node.end_lineno or 0 for node in tree.body if isinstance(node, ast.ImportFrom))
    assert start >= first  # every module begins with an import from __future__
    edits.append((first, first, _IMPORTS))
    for begin, end, text in sorted(edits, key=lambda each: each[:2], reverse=True):
        lines[begin:end] = [text]
    return "".join([*lines, *descriptions])


def _of_class(node: ast.ClassDef, source: str, known: Records) -> Iterator[tuple[int, int, str]]:
    """Yield the edits of a class: first line, line after the last, replacement."""
    decorator = _decorator(node)
    first = min(each.lineno for each in [node, *node.decorator_list]) - 1
    if any(isinstance(base, ast.Name) and base.id in _BUILTIN for base in node.bases):
        yield first, first, "@_mypyc_attr(native_class=False)\n"
    if decorator is None:
        return
    own = [each for each in node.body if isinstance(each, ast.AnnAssign) and _is_field(each)]
    indent = " " * (node.col_offset + 4)
    yield decorator.lineno - 1, decorator.end_lineno or 0, ""
    fields: list[_Field] = []
    for base in node.bases:
        fields += known.get(base.id, []) if isinstance(base, ast.Name) else []
    for statement in own:
        field = _read(statement, source)
        fields.append(field)
        yield statement.lineno - 1, statement.end_lineno or 0, f"{indent}{field.name}: {field.kind}\n"
    known[node.name] = fields
    there = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    options = {k.arg: ast.literal_eval(k.value) for k in getattr(decorator, "keywords", ())}
    added = "".join(f"{indent}{line}\n" for line in _methods(node.name, fields, options, there))
    yield node.end_lineno or 0, node.end_lineno or 0, "\n" + added


def _decorator(node: ast.ClassDef) -> ast.expr | None:
    for each in node.decorator_list:
        function = each.func if isinstance(each, ast.Call) else each
        if isinstance(function, ast.Name) and function.id == "dataclass":
            return each
    return None


def _is_field(statement: ast.AnnAssign) -> bool:
    return isinstance(statement.target, ast.Name) and not ast.unparse(statement.annotation).startswith("ClassVar")


def _read(statement: ast.AnnAssign, source: str) -> _Field:
    assert isinstance(statement.target, ast.Name)
    name, kind = statement.target.id, ast.get_source_segment(source, statement.annotation) or ""
    value = statement.value
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "field"):
        return _Field(name, kind, None if value is None else ast.unparse(value))
    given = {k.arg: k.value for k in value.keywords}
    compared = "compare" not in given or bool(ast.literal_eval(given["compare"]))
    if "default" in given:
        return _Field(name, kind, ast.unparse(given["default"]), None, compared)
    factory = given["default_factory"]
    made = ast.unparse(factory.body if isinstance(factory, ast.Lambda) else factory)
    made = {"list": "[]", "dict": "{}"}.get(made, made if isinstance(factory, ast.Lambda) else f"{made}()")
    return _Field(name, kind, None, made, compared)


def _methods(cls: str, fields: list[_Field], options: dict[str | None, bool], there: set[str]) -> Iterator[str]:
    """Yield the lines of the methods that ``dataclass`` adds to a class."""
    compared = [field.name for field in fields if field.compared]
    if "__init__" not in there:
        yield f"def __init__({', '.join(['self', *(field.parameter for field in fields)])}) -> None:"
        yield from [f"    {field.stored}" for field in fields] or ["    pass"]
        yield f"def _copied(self) -> {cls}:"
        yield f"    return {cls}({', '.join(f'self.{field.name}' for field in fields)})"
    if options.get("eq", True):
        if "__eq__" not in there:
            equal = (f"(self.{name} is other.{name} or self.{name} == other.{name})" for name in compared)
            yield "def __eq__(self, other: object) -> bool:"
            yield f"    if not isinstance(other, {cls}) or type(other) is not type(self):"
            yield "        return False"
            yield f"    return self is other or ({' and '.join(equal) or 'True'})"
        if "__hash__" not in there and options.get("frozen"):
            yield "def __hash__(self) -> int:"
            yield f"    return hash({_tuple('self', compared)})"
    for method, sign in _COMPARISONS.items() if options.get("order") else ():
        yield f"def {method}(self, other: {cls}) -> bool:"
        yield f"    return {_tuple('self', compared)} {sign} {_tuple('other', compared)}"
    if "__repr__" not in there:
        shown = ", ".join(f"{field.name}={{self.{field.name}!r}}" for field in fields)
        yield "def __repr__(self) -> str:"
        yield f'    return f"{cls}({shown})"'
    yield "def __reduce__(self) -> _Any:"
    yield f"    return (type(self), {_tuple('self', [field.name for field in fields])})"
    yield f"__match_args__: _ClassVar[tuple[str, ...]] = {tuple(field.name for field in fields)!r}"


def _tuple(owner: str, names: list[str]) -> str:
    return f"({''.join(f'{owner}.{name}, ' for name in names)})" if names else "()"
