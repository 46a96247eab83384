"""Statements of the project's own functions that change Dynamo's settings when code before a compilation calls them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from gblint.interp.domain.access_paths import access_path, last_name
from gblint.interp.domain.reach import truth
from gblint.interp.state.frame import Frame, TracingMode
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.runtime import ast_walk
from gblint.values.base import UNKNOWN, Const, Value
from gblint.values.objects import Function, Scope

MAX_SETTING_CALLS = 3
"""How many calls may lead from the code before a compilation to a statement that sets something."""
_PURE = frozenset(("hasattr", "isinstance", "getattr", "callable"))


def run_by(interp: Interpreter, node: ast.AST, frame: Frame, depth: int = 0) -> Iterator[tuple[ast.AST, Frame]]:
    """Yield the simple statements that the functions called in ``node`` run, each with a frame for its names.

    Only functions of modules that mention ``torch._dynamo`` are followed, and of an undecided branch only one that has
    no alternative.
    """
    if depth >= MAX_SETTING_CALLS:
        return
    for call in _calls(interp, node):
        function = interp.eval(call.func, frame)
        if isinstance(function, Function) and isinstance(function.node, ast.FunctionDef):
            if function.module.origin == "user" and function.module.contains("_dynamo"):
                inner = _frame_of(function, call)
                for statement in _taken(interp, function.node.body, inner):
                    yield from run_by(interp, statement, inner, depth + 1)
                    yield statement, inner


def has_calls(interp: Interpreter, node: ast.AST) -> bool:
    """Return whether a statement has a call that may be of a function in a module that mentions ``torch._dynamo``."""
    return bool(interp.project.mentioning(("_dynamo",))) and bool(_calls(interp, node))


def _calls(interp: Interpreter, node: ast.AST) -> list[ast.Call]:
    """Return the calls in a statement that may be of a function in a module that mentions ``torch._dynamo``.

    The same statements are looked through for each entry point of a module.
    """
    known = interp.caches.syntax.setting_calls.get(node)
    if known is None:
        calls = [each for each in ast_walk.walk(node) if isinstance(each, ast.Call) and access_path(each.func)]
        defined = _defined_names(interp) if calls else frozenset()
        kept = [each for each in calls if last_name(each.func) in defined]
        known = interp.caches.syntax.setting_calls[node] = kept
    return known


def _defined_names(interp: Interpreter) -> frozenset[str]:
    """Return the names at the top of the modules that mention ``torch._dynamo``."""
    homes = interp.project.mentioning(("_dynamo",))
    known = interp.caches.syntax.searches.names_near_settings
    if known is None:
        names = (name for home in homes for name in home.symbols)
        known = interp.caches.syntax.searches.names_near_settings = frozenset(names)
    return known


def _frame_of(function: Function, call: ast.Call) -> Frame:
    """Return a frame in which the parameters of a function have the constants that a call gives, or their defaults."""
    spec = function.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    values: dict[str, Value] = dict.fromkeys([*names, *(each.arg for each in spec.kwonlyargs)], UNKNOWN)
    values.update(zip(names[len(names) - len(function.defaults) :], function.defaults))
    values.update((p.arg, v) for p, v in zip(spec.kwonlyargs, function.kw_defaults) if v is not None)
    given = [*zip(names, call.args), *((k.arg, k.value) for k in call.keywords)]
    for name, argument in given:
        if name in values:
            values[name] = Const(argument.value) if isinstance(argument, ast.Constant) else UNKNOWN
    summary = FunctionSummary(function.name, function.module)
    return Frame(function.module, Scope(values, None), summary, TracingMode(tracing=False), function)


def _taken(interp: Interpreter, body: Iterable[ast.stmt], frame: Frame) -> Iterator[ast.stmt]:
    """Yield the simple statements that run, up to the first ``return`` or ``raise`` that is certain."""
    for statement in body:
        if isinstance(statement, (ast.Return, ast.Raise)):
            if isinstance(statement, ast.Return) and statement.value is not None:
                yield statement
            return
        if isinstance(statement, ast.If):
            known = _decided(interp, statement.test, frame)
            if known is None and (statement.orelse or isinstance(statement.body[-1], (ast.Return, ast.Raise))):
                continue
            yield from _taken(interp, statement.orelse if known is False else statement.body, frame)
        elif isinstance(statement, (ast.With, ast.Try)):
            yield from _taken(interp, statement.body, frame)
        elif isinstance(statement, (ast.Expr, ast.Assign, ast.AugAssign)):
            yield statement


def _decided(interp: Interpreter, test: ast.expr, frame: Frame) -> bool | None:
    calls = [each.func for each in ast_walk.walk(test) if isinstance(each, ast.Call)]
    if any(not isinstance(each, ast.Name) or each.id not in _PURE for each in calls):
        return None
    return truth(interp.eval(test, frame))
