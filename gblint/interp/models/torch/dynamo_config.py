"""Settings of ``torch._dynamo.config`` in the project that change where Dynamo breaks."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from gblint.diagnostics.entry_point import Region
from gblint.interp.models.torch import called_settings
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.compilation import CompiledCall
from gblint.interp.state.frame import Frame, TracingMode
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import UNKNOWN, Const, Value, members
from gblint.values.objects import BuiltinMethod, ExternalName, ExternalObject, Function, SettingsPatch
from gblint.values.wrapped import ContextManagerFactory

CONFIG = ExternalName("torch._dynamo.config")
PATCH = ExternalName("torch._dynamo.config.patch")
DISALLOW = ExternalName("torch._dynamo.disallow_in_graph")
_MOCK_PATCH = ExternalName("unittest.mock.patch")
_PATCH_OBJECT = ExternalName("unittest.mock.patch.object")
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
    "enable_trace_load_build_class": "traces_classes",
    "rewrite_assert_with_torch_assert": "rewrites_asserts",
    "only_allow_pt2_compliant_ops": "compliant_only",
}
_SETS = ("ignored", "reordered", "disallowed", "allowed")
_KEPT = (*_FLAGS.values(), *_SETS)
_IN_ENVIRONMENT = ("capture_scalar_outputs", "capture_dynamic_output_shape_ops")
_REORDERED = "reorderable_logging_functions"
_IGNORED = (_REORDERED, "ignore_logging_functions")
# Dynamo reorders calls of plain functions only; it can leave out methods of a logger, but not reorder them.
_LOGGER = "logging.Logger"

_LEVELS = "critical debug error exception info log warning".split()
# Functions that an export leaves out of the graph, and those that torch.export runs after it (torch/export/_trace.py).
_LEFT_OUT = frozenset(f"{_LOGGER}.{level}" for level in _LEVELS)
_MOVED = frozenset(("builtins.print", "warnings.warn", *(f"logging.{level}" for level in _LEVELS)))


def exported(mode: TracingMode, region: Region) -> TracingMode:
    """Return ``mode`` with the effect of an export on logging."""
    if not region.export:
        return mode
    moved = _MOVED if region.moves_logging else frozenset()
    config = mode.config
    config = replace(config, ignored=config.ignored | _LEFT_OUT | moved, reordered=config.reordered | moved)
    return replace(mode, config=config)


Place = tuple[Module, int]


def with_settings(interp: Interpreter, mode: TracingMode, compiled: Place, called: Place | None) -> TracingMode:
    """Return ``mode`` under the settings where an object is ``compiled`` and where it is first ``called``.

    Dynamo reads them when it traces, at the first call: a ``with`` around ``torch.compile(f)`` alone has no effect.
    """
    for module, line in (compiled,) if called is None else (compiled, called):
        frame = interp.module_frame(module)
        mentions = module.contains("_dynamo") or module.contains("TORCHDYNAMO_")
        used = first_use(interp, module, frame) if mentions else None
        for node in _statements(_setting_statements(interp, module, mentions), line, (module, line) == called):
            for statement, inner in called_settings.run_by(interp, node, frame):
                mode = _after(interp, mode, statement, inner)
            if not mentions:
                continue
            if used is None or getattr(node, "lineno", 0) < used:
                mode = _from_environment(interp, mode, node, frame)
            for statement in (*_entered(interp, node, frame), node):
                mode = _after(interp, mode, statement, frame)
    return mode


def _setting_statements(interp: Interpreter, module: Module, mentions: bool) -> list[ast.stmt]:
    """Return the statements at the top of a module that may change a setting, with all functions and classes.

    They are looked through for each entry point of the module; ``mentions``: it mentions Dynamo.
    """
    known = interp.compilation.setting_statements.get(module)
    if known is None:
        known = interp.compilation.setting_statements[module] = [
            node
            for node in module.tree.body
            if isinstance(node, ast_walk.DEFINITIONS)
            or called_settings.has_calls(interp, node)
            or (mentions and _may_set(interp, node))
        ]
    return known


def _may_set(interp: Interpreter, statement: ast.stmt) -> bool:
    """Return whether a statement contains the name of a setting, or enters or is decorated with what it calls."""
    for node in ast_walk.walk(statement):
        if isinstance(node, (ast.Attribute, ast.Name)):
            name = node.attr if isinstance(node, ast.Attribute) else node.id
            if name == "load_config" or name.endswith("allow_in_graph") or _is_option(interp, name):
                return True
        elif isinstance(node, ast.keyword):
            if node.arg is not None and _is_option(interp, node.arg):
                return True
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and _is_option(interp, _option_in(node.value)):
                return True
        elif isinstance(node, (ast.withitem, *ast_walk.DEFINITIONS)):
            calls = [node.context_expr] if isinstance(node, ast.withitem) else node.decorator_list
            if any(isinstance(each, ast.Call) for each in calls):
                return True
    return False


def _option_in(text: str) -> str:
    """Return the setting in ``torch._dynamo.config.NAME``, in the name of an environment variable, or in its name."""
    return text.rpartition(".")[2].lower().removeprefix("torchdynamo_")


def _is_option(interp: Interpreter, name: str) -> bool:
    name = interp.knowledge.setting_alias(name) or name
    return name in _FLAGS or name in _IGNORED


def _entered(interp: Interpreter, node: ast.AST, frame: Frame) -> Iterator[ast.AST]:
    """Yield the statements that a context manager written as a generator runs where ``node`` enters it."""
    if not isinstance(node, ast.Call) or not frame.module.contains("contextmanager"):
        return
    made = interp.eval(node.func, frame) if isinstance(node.func, ast.Name) else None
    function = made.function if isinstance(made, ContextManagerFactory) else None
    if (
        isinstance(function, Function)
        and function.module is frame.module
        and isinstance(function.node, ast.FunctionDef)
    ):
        for statement in _statements(function.node.body, 0, False):
            if any(isinstance(part, ast.Yield) for part in ast_walk.walk(statement)):
                return
            yield statement


def on_entering(interp: Interpreter, mode: TracingMode, module: Module) -> TracingMode:
    """Return ``mode`` in the functions of another ``module``, with the settings of its top level."""
    found = interp.compilation.config_settings.get(module)
    if found is None:
        interp.compilation.config_settings[module] = {}  # a placeholder: calls at the top level may lead here again
        found = interp.compilation.config_settings[module] = (
            _set_on_import(interp, module) if module.contains("_dynamo") else {}
        )
    if not found:
        return mode
    changes = dict(found)
    for name in _SETS:
        if name in found:
            changes[name] = found[name] | getattr(mode.config, name)
    return replace(mode, config=replace(mode.config, **changes))


def _set_on_import(interp: Interpreter, module: Module) -> dict[str, Any]:
    """Return the fields of a configuration that the top level of ``module`` sets."""
    usual = after = TracingMode()
    frame = interp.module_frame(module)
    for node in _statements(module.tree.body, 0, False):
        after = _after(interp, after, node, frame)
    config, default = after.config, usual.config
    return {name: getattr(config, name) for name in _KEPT if getattr(config, name) != getattr(default, name)}


def _statements(body: list[ast.stmt], line: int, called: bool, inside: bool = False) -> Iterator[ast.AST]:
    """Yield the simple statements that run on import and in the functions around ``line``.

    Decorators that patch settings for the code around ``line`` are included, and for a call also ``with`` items.  What
    a function does after the call has no effect on it.
    """
    for node in body:
        first, last = node.lineno, node.end_lineno or node.lineno
        if called and inside and first > line:
            return
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if first <= line <= last:
                yield from node.decorator_list
            if first < line <= last:
                yield from _statements(node.body, line, called, inside or not isinstance(node, ast.ClassDef))
            continue
        if isinstance(node, (ast.With, ast.AsyncWith)) and called and first <= line <= last:
            yield from (item.context_expr for item in node.items)
        blocks = [child for child in ast_walk.children(node) if isinstance(child, (ast.stmt, ast.ExceptHandler))]
        if blocks:
            for block in blocks:
                body_of = block.body if isinstance(block, ast.ExceptHandler) else [block]
                yield from _statements(body_of, line, called, inside)
        else:
            yield node


def patched_settings(interp: Interpreter, call: ast.Call, frame: Frame) -> dict[str, bool]:
    """Return the fields of a configuration that a call such as ``config.patch(...)`` turns on or off."""
    found: dict[str, bool] = {}
    for option, node in _patched_by(interp, call, frame):
        name, value = interp.knowledge.setting_alias(option) or option, interp.eval(node, frame)
        if name in _FLAGS and isinstance(value, Const):
            found[_FLAGS[name]] = bool(value.value)
    return found


def _patch(ctx: CallContext) -> Value:
    """Return what ``config.patch(...)`` makes: code that enters it may be in another function."""
    if not isinstance(ctx.node, ast.Call):
        return UNKNOWN
    return SettingsPatch(tuple(sorted(patched_settings(ctx.interp, ctx.node, ctx.frame).items())))


def entered(mode: TracingMode, settings: Iterable[tuple[str, bool]]) -> TracingMode:
    """Return ``mode`` where these fields of the configuration have been set."""
    return replace(mode, config=replace(mode.config, **dict(settings)))  # type: ignore[arg-type]


def common_settings(calls: Iterable[CompiledCall]) -> tuple[tuple[str, bool], ...]:
    """Return the fields of the configuration that are set to the same value around all calls, and not by default.

    A call in a function that the search also evaluates alone counts as it is made by the callers of the function.
    """
    usual = TracingMode().config
    by_node: dict[ast.AST, set[tuple[str, bool]]] = {}
    for call in calls:
        own = {(name, getattr(call.mode.config, name)) for name in _FLAGS.values()}
        by_node.setdefault(call.node, set()).update(each for each in own if getattr(usual, each[0]) != each[1])
    return tuple(sorted(set.intersection(*by_node.values()))) if by_node else ()


EAGER_HANDLERS: dict[str, Handler] = {PATCH.name: _patch}


def first_use(interp: Interpreter, module: Module, frame: Frame) -> int | None:
    """Return the first line at the top of a module that imports ``torch._dynamo``, as ``torch.compile`` does.

    Environment variables are read there; ``import torch`` alone does not read them.
    """
    for statement in module.tree.body:
        names = [a.name for a in statement.names] if isinstance(statement, ast.Import) else []
        if isinstance(statement, ast.ImportFrom):
            names = [f"{statement.module}.{a.name}" for a in statement.names]
        if any(name.startswith("torch._dynamo") for name in names) or _compiles(interp, statement, frame):
            return statement.lineno
    return None


def _compiles(interp: Interpreter, statement: ast.stmt, frame: Frame) -> bool:
    """Return whether a statement at the top of a module compiles something when it runs."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        places: list[ast.expr] = [d.func if isinstance(d, ast.Call) else d for d in statement.decorator_list]
    elif isinstance(statement, (ast.Assign, ast.Expr)) and isinstance(statement.value, ast.Call):
        places = [statement.value.func]
    else:
        return False
    named = [place for place in places if isinstance(place, (ast.Name, ast.Attribute))]
    return any(interp.eval(place, frame) == ExternalName("torch.compile") for place in named)


