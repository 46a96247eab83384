"""What a file sets in ``torch._dynamo.config``: options that change where Dynamo breaks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from gblint.interp import iterate
from gblint.interp.frames import Frame, Mode
from gblint.interp.machine import Machine
from gblint.project.modules import Module
from gblint.values.base import TRUE, Value, members
from gblint.values.objects import External, ExternalObject, MethodOf

CONFIG = External("torch._dynamo.config")
_IGNORED = ("reorderable_logging_functions", "ignore_logging_functions")


def with_settings(m: Machine, mode: Mode, module: Module) -> Mode:
    """``mode`` under the options that the top level of ``module`` sets."""
    if "_dynamo" not in module.source:
        return mode
    frame = m.module_frame(module)
    for node in _top_level(module.tree.body):
        mode = _after(m, mode, node, frame)
    return mode


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The simple statements that run when the module is imported."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
        if inner:
            yield from _top_level(inner)
        else:
            yield node


def _after(m: Machine, mode: Mode, node: ast.stmt, frame: Frame) -> Mode:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Attribute) and m.eval(target.value, frame) == CONFIG:
                mode = _set(m, mode, target.attr, m.eval(node.value, frame), frame, node)
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute):
        if m.eval(node.target.value, frame) == CONFIG:
            mode = _set(m, mode, node.target.attr, m.eval(node.value, frame), frame, node)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        if isinstance(function, ast.Attribute) and function.attr in ("add", "update"):
            holder = function.value
            if isinstance(holder, ast.Attribute) and m.eval(holder.value, frame) == CONFIG:
                for argument in node.value.args:
                    mode = _set(m, mode, holder.attr, m.eval(argument, frame), frame, node)
    return mode


def _set(m: Machine, mode: Mode, option: str, value: Value, frame: Frame, node: ast.AST) -> Mode:
    if option == "capture_scalar_outputs":
        return replace(mode, capture_scalars=value == TRUE)
    if option == "capture_dynamic_output_shape_ops":
        return replace(mode, capture_shapes=value == TRUE)
    if option == "allow_rnn":
        return replace(mode, allow_rnn=value == TRUE)
    if option in _IGNORED:
        items = iterate.items_of(m, value, frame, node)
        values = items if items is not None else members(value)
        return replace(mode, ignored=mode.ignored | {name for v in values if (name := _name(v))})
    return mode


def _name(function: Value) -> str | None:
    """The name under which the events of a call of ``function`` go."""
    if isinstance(function, External):
        return function.name
    if isinstance(function, MethodOf) and isinstance(function.receiver, ExternalObject):
        return f"{function.receiver.cls}.{function.name}"
    return None
