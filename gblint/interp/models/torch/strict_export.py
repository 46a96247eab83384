"""Strict export: it accepts only tensors and constants as inputs and outputs."""

from __future__ import annotations

import ast

from gblint.interp.models.torch import pytrees
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Tensor, Value
from gblint.values.objects import Class, Function, Instance


def check_signature(ctx: CallContext, function: Function) -> None:
    """Report a parameter whose default is a tensor: it would not be an input (``rewrite_signature``, eval_frame.py)."""
    spec = function.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    first = len(names) - len(function.defaults)
    given = len(ctx.args.pos)
    for index, default in enumerate(function.defaults, first):
        if isinstance(default, Tensor) and index >= given:
            ctx.emit("export", "default", ("export-optional-function-input",))
            return


def check_result(interp: Interpreter, result: Value, frame: Frame, node: ast.AST) -> None:
    """Report an object whose pytree context is a function over variables of the region."""
    for leaf in pytrees.leaves(result):
        if not isinstance(leaf, Instance) or not isinstance(leaf.cls, Class):
            continue
        context = pytrees.context_of(interp, leaf, leaf.cls)
        for value in pytrees.leaves(context) if context is not None else ():
            if isinstance(value, Function) and value.scope is not None:
                interp.emit(frame, node, "export", "closure", ("non-constructible-closure-in-output",))
                return