def environment_variable(interp: Interpreter, node: ast.AST, frame: Frame) -> str:
    """Return the name in ``os.environ["NAME"] = ...``; empty for any other statement."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Subscript):
        return ""
    target = node.targets[0]
    if not isinstance(target.slice, ast.Constant) or not isinstance(target.slice.value, str):
        return ""
    return target.slice.value if interp.eval(target.value, frame) == ExternalName("os.environ") else ""


def _from_environment(interp: Interpreter, mode: TracingMode, node: ast.AST, frame: Frame) -> TracingMode:
    option = environment_variable(interp, node, frame).removeprefix("TORCHDYNAMO_").lower()
    if option in _IN_ENVIRONMENT and isinstance(node, ast.Assign):
        return _set(interp, mode, option, Const(interp.eval(node.value, frame) == Const("1")), frame, node)
    return mode


def _after(interp: Interpreter, mode: TracingMode, node: ast.AST, frame: Frame) -> TracingMode:
    if isinstance(node, ast.Assign):
        if isinstance(node.value, ast.Call):
            mode = _with_functions(interp, mode, node.value, frame)
        for target in node.targets:
            if isinstance(target, ast.Attribute) and interp.eval(target.value, frame) == CONFIG:
                mode = _set(interp, mode, target.attr, interp.eval(node.value, frame), frame, node)
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute):
        if interp.eval(node.target.value, frame) == CONFIG:
            mode = _set(interp, mode, node.target.attr, interp.eval(node.value, frame), frame, node)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        mode = _with_functions(interp, mode, node.value, frame)
        for option, value in _given(interp, node.value, frame):
            mode = _set(interp, mode, option, interp.eval(value, frame), frame, node)
        if isinstance(function, ast.Attribute) and function.attr in ("add", "update"):
            holder = function.value
            if isinstance(holder, ast.Attribute) and interp.eval(holder.value, frame) == CONFIG:
                for argument in node.value.args:
                    mode = _set(interp, mode, holder.attr, interp.eval(argument, frame), frame, node)
    elif isinstance(node, ast.Call):
        for option, value in _patched_by(interp, node, frame):
            mode = _set(interp, mode, option, interp.eval(value, frame), frame, node)
    return mode


def _with_functions(interp: Interpreter, mode: TracingMode, call: ast.Call, frame: Frame) -> TracingMode:
    """Return ``mode`` after ``disallow_in_graph(f)`` or ``allow_in_graph(f)`` of functions without source."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if not name.endswith("allow_in_graph") or not call.args:
        return mode
    marked = interp.eval(call.args[0], frame)
    each = interp.items_of(marked, frame, call) or members(marked)
    names = frozenset(v.name for v in each if isinstance(v, ExternalName))
    config = mode.config
    if interp.eval(function, frame) == DISALLOW:
        config = replace(config, disallowed=config.disallowed | names, allowed=config.allowed - names)
    else:
        config = replace(config, disallowed=config.disallowed - names, allowed=config.allowed | names)
    return replace(mode, config=config)


