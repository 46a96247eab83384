"""Tensors in the frame of a function that Python calls: Dynamo compiles such a frame, and leaves others alone."""

from __future__ import annotations

import ast
from weakref import WeakKeyDictionary

from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import UNPASSED, Tensor, Unknown, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import ExternalObject, Function, FunctionNode, is_nn_module, is_nn_module_class


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
    names = _names_in(function.node)
    if names.has_loops or node not in names.alone:
        return True
    end = _end(node)
    read = {name for name, last in names.last_read.items() if last > end}
    if not names.assigned.isdisjoint(read):
        return True
    return in_frame(function, {name: value for name, value in variables.items() if name in read})


@dataclass(frozen=True, slots=True)
class _Names:
    """The names in a function: where each is read last, and which are assigned.

    ``alone`` has the expressions that are a whole statement or condition, so that no operand waits for their results.
    """

    last_read: dict[str, tuple[int, int]]
    assigned: frozenset[str]
    alone: frozenset[ast.AST]
    has_loops: bool


_NAMES: WeakKeyDictionary[ast.AST, _Names] = WeakKeyDictionary()


def _names_in(function: FunctionNode) -> _Names:
    known = _NAMES.get(function)
    if known is None:
        last_read: dict[str, tuple[int, int]] = {}
        assigned, alone, has_loops = set(), set(), False
        for node in ast_walk.walk(function):
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    last_read[node.id] = max(last_read.get(node.id, (0, 0)), _end(node))
                else:
                    assigned.add(node.id)
            elif isinstance(node, ast.Expr):
                alone.add(node.value)
            elif isinstance(node, ast.If):
                alone.add(node.test)
            elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
                has_loops = True
        known = _NAMES[function] = _Names(last_read, frozenset(assigned), frozenset(alone), has_loops)
    return known


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
