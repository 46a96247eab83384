"""Switches and options, which decide what a program compiles.

A switch is a variable, or an attribute of ``self``, that the source only sets to constants.  An option is an attribute
of an object whose arguments are unknown: ``config.backend``.  The search for compiled objects also enters branches that
these turn off.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from gblint.interp.domain.access_paths import access_path
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import Const
from gblint.values.objects import Instance

# What ``_last_compilation`` returns, by function: a function has many conditions.
_LAST_COMPILATION: WeakKeyDictionary[ast.AST, int] = WeakKeyDictionary()


def may_compile(interp: Interpreter, node: ast.If | ast.IfExp, taken: bool, frame: Frame) -> bool:
    """Return whether the other way past ``node`` compiles something, and switches and options choose the way.

    ``taken`` is the outcome of the condition.
    """
    if not frame.module.contains("compile"):
        return False
    other = node.orelse if taken else node.body
    found = any(map(_compiles, other if isinstance(other, list) else [other])) or _compiles_after(node, taken, frame)
    return found and _may_differ(interp, node.test, taken, frame)


def _compiles_after(node: ast.If | ast.IfExp, taken: bool, frame: Frame) -> bool:
    """Return whether the branch that is taken leaves the function, and code below it compiles something."""
    body = node.body if taken else node.orelse
    if frame.function is None or not isinstance(body, list) or not body or not isinstance(body[-1], ast.Return):
        return False
    end = node.end_lineno or node.lineno
    return _last_compilation(frame.function.node) > end


def _last_compilation(function: ast.AST) -> int:
    """Return the line of the last call in a function whose name has the word "compile"; 0 if there is none."""
    known = _LAST_COMPILATION.get(function)
    if known is None:
        lines = (each.lineno for each in ast_walk.walk(function) if isinstance(each, ast.Call) and _is_compile(each))
        known = _LAST_COMPILATION[function] = max(lines, default=0)
    return known


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


def _compiles(code: ast.AST) -> bool:
    """Return whether code calls something whose name has the word "compile"."""
    return any(isinstance(node, ast.Call) and _is_compile(node) for node in ast_walk.walk(code))


def _is_compile(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return "compile" in name


def _may_differ(interp: Interpreter, test: ast.expr, outcome: bool, frame: Frame) -> bool:
    """Return whether other values of switches and options change the ``outcome`` of a condition."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _may_differ(interp, test.operand, not outcome, frame)
    if isinstance(test, ast.BoolOp):
        return all(
            _may_differ(interp, each, outcome, frame) or interp.truth(interp.eval(each, frame)) is not outcome
            for each in test.values
        )
    if isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        chosen = [each for each in sides if not isinstance(each, (ast.Constant, ast.Tuple, ast.List, ast.Set))]
        return bool(chosen) and all(_is_switch(each, frame) or _is_option(interp, each, frame) for each in chosen)
    return _is_switch(test, frame) or _is_option(interp, test, frame)


def chooses_case(interp: Interpreter, node: ast.Match, case: ast.match_case, frame: Frame) -> bool:
    """Return whether a case compiles something, and a switch or an option is what is matched."""
    return any(map(_compiles, case.body)) and (
        _is_switch(node.subject, frame) or _is_option(interp, node.subject, frame)
    )


def _is_option(interp: Interpreter, node: ast.expr, frame: Frame) -> bool:
    """Return whether ``node`` reads a constant in an object whose arguments are unknown, or in one of the module."""
    if access_path(node) is None or not isinstance(node, ast.Attribute):
        return False
    if not isinstance(interp.eval(node, frame), Const):
        return False
    holder: ast.expr = node
    while isinstance(holder, ast.Attribute):
        holder = holder.value
        value = interp.eval(holder, frame)
        if isinstance(value, Instance) and value.from_defaults:
            return True
    return isinstance(holder, ast.Name) and bool(_of_module(holder.id, frame)) and isinstance(value, Instance)


def _of_module(name: str, frame: Frame) -> list[ast.expr | None]:
    """Return the expressions that the module sets a variable to, which the function around does not set."""
    if frame.function is not None and any(_assigned(frame.function.node, name)):
        return []
    return [binding.value for binding in frame.module.symbols.get(name, ())]


def _is_switch(test: ast.expr, frame: Frame) -> bool:
    values: list[ast.expr | None] = []
    if isinstance(test, ast.Subscript) and isinstance(test.value, ast.Name) and isinstance(test.slice, ast.Constant):
        tables = _of_module(test.value.id, frame)
        return bool(tables) and all(isinstance(each, ast.Dict) for each in tables)
    if isinstance(test, ast.Attribute) and isinstance(test.value, ast.Name):
        values = list(_stored(test.value.id, test.attr, frame))
    elif isinstance(test, ast.Name):
        own = [] if frame.function is None else list(_assigned(frame.function.node, test.id))
        values = own or _of_module(test.id, frame)
    return bool(values) and all(isinstance(v, ast.Constant) for v in values)


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
