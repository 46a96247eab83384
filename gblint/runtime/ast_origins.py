"""Origins of an expression in a function: the expressions from which its value is made, by way of assignments."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name


def origins(function: ast.AST, expressions: Iterable[ast.expr]) -> list[ast.expr]:
    """Return ``expressions`` and all that a function or module assigns to the variables and attributes in them."""
    assigned = _assigned(function)
    found = list(expressions)
    done: set[str] = set()
    for expression in found:  # grows while it is read
        for name in _read(expression) - done:
            done.add(name)
            found += assigned.get(name, ())
    return found


def names(expressions: Iterable[ast.expr]) -> set[str]:
    """Return the variables in expressions."""
    return {n.id for each in expressions for n in ast_walk.walk(each) if isinstance(n, ast.Name)}


def identifiers(expressions: Iterable[ast.expr]) -> list[str]:
    """Return the names of the variables and attributes and the constant keys in expressions, each once."""
    found: dict[str, None] = {}
    for each in expressions:
        for node in ast_walk.walk(each):
            if isinstance(node, (ast.Name, ast.Attribute)):
                found[node.id if isinstance(node, ast.Name) else node.attr] = None
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found[node.value] = None
    return list(found)


def leaves(expression: ast.expr) -> list[ast.expr]:
    """Return the constants, variables and attributes of variables among which an expression chooses its value."""
    nodes = list(ast_walk.walk(expression))
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    kinds = (ast.Name, ast.Constant, ast.Attribute)
    return [node for node in nodes if isinstance(node, kinds) and node not in called]


def attributes_of(receiver: str, code: Iterable[ast.AST]) -> list[str]:
    """Return the attributes of the variable ``receiver`` that expressions or statements use, each once.

    The attribute of ``getattr(receiver, name)`` is empty if its name is not constant.
    """
    found: dict[str, None] = {}
    for each in code:
        for node in ast_walk.walk(each):
            if isinstance(node, ast.Attribute) and is_name(node.value, receiver):
                found[node.attr] = None
            elif isinstance(node, ast.Call) and is_name(node.func, "getattr") and len(node.args) > 1:
                name = node.args[1]
                if is_name(node.args[0], receiver):
                    known = isinstance(name, ast.Constant) and isinstance(name.value, str)
                    found[name.value if known else ""] = None  # type: ignore[attr-defined]
    return list(found)


def stored_attributes(function: ast.AST, receiver: str) -> set[str]:
    """Return the attributes of the variable ``receiver`` to which a function assigns something other than None."""
    found: set[str] = set()
    for node in ast_walk.walk(function):
        if isinstance(node, ast.Assign) and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            for target in node.targets:
                found |= stored_in(target, receiver)
    return found


def stored_in(target: ast.expr, receiver: str) -> set[str]:
    """Return the attributes of the variable ``receiver`` that an assignment to ``target`` sets."""
    return {name.partition(".")[2] for name in _stored(target) if name.startswith(f"{receiver}.")}


def _assigned(function: ast.AST) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in ast_walk.walk(function):
        for target, value in assignments(node):
            for name in _stored(target):
                found.setdefault(name, []).append(value)
    return found


def assignments(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """Return each target of an assignment or a loop with the value or iterable; nothing for any other node."""
    if isinstance(node, ast.Assign):
        return [(target, node.value) for target in node.targets]
    if isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        return [(node.target, node.value)]
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return [(node.target, node.iter)]
    return []


def _stored(target: ast.expr) -> list[str]:
    """Return the variables ``x`` and attributes ``x.y`` in the target of an assignment."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Attribute):
        return [f"{target.value.id}.{target.attr}"] if isinstance(target.value, ast.Name) else []
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for each in target.elts for name in _stored(each)]
    return _stored(target.value) if isinstance(target, (ast.Starred, ast.Subscript)) else []


def _read(expression: ast.expr) -> set[str]:
    found: set[str] = set()
    for node in ast_walk.walk(expression):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(f"{node.value.id}.{node.attr}")
    return found
