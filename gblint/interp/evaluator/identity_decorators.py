"""Decorators that hand back what they are given, such as those that write docstrings.

What one of them returns is plain from its source.  It is run, not for long, to see whether it does anything else that
counts, such as putting functions into a table; once it did nothing of that kind a few times in a row, it is not run on
the rest.
"""

from __future__ import annotations

import ast

from gblint.interp.domain import builtin_names
from gblint.interp.state import budget
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import Value
from gblint.values.objects import Function, FunctionNode, next_uid

RUNS = 3
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def decorate(m: Interpreter, decorator: Value, value: Value, frame: Frame, node: ast.AST) -> Value:
    """``decorator(value)``."""
    if not isinstance(decorator, Function) or not isinstance(value, Function) or frame.mode.tracing:
        return m.call(decorator, Args((value,)), frame, node)
    place = decorator.node
    known = m.caches.identity_decorators.get(place)
    if known is None:
        known = m.caches.identity_decorators[place] = 0 if _hands_back(m, decorator, ()) else -1
    if known < 0:
        return m.call(decorator, Args((value,)), frame, node)
    if known >= RUNS or m.budget.exhausted:
        return value
    before, fence = m.effects.count, m.effects.watermark
    if not fence:
        m.effects.watermark = next_uid()
    call = m.budget.begin_for_effects()
    try:
        result = m.call(decorator, Args((value,)), frame, node)
        long = m.budget.steps - call.start >= budget.MAX_EFFECT_STEPS
        cut = m.budget.cut_short
    finally:
        m.budget.end(call)
        m.effects.watermark = fence
    if m.effects.count != before or not (result is value or cut):
        m.caches.identity_decorators[place] = 0
        return result
    if cut and not long:
        return value  # what it was called from took too long
    # What takes long writes texts.
    m.caches.identity_decorators[place] = RUNS if long else known + 1
    return value


def _hands_back(m: Interpreter, function: Function, outer: tuple[FunctionNode, ...]) -> bool:
    """Whether every way through ``function`` ends with its first argument, and none plainly changes a variable outside.

    ``outer`` are the functions that return what this one does.
    """
    node = function.node
    if not isinstance(node, ast.FunctionDef) or node in outer:
        return False
    parameters = [*node.args.posonlyargs, *node.args.args]
    if not parameters or not _leaves(node.body):
        return False
    own = _own_nodes(node)
    first = parameters[0].arg
    local = {p.arg for p in ast_walk.walk(node.args) if isinstance(p, ast.arg)}
    local |= {n.id for n in own if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if any(_rebinds(each, first) or _reaches_out(each, local) for each in own):
        return False
    inner = (*outer, node)
    returned = [n.value for n in own if isinstance(n, ast.Return)]
    others = [value for value in returned if not _is_handed(m, function, value, first, inner)]
    # Without a function to decorate, `@mark()`, what is called with it otherwise is handed out.
    called = {v.func.id for v in returned if isinstance(v, ast.Call) and isinstance(v.func, ast.Name)}
    return len(others) < len(returned) and all(isinstance(v, ast.Name) and v.id in called for v in others)


def _own_nodes(function: ast.FunctionDef) -> list[ast.AST]:
    """What is in the body of a function, the bodies of functions and classes in it left out."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        found.append(node)
        if not isinstance(node, _SCOPES):
            waiting.extend(ast_walk.children(node))
    return found


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether a block is seen to end with a ``return`` or a ``raise``."""
    last = body[-1]
    if isinstance(last, ast.If):
        return _leaves(last.body) and bool(last.orelse) and _leaves(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise))


def _rebinds(node: ast.AST, name: str) -> bool:
    if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal, ast.Await)):
        return True
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.alias):
        return (node.asname or node.name) == name
    return getattr(node, "name", None) == name


def _reaches_out(node: ast.AST, local: set[str]) -> bool:
    """Whether ``node`` stores an item into a variable from outside, or calls a method of one that may be a table's."""
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return _root(node.value) not in local
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in builtin_names.MUTATORS:
        return _root(node.func.value) not in local
    return False


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_handed(
    m: Interpreter, function: Function, returned: ast.expr | None, first: str, outer: tuple[FunctionNode, ...]
) -> bool:
    """Whether what is returned is the variable ``first``, or what another such function makes of it."""
    if isinstance(returned, ast.Name):
        return returned.id == first
    if not isinstance(returned, ast.Call) or not isinstance(returned.func, ast.Name) or not returned.args:
        return False
    given = returned.args[0]
    if not isinstance(given, ast.Name) or given.id != first:
        return False
    called = _function(m, function, returned.func.id)
    return isinstance(called, Function) and _hands_back(m, called, outer)


def _function(m: Interpreter, function: Function, name: str) -> Value | None:
    """What ``name`` is in the body of ``function``."""
    for node in function.node.body if isinstance(function.node, ast.FunctionDef) else ():
        if isinstance(node, ast.FunctionDef) and node.name == name and not node.decorator_list:
            return Function(node, function.module, f"{function.name}.{name}", function.scope)
    found = None if function.scope is None else function.scope.lookup(name)
    return m.module_attribute(function.module, name) if found is None else found
