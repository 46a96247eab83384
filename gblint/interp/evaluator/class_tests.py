"""Conditions on the class of a variable: ``isinstance``, ``issubclass``, ``is_tensor``, ``type(x) == C``."""

from __future__ import annotations

import ast

from gblint.interp.models.python import type_tests
from gblint.interp.models.torch import tensor_subclasses
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import TENSOR, UNKNOWN, Tensor, Unknown, Value, members
from gblint.values.containers import Seq
from gblint.values.lattice import join_all
from gblint.values.objects import Class, ExternalName


def assume(interp: Interpreter, node: ast.Call, frame: Frame, value: Value) -> Value:
    """Return the value of an unknown variable after ``isinstance``, ``issubclass`` or ``is_tensor`` was true."""
    if isinstance(node.func, ast.Attribute):
        return _unproven(TENSOR)
    if isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        known = interp.instance_of_class(classes_of(interp, node, frame))
        # Only the test says that there may be a tensor: a caller may never pass one.
        return value if known is None else join_all(_unproven(member) for member in members(known))
    if isinstance(node.func, ast.Name) and node.func.id == "issubclass" and len(node.args) == 2:
        cls = interp.eval(node.args[1], frame)
        return cls if isinstance(cls, Class) else value
    return value


def as_isinstance(interp: Interpreter, node: ast.expr) -> tuple[ast.Call, bool] | None:
    """Return ``isinstance(x, C)`` for ``type(x) == C``, and whether that is true if the comparison is.

    For ``!=`` it is true if the comparison is false. None for other conditions.
    """
    known = interp.caches.syntax.exact_types
    if node not in known:
        known[node] = _as_isinstance(node)
    return known[node]


def _as_isinstance(node: ast.expr) -> tuple[ast.Call, bool] | None:
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
        return None
    asked = node.left
    if not isinstance(asked, ast.Call) or not isinstance(asked.func, ast.Name) or asked.func.id != "type":
        return None
    if len(asked.args) != 1 or len(node.ops) != 1 or not isinstance(node.comparators[0], (ast.Name, ast.Attribute)):
        return None
    name = ast.copy_location(ast.Name("isinstance", ast.Load()), asked.func)
    call = ast.copy_location(ast.Call(name, [asked.args[0], node.comparators[0]], []), node)
    return call, isinstance(node.ops[0], (ast.Is, ast.Eq))


def _unproven(value: Value) -> Value:
    return replace(value, proven=False) if isinstance(value, Tensor) else value


def classes_of(interp: Interpreter, node: ast.Call, frame: Frame) -> Value:
    """Return the second argument of ``isinstance``."""
    return type_tests.tested_classes(interp, node, interp.eval(node.args[1], frame), frame)


def asks_for_text(interp: Interpreter, node: ast.Call, frame: Frame) -> bool:
    """Return whether a condition is ``isinstance(x, str)``, or with a tuple of classes that has ``str``."""
    if not isinstance(node.func, ast.Name) or node.func.id != "isinstance" or len(node.args) != 2:
        return False
    cls = classes_of(interp, node, frame)
    return ExternalName("builtins.str") in ((cls.items or ()) if isinstance(cls, Seq) else (cls,))


def asks_for_tensor_class(interp: Interpreter, node: ast.AST, frame: Frame) -> bool:
    """Return whether a condition asks whether an unknown value is of a subclass of ``torch.Tensor`` with source."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "isinstance":
        return False
    if len(node.args) != 2 or not isinstance(interp.eval(node.args[0], frame), Unknown):
        return False
    return tensor_subclasses.is_tensor_class(classes_of(interp, node, frame))


def without_inputs(interp: Interpreter, node: ast.Call, frame: Frame, value: Value, answer: bool) -> Value:
    """Drop input tensors from a variable that is tested with ``isinstance(x, str)``."""
    kept = [v for v in members(value) if not (isinstance(v, Tensor) and v.is_input)]
    if len(kept) == len(members(value)):
        return value
    known = interp.instance_of_class(classes_of(interp, node, frame)) if answer else None
    return join_all((*kept, UNKNOWN if known is None else known))
