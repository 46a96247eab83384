"""Tensors in the frame of a function that Python calls: Dynamo compiles such a frame, and leaves others alone."""

from __future__ import annotations

import ast

from gblint.runtime import ast_walk
from gblint.values.base import Tensor, Unknown, Value, members
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


def _holds_tensor(value: Value) -> bool:
    for member in members(value):
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
