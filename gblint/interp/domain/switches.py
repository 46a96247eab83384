"""Switches: variables and attributes of ``self`` that the source sets to True or False only.

The search for compiled objects also enters branches that a switch turns off.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.interp.state.frame import Frame
from gblint.runtime import ast_walk


def may_compile(node: ast.If, taken: bool, frame: Frame) -> bool:
    """Return whether the other branch of ``node`` compiles something, and its condition depends on switches only.

    ``taken`` is the outcome of the condition.
    """
    other = node.orelse if taken else node.body
    return any(map(_compiles, other)) and _is_switch(node.test, frame)


def is_of_variables(test: ast.expr, frame: Frame) -> bool:
    """Return whether a condition reads only variables that the function around it computes."""
    if frame.function is None:
        return False
    read: set[str] = set()
    for node in ast_walk.walk(test):
        if isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
            return False
        if isinstance(node, ast.Name):
            read.add(node.id)
    return bool(read) and all(any(_assigned(frame.function.node, name)) for name in read)


def _compiles(statement: ast.stmt) -> bool:
    """Return whether a statement calls something whose name has the word "compile"."""
    for node in ast_walk.walk(statement):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if "compile" in name:
                return True
    return False


def _is_switch(test: ast.expr, frame: Frame) -> bool:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_switch(test.operand, frame)
    if isinstance(test, ast.BoolOp):
        return all(_is_switch(each, frame) for each in test.values)
    values: list[ast.expr | None] = []
    if isinstance(test, ast.Attribute) and isinstance(test.value, ast.Name):
        values = list(_stored(test.value.id, test.attr, frame))
    elif isinstance(test, ast.Name):
        values = [] if frame.function is None else list(_assigned(frame.function.node, test.id))
        if not values and test.id not in frame.variables:
            values = [binding.value for binding in frame.module.symbols.get(test.id, ())]
    return bool(values) and all(isinstance(v, ast.Constant) and isinstance(v.value, bool) for v in values)


def _stored(receiver: str, name: str, frame: Frame) -> Iterator[ast.expr | None]:
    """Yield the expressions that the methods of a class set the attribute ``name`` of their receiver to."""
    function = frame.function
    if function is None or function.owner is None or not function.node.args.args:
        return
    if function.node.args.args[0].arg != receiver:
        return
    for owner in function.owner.mro:
        for node in ast_walk.walk(owner.node):
            if isinstance(node, ast.Assign) and any(_is_attribute(each, receiver, name) for each in node.targets):
                yield node.value


def _is_attribute(node: ast.expr, receiver: str, name: str) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == name
        and isinstance(node.value, ast.Name)
        and node.value.id == receiver
    )


def _assigned(function: ast.AST, name: str) -> Iterator[ast.expr | None]:
    """Yield the expressions that a variable of a function is set to; None for each other way to bind it."""
    plain: set[ast.AST] = set()
    for node in ast_walk.walk(function):
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.Assign) and any(isinstance(each, ast.Name) and each.id == name for each in targets):
            plain.update(targets)
            yield node.value
        stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name
        if (stored and node not in plain) or (isinstance(node, ast.arg) and node.arg == name):
            yield None
