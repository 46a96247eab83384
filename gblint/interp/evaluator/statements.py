"""Statements.  A handler returns false if control never gets past the statement."""

from __future__ import annotations

import ast
from typing import cast

from gblint.diagnostics.break_event import Confidence
from gblint.interp.domain import container_aliases, reach
from gblint.interp.domain.containers import without_item
from gblint.interp.evaluator import (
    assertions,
    assignment,
    branches,
    classes,
    declared_attributes,
    exception_handlers,
    functions,
    kept_modules,
    loops,
    name_resolution,
    subscripts,
)
from gblint.interp.models.python import (
    context_managers,
    divergence,
    exceptions,
    guarded_state,
    opaque_objects,
    sourceless_defaults,
    split_lists,
    super_and_descriptors,
    uncaught,
)
from gblint.interp.models.torch import autograd_function, captured_functions, nn_modules, tensor_hooks
from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame, join_variables
from gblint.interp.state.interpreter import Interpreter, StatementHandler
from gblint.project.lazy_nodes import UnparsedClass, UnparsedFunction
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import NONE, UNKNOWN, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join
from gblint.values.objects import ExternalName, Instance


def expression(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """Evaluate an expression statement."""
    assert isinstance(node, ast.Expr)
    if isinstance(node.value, ast.Constant):
        return True
    interp.discarded_expression = node.value
    interp.eval(node.value, frame)
    return not _exits(interp, node.value, frame)


def _exits(interp: Interpreter, node: ast.expr, frame: Frame) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("exit", "_exit"):
        function = interp.eval(node.func, frame)
        return function in (ExternalName("sys.exit"), ExternalName("os._exit"))
    return False


def assign(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``a = b = value``."""
    assert isinstance(node, ast.Assign)
    value = kept_modules.replaced(interp, node, interp.eval(node.value, frame), frame)
    guarded_state.check_assignment(interp, node, frame)
    for target in node.targets:
        if isinstance(target, ast.Attribute) and target.attr == "data":
            assignment.check_data(interp, target, node.value, frame)
        assignment.assign(interp, target, value, frame)
    return True


def annotated(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``a: T = value``."""
    assert isinstance(node, ast.AnnAssign)
    if node.value is not None:
        value = interp.eval(node.value, frame)
        if value == NONE and not frame.mode.tracing:
            value = declared_attributes.unset(interp, node.target, frame)
        value = declared_attributes.or_declared(interp, value, node.annotation, frame)
        assignment.assign(interp, node.target, value, frame)
    return True


def augmented(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``a += value``."""
    assert isinstance(node, ast.AugAssign)

    load = ast.copy_location(_as_load(node.target), node.target)
    left = interp.eval(load, frame)
    guarded_state.check_counter(interp, node, left, frame)
    right = interp.eval(node.value, frame)
    captured_functions.write_tensor(interp, left, frame)
    if isinstance(node.op, ast.Add) and isinstance(left, Instance) and isinstance(left.attrs.get("__items__"), Seq):
        nn_modules.call_container(CallContext(interp, Args((right,)), frame, node), left, "extend")
        return True
    value = interp.binary(node.op, left, right, frame, node, in_place=True)
    assignment.assign(interp, node.target, value, frame)
    if isinstance(node.target, ast.Name):
        container_aliases.note_mutation(frame, node.target.id, left)
    return True


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    return target


def returns(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``return value``."""
    assert isinstance(node, ast.Return)
    value = NONE if node.value is None else interp.eval(node.value, frame)
    if frame.depth <= 1:
        opaque_objects.returned(interp, value, frame, node)
        sourceless_defaults.returned(interp, value, frame, node)
        tensor_hooks.check_returned(interp, value, frame, node)
    frame.result = join(frame.result, value)
    if interp.is_usual_branch is False:
        frame.flow.rare_returns.append(frame.mode.non_default_branch or frame.mode.unlikely_branch)
    else:
        frame.flow.usual_result = join(frame.flow.usual_result, value)
    frame.flow.exit_states.append(frame.variables)
    trace_builder.record_exit(frame, node, "return")
    return False


def raises(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``raise``: control goes to the enclosing handlers."""
    assert isinstance(node, ast.Raise)
    error = UNKNOWN if node.exc is None else interp.eval(node.exc, frame)
    if frame.flow.handlers:
        frame.flow.handlers[-1].append({**frame.variables, exceptions.RAISED: error})
    uncaught.raised(interp, error, frame, node)
    trace_builder.record_exit(frame, node, "raise")
    return False


def tries(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``try``: a handler may run from any state in the body."""
    parts = cast(ast.Try, node)
    body, handlers, orelse, final = parts.body, parts.handlers, parts.orelse, parts.finalbody
    before, path, exits = dict(frame.variables), frame.conditions.path, len(frame.flow.exit_states)
    raised: list[dict[str, Value]] = []
    frame.flow.handlers.append(raised)
    frame.flow.recovers.append(not all(isinstance(handler.body[-1], ast.Raise) for handler in handlers))
    frame.context.append("try")
    mode, caught = frame.mode, exceptions.caught_in(interp, handlers, frame)
    if caught:
        frame.mode = replace(mode, catches=mode.catches | caught)
    with trace_builder.InBlock(frame, "try", node) as block:
        executed = exception_handlers.before_missing_import(interp, parts, frame)
        alive = interp.run(executed, frame)
        if len(executed) < len(body):
            raised.append({**frame.variables, exceptions.RAISED: ExternalName("builtins.ImportError")})
            alive = False
        idle = divergence.check_handlers(interp, parts, block.body, frame)
    frame.mode = mode
    frame.flow.handlers.pop()
    frame.flow.recovers.pop()
    frame.context.pop()
    ends: list[dict[str, Value]] = []
    after_body = frame.variables
    reachable = exception_handlers.reachable(interp, handlers, body, frame)
    if alive and (not orelse or interp.run(orelse, frame)):
        ends.append(frame.variables)
    entry = join_variables([before, after_body, *raised])
    after = frame.conditions.path if ends else None
    error = exceptions.raised(raised)
    exceptions.check_expected(interp, error, handlers, frame)
    # If an exception is always raised, its handler runs on the usual path.
    is_regular = not ends and bool(raised) and len(frame.flow.exit_states) == exits
    if is_regular:
        exceptions.check_group(interp, node, handlers, frame)
    for handler in reachable:
        token = interp.enter_branch()
        frame.variables = dict(entry)
        if handler.name:
            frame.variables[handler.name] = exceptions.caught(interp, error, handler, frame)
        frame.conditions.path = path
        if not is_regular:
            reach.on_error(frame, handler)
        frame.mode = mode.with_unlikely(handler in idle)
        with trace_builder.InBranch(frame, block.handlers):
            if interp.run(handler.body, frame):
                ends.append(frame.variables)
                after = frame.conditions.path if after is None else after
        frame.mode, interp.branch_id = mode, token
    frame.conditions.path = path if after is None else after
    if not ends:
        if final:
            frame.variables = dict(entry)
            interp.run(final, frame)
        return False
    frame.variables = dict(join_variables(ends))
    return not final or interp.run(final, frame)


def with_block(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``with``: enter each manager, run the body, leave the managers."""
    assert isinstance(node, (ast.With, ast.AsyncWith))

    entered = 0
    mode = frame.mode
    leaving: list[context_managers.Leaving] = []
    for item in node.items:
        value, kind = context_managers.enter(interp, item.context_expr, frame, leaving)
        if kind:
            frame.context.append(kind)
            entered += 1
        if item.optional_vars is not None:
            assignment.assign(interp, item.optional_vars, value, frame)
        if context_managers.is_file(value):
            frame.mode = frame.mode.rest_of_frame()  # Dynamo cannot enter a file
    try:
        with trace_builder.InBlock(frame, "with" if entered else "manager", node):
            goes_on = interp.run(node.body, frame)
        context_managers.leave(interp, leaving, frame)
        return goes_on
    finally:
        frame.mode = mode
        for _ in range(entered):
            frame.context.pop()


def define_function(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``def``."""
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    if any(getattr(parameter, "bound", None) is not None for parameter in getattr(node, "type_params", ())):
        # Python 3.12: another intrinsic without a handler (CALL_INTRINSIC_2).
        interp.emit(frame, node, "construct", "type-parameter", ("missing-call-intrinsic-2-handler",))
    frame.variables[node.name] = functions.define(interp, node, frame)
    return True


def type_alias(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``type X = ...`` (Python 3.12): an intrinsic without a handler in Dynamo (``CALL_INTRINSIC_1``)."""
    interp.emit(frame, node, "construct", "type-alias", ("missing-call-intrinsic-1-handler",))
    name = getattr(node, "name", None)
    if isinstance(name, ast.Name):
        frame.variables[name.id] = UNKNOWN
    return True


def define_class(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``class``: Dynamo cannot trace the statement (``LOAD_BUILD_CLASS``)."""
    assert isinstance(node, ast.ClassDef)
    if not frame.mode.config.traces_classes:
        interp.emit(frame, node, "construct", "class", ("invalid-call-to-build-class",))
    cls = classes.define(interp, node, frame)
    if not frame.mode.tracing:
        classes.compile_decorated(interp, node, cls, frame)
    frame.variables[node.name] = cls
    return True


def imports(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``import`` and ``from ... import`` in a function."""

    assert isinstance(node, (ast.Import, ast.ImportFrom))
    wanted = [a.name for a in node.names]
    if isinstance(node, ast.ImportFrom):
        wanted = [node.module] if node.module and not node.level else []
    if frame.mode.tracing and any(name_resolution.is_object_in_place(interp, name, frame.module) for name in wanted):
        interp.emit(frame, node, "construct", "import-object", ("bad-import-result",))
        return True
    missing = [name for name in wanted if not interp.import_exists(name)] if frame.mode.tracing else []
    if missing:
        # Where nothing recovers from the error, eager code fails too: the package is missing only in this environment.
        # So may be a part of the project that has no source, an extension that its build makes.
        required = not any(frame.flow.recovers) or any(_is_of_project(interp, name) for name in missing)
        doubt = UNKNOWN if required else None
        interp.emit(frame, node, "construct", "import-missing", ("import-failure",), about=doubt, likely=True)
        if frame.flow.handlers:
            frame.flow.handlers[-1].append(frame.variables)
            return False
    for alias in node.names:
        if isinstance(node, ast.Import):
            bound = alias.asname or alias.name.partition(".")[0]
            frame.variables[bound] = interp.module_value(alias.name if alias.asname else bound, frame.module)
        elif alias.name != "*":
            module = frame.module.resolve_relative(node.level, node.module) if node.level else node.module
            value = name_resolution.imported(interp, module, alias.name, frame.module) if module else UNKNOWN
            frame.variables[alias.asname or alias.name] = value
    return True


def _is_of_project(interp: Interpreter, name: str) -> bool:
    """Return whether a module would be a part of a package of the project."""
    package = interp.project.find_module(name.partition(".")[0]) if "." in name else None
    return package is not None and package.origin == "user"


def deletes(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``del``."""
    assert isinstance(node, ast.Delete)
    for target in node.targets:
        if isinstance(target, ast.Name):
            if frame.names.outer_names.get(target.id, frame) is None:
                interp.emit(frame, node, "construct", "del-global", ("missing-bytecode-handler",))
            elif frame.mode.tracing and frame.function is not None and not _given_up(frame):
                if _is_cell(frame.function.node, target.id):
                    interp.emit(frame, node, "construct", "del-closure", ("missing-bytecode-handler",))
        elif isinstance(target, ast.Attribute):
            autograd_function.check_deleted(interp, interp.eval(target.value, frame), frame, node)
            for holder in members(interp.eval(target.value, frame)):
                if isinstance(holder, Instance):
                    super_and_descriptors.structure(interp, holder, "c-level-descriptor-delete", frame, target)
                    captured_functions.delete_attribute(interp, holder, frame, target)
        elif isinstance(target, ast.Subscript):
            container = interp.eval(target.value, frame)
            if container == ExternalName("os.environ"):
                interp.emit(frame, node, "call", "os.environ.__delitem__", ("call-of-skipped-function",))
            split_lists.check_store(interp, container, target, frame)
            subscripts.delete(interp, container, target, frame)
            if isinstance(container, (Seq, Mapping)):
                left = without_item(container, interp.eval(target.slice, frame))
                assignment.store_back(interp, target.value, container, left, frame)
    return True


def _given_up(frame: Frame) -> bool:
    """Return whether Dynamo no longer traces this frame: after a break in a loop it skips the rest."""
    if "loop" not in frame.context:
        return False
    seen: set[int] = set()
    queue = [frame.summary]
    while queue:
        summary = queue.pop()
        if id(summary) not in seen:
            seen.add(id(summary))
            if any(s.event.confidence is Confidence.CERTAIN for s in summary.events.values()):
                return True
            queue += [callee for _, callee in summary.calls.values()]
    return False


def _is_cell(function: ast.AST, name: str) -> bool:
    """Return whether a nested function uses the variable ``name``, which another opcode then deletes."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)
    for inner in ast_walk.walk(function):
        if inner is function or not isinstance(inner, kinds):
            continue
        own = {a.arg for a in ast_walk.walk(inner) if isinstance(a, ast.arg)}
        named = [n for n in ast_walk.walk(inner) if isinstance(n, ast.Name) and n.id == name]
        if named and name not in own and all(isinstance(n.ctx, ast.Load) for n in named):
            # The first iterable of a generator expression is evaluated outside of it.
            outside = set(ast_walk.walk(inner.generators[0].iter)) if isinstance(inner, ast.GeneratorExp) else set()
            if any(n not in outside for n in named):
                return True
    return False


def scopes(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``global`` and ``nonlocal``."""
    assert isinstance(node, (ast.Global, ast.Nonlocal))
    for name in node.names:
        frame.names.outer_names[name] = frame.scope.parent if isinstance(node, ast.Nonlocal) else None
    return True


def passes(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """``pass``."""
    return True


HANDLERS: dict[type, StatementHandler] = {
    ast.Expr: expression,
    ast.Assign: assign,
    ast.AnnAssign: annotated,
    ast.AugAssign: augmented,
    ast.Return: returns,
    ast.Raise: raises,
    ast.Assert: assertions.run,
    ast.If: branches.branch,
    ast.For: loops.loop_for,
    ast.AsyncFor: loops.loop_for,
    ast.While: loops.loop_while,
    ast.Break: loops.breaks,
    ast.Continue: loops.continues,
    ast.Try: tries,
    ast.With: with_block,
    ast.AsyncWith: with_block,
    ast.FunctionDef: define_function,
    UnparsedFunction: define_function,
    ast.AsyncFunctionDef: define_function,
    ast.ClassDef: define_class,
    UnparsedClass: define_class,
    ast.Import: imports,
    ast.ImportFrom: imports,
    ast.Delete: deletes,
    ast.Global: scopes,
    ast.Nonlocal: scopes,
    ast.Match: branches.matches,
    ast.Pass: passes,
}
if hasattr(ast, "TypeAlias"):
    HANDLERS[ast.TypeAlias] = type_alias
if hasattr(ast, "TryStar"):
    HANDLERS[ast.TryStar] = tries
