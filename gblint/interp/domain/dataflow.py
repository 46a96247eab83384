"""Data flow between the local variables of a function, as far as autograd's graph connects them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.runtime import ast_walk

# Attributes and methods whose results are not connected to autograd's graph, or are not tensors.
_CUT = frozenset("detach item tolist numpy shape size dim dtype device ndim requires_grad is_leaf".split())


def used(node: ast.AST) -> set[str]:
    """Return the variables whose gradient flows through an expression."""
    return set(_names(node))


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and node.attr in _CUT:
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "grad":
        # Gradients are new tensors, without a history unless ``create_graph`` is set.
        return
    if isinstance(node, ast.Name):
        yield node.id
    elif not isinstance(node, (ast.Lambda, ast.FunctionDef)):
        for child in ast_walk.children(node):
            yield from _names(child)


def _assignments(function: ast.AST) -> list[tuple[set[str], set[str]]]:
    """Yield for each assignment the variables that it binds, and the variables that it uses."""
    found: list[tuple[set[str], set[str]]] = []
    for node in ast_walk.walk(function):
        if isinstance(node, ast.Assign):
            bound = {n.id for t in node.targets for n in ast_walk.walk(t) if isinstance(n, ast.Name)}
            found.append((bound, used(node.value)))
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and isinstance(node.target, ast.Name):
            if node.value is not None:
                found.append(({node.target.id}, used(node.value)))
    return found


def derived(function: ast.AST, names: set[str]) -> set[str]:
    """Return ``names`` and all variables computed from one of them."""
    return _closure(names, [(source, bound) for bound, source in _assignments(function)])


def ancestors(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, names: set[str]) -> set[str]:
    """Return ``names`` and all variables from which one of them is computed, without the parameters of the function."""
    made = _closure(names, _assignments(function))
    return made - {a.arg for a in ast_walk.walk(function.args) if isinstance(a, ast.arg)}


def _closure(names: set[str], steps: list[tuple[set[str], set[str]]]) -> set[str]:
    out = set(names)
    changed = True
    while changed:
        changed = False
        for before, after in steps:
            if before & out and not after <= out:
                out |= after
                changed = True
    return out


def returned(function: ast.AST) -> set[str]:
    """Return the variables that a function returns with their gradients."""
    values = (n.value for n in ast_walk.walk(function) if isinstance(n, ast.Return) and n.value is not None)
    return {name for value in values for name in used(value)}


def bound_by(function: ast.AST, expression: ast.AST) -> set[str] | None:
    """Return the variables that the statement around ``expression`` binds; None if the statement returns the result."""
    for node in ast_walk.walk(function):
        if isinstance(node, (ast.Assign, ast.Return)) and node.value is not None:
            if any(child is expression for child in ast_walk.walk(node.value)):
                if isinstance(node, ast.Return):
                    return None
                return {n.id for t in node.targets for n in ast_walk.walk(t) if isinstance(n, ast.Name)}
    return set()


def needed_from(function: ast.AST, names: set[str], line: int) -> bool:
    """Return whether one of ``names`` is read at ``line`` or below it."""
    return any(
        isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in names and n.lineno >= line
        for n in ast_walk.walk(function)
    )


def never_ends(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function ends in a ``while True`` that nothing leaves."""
    last = function.body[-1]
    if not isinstance(last, ast.While) or not isinstance(last.test, ast.Constant) or not last.test.value:
        return False
    return not any(isinstance(n, (ast.Break, ast.Return, ast.Raise)) for n in ast_walk.walk(last))
