"""Tensors in the frame of a function that Python calls: Dynamo compiles such a frame, and leaves others alone."""

from __future__ import annotations

import ast

from gblint.runtime import ast_walk
from gblint.values.base import UNPASSED, Tensor, Unknown, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import ExternalObject, Function, is_nn_module, is_nn_module_class


def in_frame(function: Function, variables: dict[str, Value]) -> bool:
    """Return whether Dynamo compiles a function that Python calls with these variables.

    Dynamo looks for tensors among the variables, also inside lists, tuples and dicts, and for the modules torch and
    numpy among the globals (torch/_dynamo/convert_frame.py, ``has_tensor_in_frame``).
    """
    if any(_holds_tensor(value) for value in variables.values()):
        return True
    return any(_is_outside_tensor(function, node) for node in ast_walk.walk(function.node))


def after_break(function: Function, variables: dict[str, Value], node: ast.AST) -> bool:
    """Return whether Dynamo compiles the rest of a function after a break at ``node``.

    The rest is a function of the variables that it reads. Operands of a larger expression around the break, assigned
    variables and those of loops count as tensors. ``variables`` has the parameters.
    """
    if any(_holds_tensor(value) for name, value in variables.items() if name in ("self", "cls")):
        return True
    nodes = list(ast_walk.walk(function.node))
    if not any(_is_alone(each, node) for each in nodes):
        return True
    if any(isinstance(each, (ast.For, ast.AsyncFor, ast.While)) for each in nodes):
        return True
    names = [each for each in nodes if isinstance(each, ast.Name)]
    end = _end(node)
    read = {each.id for each in names if isinstance(each.ctx, ast.Load) and _end(each) > end}
    if any(not isinstance(each.ctx, ast.Load) and each.id in read for each in names):
        return True
    return in_frame(function, {name: value for name, value in variables.items() if name in read})


def _is_alone(statement: ast.AST, node: ast.AST) -> bool:
    """Return whether ``node`` is a whole statement or condition, so that no operand waits for its result."""
    if isinstance(statement, ast.Expr):
        return statement.value is node
    return isinstance(statement, ast.If) and statement.test is node


def _end(node: ast.AST) -> tuple[int, int]:
    return (getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0)


def _holds_tensor(value: Value) -> bool:
    for member in members(value):
        if member == UNPASSED:
            continue
        if isinstance(member, (Tensor, Unknown)) or is_nn_module(member) or is_nn_module_class(member):
            return True
        if isinstance(member, ExternalObject) and member.cls.startswith("torch."):
            return True  # a named tuple of tensors, such as ``PackedSequence``
        if isinstance(member, Seq):
            if any(_holds_tensor(item) for item in (member.items if member.items is not None else (member.rest,))):
                return True
        elif isinstance(member, Mapping):
            inner = [item for _, item in member.entries]
            if any(_holds_tensor(item) for item in (inner if member.rest is None else [*inner, member.rest])):
                return True
    return False


def _is_outside_tensor(function: Function, node: ast.AST) -> bool:
    """Return whether a node is a closure variable with a tensor, or the ``torch`` in ``torch.relu``."""
    if isinstance(node, ast.Name):
        found = None if function.scope is None else function.scope.lookup(node.id)
        return found is not None and _holds_tensor(found)
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    return any(
        (binding.module or "").partition(".")[0] in ("torch", "numpy")
        and (binding.attribute is None or binding.attribute.islower())
        for binding in function.module.symbols.get(node.value.id, ())
    )
