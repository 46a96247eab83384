"""Calls of the project's own functions that compile one of their arguments."""

from __future__ import annotations

import ast

from gblint.interp.models.torch.compile_functions import is_any
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.runtime import ast_origins
from gblint.values.base import UNKNOWN


def note(interp: Interpreter, summary: FunctionSummary, frame: Frame, node: ast.AST) -> None:
    """Note the arguments of a call that its function compiles: those of unknown value are not analysed."""
    if not summary.compiled_arguments.parameters or summary.locals is None or frame.mode.tracing:
        return
    function, variables = summary.locals
    if not isinstance(node, ast.Call):
        return
    names = [each.arg for each in (*function.node.args.posonlyargs, *function.node.args.args)]
    bound = function.owner is not None and names[:1] in (["self"], ["cls"])
    for name, passing in list(summary.compiled_arguments.parameters.items()):
        target = _argument(node, name, names[1:] if bound else names)
        if target is None:
            continue
        if passing is not None:
            interp.compilation.unknown_targets.passing_calls.add(passing)  # its caller tells more
        if isinstance(target, ast.Name) and target.id in frame.parameters:
            frame.summary.compiled_arguments.parameters.setdefault(target.id, node)
        if is_any(variables.get(name)):
            if _comes_from_parameter(frame, target):
                interp.compilation.follow_callers(frame)
            interp.note_unknown(frame, node, target, UNKNOWN, "call")
        else:
            interp.compilation.unknown_targets.passing_calls.add(node)


def _comes_from_parameter(frame: Frame, target: ast.expr) -> bool:
    """Return whether an expression is made of a parameter of the function that runs, such as an item of ``*models``."""
    if frame.function is None or not frame.parameters:
        return False
    names = ast_origins.names([target, *ast_origins.origins(frame.function.node, [target])])
    return not names.isdisjoint(frame.parameters)


def _argument(call: ast.Call, name: str, names: list[str]) -> ast.expr | None:
    """Return the expression that a call passes for a parameter, if it is not part of ``*args``."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    index = names.index(name) if name in names else len(call.args)
    given = call.args[: index + 1]
    return given[index] if index < len(given) and not any(isinstance(each, ast.Starred) for each in given) else None