def _patched_by(interp: Interpreter, call: ast.Call, frame: Frame) -> Iterator[tuple[str, ast.expr]]:
    """Yield the options that a decorator or a context manager patches: torch's, or that of ``unittest.mock``."""
    function = interp.eval(call.func, frame)
    if function == PATCH:
        yield from patched(call)
    elif function == _PATCH_OBJECT and len(call.args) > 2 and interp.eval(call.args[0], frame) == CONFIG:
        name = interp.eval(call.args[1], frame)
        if isinstance(name, Const) and isinstance(name.value, str):
            yield name.value, call.args[2]
    elif function == _MOCK_PATCH and len(call.args) > 1:
        name = interp.eval(call.args[0], frame)
        if isinstance(name, Const) and isinstance(name.value, str) and name.value.startswith(f"{CONFIG.name}."):
            yield name.value.removeprefix(f"{CONFIG.name}."), call.args[1]


def _given(interp: Interpreter, call: ast.Call, frame: Frame) -> Iterator[tuple[str, ast.expr]]:
    """Yield the options of ``setattr(config, "name", value)`` and ``config.load_config({"name": value})``."""
    function = call.func
    if isinstance(function, ast.Name) and function.id == "setattr" and len(call.args) == 3:
        name = call.args[1]
        if (
            isinstance(name, ast.Constant)
            and isinstance(name.value, str)
            and interp.eval(call.args[0], frame) == CONFIG
        ):
            yield name.value, call.args[2]
    elif isinstance(function, ast.Attribute) and function.attr == "load_config":
        if interp.eval(function.value, frame) == CONFIG:
            yield from patched(call)


