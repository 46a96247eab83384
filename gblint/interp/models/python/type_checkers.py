"""Functions whose arguments a decorator checks at run time: ``beartype``, alone or for ``jaxtyping``.

Dynamo traces the wrapper that beartype generates.  That checks one item of a list, which ``random.getrandbits`` picks;
Dynamo traces neither that nor how beartype looks up the classes of jaxtyping.
"""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain.access_paths import last_name
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.objects import ExternalName, Function

CHECKER: Final = "beartype.beartype"
_FOR_ARRAYS: Final = "jaxtyping.jaxtyped"
# Generic classes of which beartype checks one item (beartype 0.23); of sets and dicts it takes the first one.
_PICKED: Final = frozenset("list List Sequence MutableSequence Iterable Container Reversible".split())
_UNCHECKED: Final = frozenset(("Any", "object"))
_ARRAYS: Final = "jaxtyping."


def check(ctx: CallContext, function: Function) -> None:
    """Report the call of a function whose wrapper breaks the graph; that of an entry point at the decorator."""
    if not ctx.frame.mode.tracing or isinstance(function.node, ast.Lambda):
        return
    owner = [] if function.owner is None else function.owner.node.decorator_list
    for decorator in (*function.node.decorator_list, *owner):
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if last_name(called) not in ("beartype", "jaxtyped") or not _checks(ctx.interp, function, decorator, called):
            continue
        cause = _cause(ctx.interp, function)
        if cause:
            is_entry = ctx.frame.function is None and ctx.frame.module is function.module
            node = decorator if is_entry else ctx.node
            ctx.interp.emit(ctx.frame, node, "call", CHECKER, (cause,))
        return


def _checks(interp: Interpreter, function: Function, decorator: ast.expr, called: ast.expr) -> bool:
    """Return whether a decorator is that of beartype, or lets it check the arrays of jaxtyping."""
    frame = interp.module_frame(function.module)
    found = interp.eval(called, frame)
    if found == ExternalName(CHECKER):
        return True
    checkers = decorator.keywords if isinstance(decorator, ast.Call) else []
    given = [interp.eval(each.value, frame) for each in checkers if each.arg == "typechecker"]
    return found == ExternalName(_FOR_ARRAYS) and given == [ExternalName(CHECKER)]


def _cause(interp: Interpreter, function: Function) -> str:
    """Return the cause of the break in the wrapper: that of the first annotation that has one; empty for none."""
    spec = function.node.args
    variable = [each for each in (spec.vararg, spec.kwarg) if each is not None]
    parameters = (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *variable)
    returned = None if isinstance(function.node, ast.Lambda) else function.node.returns
    for hint in (*(each.annotation for each in parameters), returned):
        for node in ast_walk.walk(hint) if hint is not None else ():
            if not isinstance(node, ast.Subscript):
                continue
            if _is_picked(node):
                return "call-of-skipped-function"
            named = interp.eval(node.value, interp.module_frame(function.module))
            if isinstance(named, ExternalName) and named.name.startswith(_ARRAYS):
                return "unsupported-method-call"
    return ""


def _is_picked(node: ast.Subscript) -> bool:
    """Return whether beartype picks an item of what ``node`` annotates."""
    name = last_name(node.value)
    if name in ("tuple", "Tuple"):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
        return len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is ...
    return name in _PICKED and last_name(node.slice) not in _UNCHECKED
