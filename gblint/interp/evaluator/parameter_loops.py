"""Loops outside of any region that freeze the parameters of a module: ``for p in net.parameters(): ...``."""

from __future__ import annotations

import ast

from gblint.interp.models.torch import nn_modules
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime.ast_walk import is_name
from gblint.values.base import TRUE, members
from gblint.values.objects import Instance, is_nn_module


def set_gradients(interp: Interpreter, node: ast.For | ast.AsyncFor, frame: Frame) -> None:
    """Run a loop that only sets ``requires_grad`` of the parameters of a module as ``module.requires_grad_`` does."""
    source = node.iter.func if isinstance(node.iter, ast.Call) and not node.iter.args else None
    if not isinstance(source, ast.Attribute) or source.attr != "parameters" or len(node.body) != 1:
        return
    if not isinstance(node.target, ast.Name):
        return
    wanted = _wanted(node.body[0], node.target.id)
    if wanted is None:
        return
    value = TRUE if isinstance(wanted, tuple) else interp.eval(wanted, frame)
    for module in members(interp.eval(source.value, frame)):
        if isinstance(module, Instance) and is_nn_module(module):
            nn_modules.set_gradients(interp, module, value)


def _wanted(statement: ast.stmt, name: str) -> ast.expr | tuple[()] | None:
    """Return the value that a statement gives to ``requires_grad`` of a variable; () if it is true by default."""
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        is_flag = isinstance(target, ast.Attribute) and target.attr == "requires_grad" and is_name(target.value, name)
        return statement.value if is_flag else None
    call = statement.value if isinstance(statement, ast.Expr) else None
    method = call.func if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or not isinstance(method, ast.Attribute) or method.attr != "requires_grad_":
        return None
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return (given[0] if given else ()) if is_name(method.value, name) else None