def patched(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Yield the options of ``config.patch(name=value)``, ``patch("name", value)`` and ``patch({"name": value})``."""
    yield from ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Dict):
        for key, value in zip(first.keys, first.values):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, value
    elif isinstance(first, ast.Constant) and isinstance(first.value, str) and len(call.args) > 1:
        yield first.value, call.args[1]


def _set(interp: Interpreter, mode: TracingMode, option: str, value: Value, frame: Frame, node: ast.AST) -> TracingMode:
    option = interp.knowledge.setting_alias(option) or option
    if option in _FLAGS and isinstance(value, Const):
        return replace(mode, config=replace(mode.config, **{_FLAGS[option]: bool(value.value)}))  # type: ignore[arg-type]
    if option in _IGNORED:
        items = interp.items_of(value, frame, node)
        values = items if items is not None else members(value)
        names = frozenset(name for v in values if (name := _name(v)))
        if option == _REORDERED:
            names = frozenset(name for name in names if not name.startswith(_LOGGER))
            mode = replace(mode, config=replace(mode.config, reordered=mode.config.reordered | names))
        return replace(mode, config=replace(mode.config, ignored=mode.config.ignored | names))
    return mode


def _name(function: Value) -> str | None:
    """Return the name under which calls of ``function`` are reported."""
    if isinstance(function, ExternalName):
        return function.name
    if isinstance(function, BuiltinMethod) and isinstance(function.receiver, ExternalObject):
        return f"{function.receiver.cls}.{function.name}"
    return None
