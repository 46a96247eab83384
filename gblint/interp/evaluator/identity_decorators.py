"""Decorators that return their argument, such as those that add docstrings, or that Dynamo takes for the identity.

The source shows that such a decorator returns its argument.  It is run with a small budget to see whether it has side
effects, such as storing the function in a table.  After RUNS calls without side effects the decorator is treated as the
identity.
"""

from __future__ import annotations

import ast

from gblint.interp.domain import builtin_names
from gblint.interp.domain.access_paths import root_name
from gblint.interp.state import budget
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import Value
from gblint.values.objects import Function, FunctionNode, next_uid

RUNS = 3
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def decorate(interp: Interpreter, decorator: Value, value: Value, frame: Frame, node: ast.AST) -> Value:
    """``decorator(value)``."""
    if not isinstance(decorator, Function) or not isinstance(value, Function) or frame.mode.tracing:
        return interp.call(decorator, Args((value,)), frame, node)
    place = decorator.node
    known = interp.caches.identity_decorators.get(place)
    if known is None:
        known = interp.caches.identity_decorators[place] = 0 if _hands_back(interp, decorator, ()) else -1
    if known < 0:
        return interp.call(decorator, Args((value,)), frame, node)
    if known >= RUNS or interp.budget.exhausted:
        return value
    before, watermark = interp.effects.count, interp.effects.watermark
    if not watermark:
        interp.effects.watermark = next_uid()
    call = interp.budget.begin_for_effects()
    try:
        result = interp.call(decorator, Args((value,)), frame, node)
        long = interp.budget.steps - call.start >= budget.MAX_EFFECT_STEPS
        cut = interp.budget.is_truncated
    finally:
        interp.budget.end(call)
        interp.effects.watermark = watermark
    if interp.effects.count != before or not (result is value or cut):
        interp.caches.identity_decorators[place] = 0
        return result
    if cut and not long:
        return value  # the budget of an outer call was used up
    # A decorator that uses up its budget builds docstrings.
    interp.caches.identity_decorators[place] = RUNS if long else known + 1
    return value


def scripts_if_tracing(decorator: Function) -> bool:
    """Return whether a decorator marks its result as ``torch.jit.script_if_tracing`` does.

    Dynamo calls the decorated function instead (``VariableBuilder._wrap`` in torch/_dynamo/variables/builder.py).
    """
    mark = "__script_if_tracing_wrapper"
    return decorator.module.contains(mark) and any(
        isinstance(target, ast.Attribute) and target.attr == mark
        for node in ast_walk.walk(decorator.node)
        if isinstance(node, ast.Assign)
        for target in node.targets
    )


def _hands_back(interp: Interpreter, function: Function, outer: tuple[FunctionNode, ...]) -> bool:
    """Return whether every path through ``function`` returns its first argument without changing outer variables.

    outer: the functions that return the result of this one.
    """
    node = function.node
    if not isinstance(node, ast.FunctionDef) or node in outer:
        return False
    parameters = [*node.args.posonlyargs, *node.args.args]
    if not parameters or not _leaves(node.body):
        return False
    own = ast_walk.walk_scope(node.body)
    first = parameters[0].arg
    local = {p.arg for p in ast_walk.walk(node.args) if isinstance(p, ast.arg)}
    local |= {n.id for n in own if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if any(_rebinds(each, first) or _reaches_out(each, local) for each in own):
        return False
    inner = (*outer, node)
    returned = [n.value for n in own if isinstance(n, ast.Return)]
    others = [value for value in returned if not _is_handed(interp, function, value, first, inner)]
    # Without a function to decorate, as in `@mark()`, the inner decorator is returned.
    called = {v.func.id for v in returned if isinstance(v, ast.Call) and isinstance(v.func, ast.Name)}
    return len(others) < len(returned) and all(isinstance(v, ast.Name) and v.id in called for v in others)


def _leaves(body: list[ast.stmt]) -> bool:
    """Return whether a block ends with a ``return`` or a ``raise``."""
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
    """Return whether ``node`` stores an item in an outer variable, or calls a method on one that may change a table."""
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return root_name(node.value) not in local
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in builtin_names.MUTATORS:
        return root_name(node.func.value) not in local
    return False


def _is_handed(
    interp: Interpreter, function: Function, returned: ast.expr | None, first: str, outer: tuple[FunctionNode, ...]
) -> bool:
    """Return whether the returned expression is ``first``, or the result of another such function for it."""
    if isinstance(returned, ast.Name):
        return returned.id == first
    if not isinstance(returned, ast.Call) or not isinstance(returned.func, ast.Name) or not returned.args:
        return False
    given = returned.args[0]
    if not isinstance(given, ast.Name) or given.id != first:
        return False
    called = _function(interp, function, returned.func.id)
    return isinstance(called, Function) and _hands_back(interp, called, outer)


def _function(interp: Interpreter, function: Function, name: str) -> Value | None:
    """Return the function called ``name`` in the body of ``function``."""
    for node in function.node.body if isinstance(function.node, ast.FunctionDef) else ():
        if isinstance(node, ast.FunctionDef) and node.name == name and not node.decorator_list:
            return Function(node, function.module, f"{function.name}.{name}", function.scope)
    found = None if function.scope is None else function.scope.lookup(name)
    return interp.module_attribute(function.module, name) if found is None else found
