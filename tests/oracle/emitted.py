"""The events that the code of gblint emits, read from its syntax trees.

A call of ``emit`` (an operation of the interpreter and of a call context) or of ``record`` emits an event, and so does
the creation of an ``Emission`` or a ``BreakEvent``. The kind of the event is the first argument that is a text literal
or the name of a text constant (for the two classes: the first argument), the subject is the next argument. A function
that passes its parameter ``kind`` to one of them emits events, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import gblint

PACKAGE = Path(gblint.__file__).parent
FOLDERS = ("interp", "checks", "entrypoints")
CLASSES = frozenset(("Emission", "BreakEvent"))
EMITTERS = frozenset(("emit", "record", *CLASSES))


@dataclass(frozen=True)
class Emitted:
    """A kind of event in a call that emits one; ``subject`` is None where it is not a literal."""

    kind: str
    subject: str | None
    place: str


def emitted() -> list[Emitted]:
    """Return the events of all calls that emit one."""
    trees = {path: ast.parse(path.read_text("utf-8")) for name in FOLDERS for path in (PACKAGE / name).rglob("*.py")}
    emitters = {**dict.fromkeys(EMITTERS, 0), **_forwarders(trees.values())}
    return [event for path, tree in trees.items() for event in _in_module(path, tree, emitters)]


def _forwarders(trees: Iterable[ast.Module]) -> dict[str, int]:
    """Return the functions that emit an event of the kind in their parameter ``kind``, with its position."""
    found = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name not in EMITTERS:
                parameters = [each.arg for each in node.args.args]
                if "kind" in parameters and any(_passes_kind(call) for call in _calls(node)):
                    found[node.name] = parameters.index("kind") - ("self" in parameters)
    return found


def _passes_kind(call: ast.Call) -> bool:
    return _name(call) in EMITTERS and any(isinstance(each, ast.Name) and each.id == "kind" for each in call.args)


def _in_module(path: Path, tree: ast.Module, emitters: Mapping[str, int]) -> Iterator[Emitted]:
    tables = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and node.value is not None
    }
    for call in _calls(tree):
        if _name(call) in emitters:
            place = f"{path.relative_to(PACKAGE)}:{call.lineno}"
            arguments = [
                tables[each.id] if isinstance(each, ast.Name) and _is_constant(tables, each) else each
                for each in call.args
            ]
            candidates = arguments[:1] if _name(call) in CLASSES else arguments[emitters[_name(call)] :]
            first = next((each for each in candidates if isinstance(each, ast.Starred) or _texts(each)), None)
            if isinstance(first, ast.Starred):
                yield from _in_table(tables, first.value, place)
            elif first is not None:
                following = arguments[arguments.index(first) + 1 :]
                subjects = (_texts(following[0]) if following else []) or [None]
                yield from (Emitted(kind, subject, place) for kind in _texts(first) for subject in subjects)


def _is_constant(tables: Mapping[str, ast.expr], node: ast.expr) -> bool:
    """Return whether ``node`` is the name of a text constant of the module."""
    return isinstance(node, ast.Name) and node.id in tables and bool(_texts(tables[node.id]))


def _in_table(tables: Mapping[str, ast.expr], value: ast.expr, place: str) -> Iterator[Emitted]:
    """Yield the events of ``*TABLE[key]``, whose entries are pairs of a kind and a subject."""
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) and value.value.id in tables:
        for node in ast.walk(tables[value.value.id]):
            if isinstance(node, ast.Tuple) and len(node.elts) == 2 and all(map(_texts, node.elts)):
                yield Emitted(_texts(node.elts[0])[0], _texts(node.elts[1])[0], place)


def _texts(node: ast.expr) -> list[str]:
    """Return the text of a literal, or those of both branches of a conditional expression."""
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body), *_texts(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
