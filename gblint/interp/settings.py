"""What a file sets in ``torch._dynamo.config``: options that change where Dynamo breaks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from gblint.interp import iterate
from gblint.interp.frames import Frame, Mode
from gblint.interp.machine import Machine
from gblint.project.modules import Module
from gblint.values.base import Const, Value, members
from gblint.values.objects import External, ExternalObject, MethodOf

CONFIG = External("torch._dynamo.config")
PATCH = External("torch._dynamo.config.patch")
_FLAGS = {
    "enable_p2p_compilation": "peer_to_peer",
    "capture_scalar_outputs": "capture_scalars",
    "capture_dynamic_output_shape_ops": "capture_shapes",
    "allow_rnn": "allow_rnn",
    "trace_numpy": "trace_numpy",
    "use_numpy_random_stream": "numpy_stream",
    "trace_autograd_ops": "trace_autograd",
    "enable_trace_contextlib": "trace_contextlib",
    "enable_trace_unittest": "trace_unittest",
    "graph_break_on_nn_param_ctor": "parameter_breaks",
}
_REORDERED = "reorderable_logging_functions"
_IGNORED = (_REORDERED, "ignore_logging_functions")
# Dynamo moves calls of plain functions only; a logger's methods it can leave out, but not move.
_LOGGER = "logging.Logger"


def with_settings(m: Machine, mode: Mode, module: Module, line: int) -> Mode:
    """``mode`` under the options that ``module`` sets: at its top level, and around ``line``, where it compiles."""
    if "_dynamo" not in module.source:
        return mode
    frame = m.module_frame(module)
    for node in _statements(module.tree.body, line):
        mode = _after(m, mode, node, frame)
    return mode


def _statements(body: list[ast.stmt], line: int) -> Iterator[ast.AST]:
    """The simple statements that run when the module is imported and in the functions around ``line``.

    Calls that patch the options for the code around ``line`` come too, as decorators and in ``with``.
    """
    for node in body:
        around = node.lineno < line <= (node.end_lineno or node.lineno)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if around:
                yield from node.decorator_list
                yield from _statements(node.body, line)
            continue
        if isinstance(node, (ast.With, ast.AsyncWith)) and around:
            yield from (item.context_expr for item in node.items)
        blocks = [child for child in ast.iter_child_nodes(node) if isinstance(child, (ast.stmt, ast.ExceptHandler))]
        if blocks:
            for block in blocks:
                yield from _statements(block.body if isinstance(block, ast.ExceptHandler) else [block], line)
        else:
            yield node


def _after(m: Machine, mode: Mode, node: ast.AST, frame: Frame) -> Mode:
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
    elif isinstance(node, ast.Call) and m.eval(node.func, frame) == PATCH:
        for option, value in patched(node):
            mode = _set(m, mode, option, m.eval(value, frame), frame, node)
    return mode


def patched(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """The options of ``config.patch(name=value)``, ``patch("name", value)`` and ``patch({"name": value})``."""
    yield from ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Dict):
        for key, value in zip(first.keys, first.values):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, value
    elif isinstance(first, ast.Constant) and isinstance(first.value, str) and len(call.args) > 1:
        yield first.value, call.args[1]


def _set(m: Machine, mode: Mode, option: str, value: Value, frame: Frame, node: ast.AST) -> Mode:
    if option in _FLAGS and isinstance(value, Const):
        return replace(mode, **{_FLAGS[option]: bool(value.value)})  # type: ignore[arg-type]
    if option in _IGNORED:
        items = iterate.items_of(m, value, frame, node)
        values = items if items is not None else members(value)
        names = frozenset(name for v in values if (name := _name(v)))
        if option == _REORDERED:
            names = frozenset(name for name in names if not name.startswith(_LOGGER))
            mode = replace(mode, reordered=mode.reordered | names)
        return replace(mode, ignored=mode.ignored | names)
    return mode


def _name(function: Value) -> str | None:
    """The name under which the events of a call of ``function`` go."""
    if isinstance(function, External):
        return function.name
    if isinstance(function, MethodOf) and isinstance(function.receiver, ExternalObject):
        return f"{function.receiver.cls}.{function.name}"
    return None
