"""Calls: evaluation of the arguments, and the call of each kind of value."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from gblint.interp.domain import container_aliases, reach, torch_records
from gblint.interp.domain.builtin_names import SCRIPT_MODULE
from gblint.interp.domain.callables import name_of
from gblint.interp.evaluator import (
    alternatives,
    assignment,
    call_arguments,
    chosen_objects,
    classes,
    command_line,
    derived_classes,
    function_calls,
    functions,
    imported_objects,
    instance_calls,
    kept_modules,
    made_classes,
    named_models,
    started_calls,
    unknown_callables,
)
from gblint.interp.models import external_calls
from gblint.interp.models.numpy import opaque_functions
from gblint.interp.models.python import (
    builtin_methods,
    calls_by_class,
    configuration_files,
    container_methods,
    context_decorators,
    context_managers,
    generic_aliases,
    guarded_state,
    missing_packages,
    object_getters,
    stacked_methods,
    super_and_descriptors,
)
from gblint.interp.models.torch import (
    captured_functions,
    compile_functions,
    compiler_decorators,
    error_on_graph_break,
    hard_errors,
    higher_order_ops,
    opaque_types,
    operand_checks,
    torch_functions,
    trainer_libraries,
    triton_kernels,
)
from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.compilation import CompiledRef
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import (
    MANY,
    NONE,
    UNKNOWN,
    Const,
    Scalar,
    Tensor,
    TextMember,
    Union,
    Unknown,
    Value,
    members,
)
from gblint.values.containers import Mapping, Seq
from gblint.values.dispatch import HandlersByClass
from gblint.values.lattice import MAX_FUNCTIONS, MAX_OBJECTS, join, join_all
from gblint.values.objects import (
    BoundMethod,
    BuiltinMethod,
    Class,
    ExternalName,
    ExternalObject,
    Function,
    Getter,
    Instance,
    Partial,
    Toggle,
    WeakReference,
)
from gblint.values.wrapped import (
    CompiledFunction,
    ConstantFunction,
    ContextDecorated,
    ContextManagerFactory,
    CustomOperator,
    DisabledFunction,
    ErrorOnGraphBreak,
    ForbiddenFunction,
    FunctionInGraph,
    GradAndValue,
    JitTracedFunction,
    LeafFunction,
    NestedRegion,
    NonstrictFunction,
    OpaqueFunction,
    Pullback,
    ScriptedFunction,
    SingleDispatchFunction,
    SuperProperty,
    TritonKernel,
    Wrapped,
)

_SUPER = ExternalName("builtins.super")


def call_expression(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """Evaluate a call expression."""
    assert isinstance(node, ast.Call)
    interp.calls.callee = node.func
    if (function := interp.eval(node.func, frame)) == _SUPER:
        return super_and_descriptors.made(interp, node, frame)
    args, sources = call_arguments.of_call(interp, function, node, frame)
    if not frame.mode.tracing:
        if (known := _by_custom(interp, function, node, args, frame)) is not None:
            return known
    elif isinstance(function, Unknown):
        function = unknown_callables.tensor_method(node, args, frame) or function
    if isinstance(node.func, ast.Subscript):
        function = generic_aliases.called(interp, function, frame, node)
    interp.calls.updates = []
    if (
        isinstance(function, BuiltinMethod)
        and isinstance(function.receiver, (Seq, Mapping))
        and isinstance(node.func, ast.Attribute)
    ):
        captured_functions.change(interp, node.func.value, frame, node, function.name)
        result, changed = container_methods.call_method(
            CallContext(interp, args, frame, node), function.receiver, function.name
        )
        guarded_state.check_growth(interp, node, function.name, frame)
        if function.name == "get" and args.pos and chosen_objects.is_searched(interp, frame):
            result = chosen_objects.got(interp, function.receiver, node, args.pos[0], frame) or result
        if changed is not None and changed != function.receiver:
            assignment.store_back(interp, node.func.value, function.receiver, changed, frame)
        return result
    if len(members(function)) > 1 and isinstance(node.func, ast.Attribute):
        _update_alternatives(interp, function, node.func.value, args, frame, node)
    result = _call_from(interp, function, args, frame, node)
    if not frame.mode.tracing and isinstance(result, (Unknown, Union)):
        result = chosen_objects.known_result(interp, node, function, args, frame, result)
    if chosen_objects.is_searched(interp, frame) and not isinstance(function, (Function, BoundMethod, Instance)):
        call_arguments.call_lambdas(interp, args, frame, node)
        started_calls.run(interp, function, node, args, frame)
    if isinstance(function, (Unknown, ExternalObject)) and not frame.mode.tracing and isinstance(result, Unknown):
        result = _decorated_by_hand(interp, node, args, frame) or result
    if isinstance(function, Unknown):
        unknown_callables.called(interp, node, args, frame)
    if interp.calls.updates:
        updates, interp.calls.updates = interp.calls.updates, []
        for old, new in updates:
            changed = join(old, new) if frame.flow.loops else new
            for source, value in sources:
                if value is old or value == old:
                    assignment.store_back(interp, source, value, changed, frame)
            for part, after in container_aliases.changed_parts(old, changed):
                container_aliases.update(interp, frame, part, after)
    assignment.forget_changed(node, frame, args)
    return result


def _by_custom(interp: Interpreter, function: Value, node: ast.Call, args: Args, frame: Frame) -> Value | None:
    """Return the result of a call outside of any region if its name tells it by custom; None for other calls."""
    if chosen_objects.is_searched(interp, frame):
        registered = named_models.of_timm(interp, function, args, frame, node)
        if registered is not None:
            return registered
    made_class = made_classes.by_type(interp, function, args, frame, node)
    if made_class is not None:
        return made_class
    wrapped = kept_modules.wrapped(function, args)
    if wrapped is not None or not isinstance(node.func, ast.Attribute):
        return wrapped
    if isinstance(function, BoundMethod):
        made = classes.made_by_name(interp, function.receiver, node.func.attr, args, node)
        if (made is None or isinstance(made, Unknown)) and chosen_objects.is_searched(interp, frame):
            made = named_models.of_transformers(interp, function, node, args, frame) or made
        if made is not None:
            return made
    if node.func.attr == "get" and args.pos:
        missing = args.pos[1] if len(args.pos) > 1 else NONE
        named = chosen_objects.by_known_name(interp, node.func.value, args.pos[0], frame, missing)
        if named is not None:
            return named
    if node.func.attr in trainer_libraries.METHODS:
        trainer = interp.eval(node.func.value, frame)
        done = trainer_libraries.call_method(CallContext(interp, args, frame, node), trainer, node.func.attr)
        if done is not None:
            return done
    if node.func.attr in kept_modules.METHODS:
        return kept_modules.prepared(interp.eval(node.func.value, frame), node.func.attr, args)
    return None


def _decorated_by_hand(interp: Interpreter, node: ast.Call, args: Args, frame: Frame) -> Value | None:
    """Return the function in ``torch.no_grad()(function)`` under the decorator; None for other calls."""
    if not isinstance(node.func, ast.Call) or len(args.pos) != 1 or not isinstance(args.first, (Function, BoundMethod)):
        return None
    return functions.decorate(interp, node.func, args.first, frame)


def _call_from(interp: Interpreter, function: Value, args: Args, frame: Frame, node: ast.Call) -> Value:
    """Call ``function``; objects that a library compiles during a "compile" call are compiled at this line."""
    method = isinstance(node.func, ast.Attribute) and "compile" in node.func.attr
    if not method or frame.mode.tracing or frame.module.origin != "user":
        return interp.call(function, args, frame, node)
    outer, interp.compilation.call_site = interp.compilation.call_site, (node, frame.module)
    try:
        return interp.call(function, args, frame, node)
    finally:
        interp.compilation.call_site = outer


def _update_alternatives(
    interp: Interpreter, function: Value, receiver: ast.expr, args: Args, frame: Frame, node: ast.AST
) -> None:
    """Update the containers among the alternatives of the receiver of a method call."""
    changed: list[Value] = []
    some = False
    old = interp.eval(receiver, frame)
    for member in members(old):
        found = next((f for f in members(function) if isinstance(f, BuiltinMethod) and f.receiver == member), None)
        if found is not None and isinstance(member, (Seq, Mapping)):
            _, new = container_methods.call_method(CallContext(interp, args, frame, node), member, found.name)
            some = some or new is not None
            changed.append(member if new is None else new)
        else:
            changed.append(member)
    if some:
        assignment.store_back(interp, receiver, old, join_all(changed), frame)


_CallHandler = Callable[[CallContext, Any], Value]


def call(interp: Interpreter, function: Value, args: Args, frame: Frame, node: ast.AST) -> Value:
    """Call any value (Dynamo: ``VariableTracker.call_function``)."""
    return _HANDLERS[type(function)](CallContext(interp, args, frame, node), function)


def _call_function(ctx: CallContext, function: Function) -> Value:
    marked = compiler_decorators.call_marked(ctx, function) if ctx.frame.mode.tracing else None
    if marked is not None:
        return marked
    if function.name in configuration_files.LIBRARY_READERS and not ctx.frame.mode.tracing:
        made = configuration_files.called(ctx, f"{function.module.name.partition('.')[0]}.{function.name}")
        if made is not None:
            return made
    if function.owner is None:
        return function_calls.run(ctx.interp, function, ctx.args, ctx.frame, ctx.node)
    before = stacked_methods.begin(ctx)
    result = function_calls.run(ctx.interp, function, ctx.args, ctx.frame, ctx.node)
    if stacked_methods.end(ctx, before):
        stacked_methods.check_static(ctx)
    return result


def _call_bound_method(ctx: CallContext, function: BoundMethod) -> Value:
    before = stacked_methods.begin(ctx)
    result = ctx.call(function.function, ctx.args.prepend(function.receiver))
    if stacked_methods.end(ctx, before):
        stacked_methods.check(ctx, function)
    name = name_of(function).rpartition(".")[2]
    opaque_types.called(ctx.interp, function.receiver, name, result, ctx.frame, ctx.node)
    return result


def _call_external(ctx: CallContext, function: ExternalName) -> Value:
    if ctx.frame.mode.tracing:
        substitutes = ctx.interp.compilation.substitutes
        if function in substitutes:
            return ctx.call(substitutes[function], ctx.args)
        if function.name in ctx.frame.mode.config.disallowed:
            ctx.emit("skipped-function", function.name, ("call-of-skipped-function",))
            return ctx.interp.call_eagerly(function, ctx.args, ctx.frame, ctx.node)
        if function.name in ctx.frame.mode.config.allowed:
            result = ctx.interp.call_eagerly(function, ctx.args, ctx.frame, ctx.node)
            if not isinstance(result, (Const, Scalar)):
                trace_builder.record_operator(ctx.frame, ctx.node, result)
                return result
    else:
        made = trainer_libraries.called(ctx, function) or configuration_files.called(ctx, function.name)
        if made is not None:
            return made
    result = external_calls.call(ctx, function.name)
    trace_builder.record_outside_call(ctx.frame, ctx.node, function.name, ctx.args.pos, result)
    return result


def _call_builtin_method(ctx: CallContext, method: BuiltinMethod) -> Value:
    known = None
    if not ctx.frame.mode.tracing:
        known = command_line.parsed(ctx, method) or derived_classes.listed(ctx.interp, method)
    return builtin_methods.call_method_of(ctx, method) if known is None else known


def _call_class(ctx: CallContext, function: Class) -> Value:
    made = None if ctx.frame.mode.tracing else trainer_libraries.called(ctx, function)
    return classes.construct(ctx.interp, function, ctx.args, ctx.frame, ctx.node) if made is None else made


def _call_object(ctx: CallContext, function: Instance) -> Value:
    return ctx.interp.call_instance(function, ctx.args, ctx.frame, ctx.node)


def _call_partial(ctx: CallContext, function: Partial) -> Value:
    if any(isinstance(name, TextMember) for name, _ in function.kwargs):
        ctx.emit("operation", "partial-keyword", ("functools-partial-with-non-literal-keyword",))
    kw = {**dict(function.kwargs), **ctx.args.kw}
    return ctx.call(function.function, Args(function.args + ctx.args.pos, kw, ctx.args.star, ctx.args.kwstar))


def _call_toggle(ctx: CallContext, function: Toggle) -> Value:
    return error_on_graph_break.wrap(function, ctx.args.first)


def _call_union(ctx: CallContext, function: Union) -> Value:
    return _call_each(ctx.interp, function, ctx.args, ctx.frame, ctx.node)


def _call_unknown(ctx: CallContext, function: Value) -> Value:
    if function == MANY and ctx.frame.module.origin != "library":
        ctx.frame.give_up(ctx.node, f"more than {MAX_OBJECTS} objects or {MAX_FUNCTIONS} functions may be called there")
    if isinstance(function, ExternalObject):
        if function.cls == torch_records.MAKE_FX:
            return ExternalObject(torch_records.GRAPH_MODULE, pre_existing=not ctx.frame.mode.tracing)
        if function.cls == SCRIPT_MODULE:
            ctx.emit("module-call", SCRIPT_MODULE, ("torch-jit-scripted-module",))
            return Tensor(proven=False) if unknown_callables.returns_tensor(ctx) else UNKNOWN
        missing_packages.note_call(ctx, function.cls)
    is_open = function == UNKNOWN or (isinstance(function, Tensor) and not function.proven)
    if is_open and ctx.frame.mode.tracing and unknown_callables.returns_tensor(ctx):
        return Tensor(proven=False)
    return UNKNOWN


def _call_each(interp: Interpreter, function: Union, args: Args, frame: Frame, node: ast.AST) -> Value:
    token, mode, path = interp.enter_branch(), frame.mode, frame.conditions.path
    found = alternatives.callable_with(CallContext(interp, args, frame, node), function.members)
    values: list[Value] = []
    usual: Value | None = None
    # The break of one function among many, picked from a table or by the name of a plugin, is unlikely in this call.
    one_of_many = alternatives.are_many(found)
    frame.mode = mode.with_unlikely(one_of_many or len(alternatives.plugins(found)) >= alternatives.MANY_FUNCTIONS)
    several, method = frame.mode, alternatives.hidden_method(function)
    try:
        for each in found:
            if each != NONE:
                if len(found) > 1:
                    reach.into_receiver(frame, node, function, each)
                replaced = method is not None and each not in (method, function.usual)
                frame.mode = several.with_unlikely(replaced and alternatives.is_of_library(each)).with_non_default(
                    replaced
                )
                values.append(interp.call(each, args, frame, node))
                usual = values[-1] if each is function.usual else usual
                frame.conditions.path = path
    finally:
        interp.branch_id, frame.mode, frame.conditions.path = token, mode, path
    if chosen_objects.is_searched(interp, frame):
        values = imported_objects.fewer(values)
    known = [v for v in values if not isinstance(v, Unknown)]
    if known and MANY in found:
        interp.compilation.note_left_out(frame, node)
    # What a function that is not known returns may differ from a constant: ``(options or {}).get("compile", False)``.
    if UNKNOWN in found and known and all(isinstance(v, Const) for v in known):
        usual = known[0] if usual is None and len(known) == 1 else usual
        known = values
    joined = join_all(known or values) if values else UNKNOWN
    return joined if usual is None else reach.expected(joined, usual)


def eagerly(interp: Interpreter, function: Value, args: Args, frame: Frame, node: ast.AST) -> Value:
    """Call a value outside of the compiled region, where only its result matters."""
    mode = frame.mode
    frame.mode = mode.eager()
    try:
        return interp.call(function, args, frame, node)
    finally:
        frame.mode = mode


# -- calls of wrapped functions --------------------------------------------------------------------------------------


def _call_inner(ctx: CallContext, function: Wrapped) -> Value:
    return ctx.call(function.function, ctx.args)


def _call_property(ctx: CallContext, function: SuperProperty) -> Value:
    ctx.emit("operation", f"super().{function.name}", ("super-attribute-not-a-function",))
    return UNKNOWN


def _call_under_toggle(ctx: CallContext, function: ErrorOnGraphBreak) -> Value:
    mode = ctx.frame.mode
    error_on_graph_break.enter(ctx.interp, function.toggle, ctx.frame)
    try:
        return ctx.call(function.function, ctx.args)
    finally:
        ctx.frame.mode = mode


def _call_inner_eagerly(ctx: CallContext, function: Wrapped) -> Value:
    return ctx.interp.call_eagerly(function.function, ctx.args, ctx.frame, ctx.node)


def _call_compiled(ctx: CallContext, function: CompiledFunction) -> Value:
    if isinstance(function.reference, CompiledRef) and not ctx.frame.mode.tracing:
        compiled = function.reference.compiled
        return instance_calls.call_compiled(ctx, compiled, function.function, lambda: _call_inner(ctx, function))
    return _call_inner(ctx, function)


def _call_operator(ctx: CallContext, function: Wrapped) -> Value:
    hard_errors.check_operator(ctx.interp, function, ctx.frame, ctx.node)
    return _call_inner_eagerly(ctx, function)


def _call_constant(ctx: CallContext, function: Wrapped) -> Value:
    torch_functions.constant_result(ctx, function)
    return _call_inner_eagerly(ctx, function)


def _call_nonstrict(ctx: CallContext, function: Wrapped) -> Value:
    refused = torch_functions.nonstrict_arguments(ctx)
    result = compiler_decorators.call_unseen(ctx, function, "nonstrict-trace-output-type")
    if not refused:
        torch_functions.nonstrict_result(ctx.interp, result, ctx.frame, ctx.node)
    return result


def _call_nested_region(ctx: CallContext, function: Wrapped) -> Value:
    return higher_order_ops.nested_region(ctx, function.function)


_HANDLERS: Final[HandlersByClass[_CallHandler]] = HandlersByClass(
    {
        Function: _call_function,
        BoundMethod: _call_bound_method,
        BuiltinMethod: _call_builtin_method,
        ExternalName: _call_external,
        Class: _call_class,
        Instance: _call_object,
        Partial: _call_partial,
        Getter: object_getters.call_getter,
        WeakReference: object_getters.call_reference,
        SuperProperty: _call_property,
        Wrapped: _call_inner,
        CompiledFunction: _call_compiled,
        ContextDecorated: context_decorators.call,
        DisabledFunction: compiler_decorators.call_disabled,
        ForbiddenFunction: compiler_decorators.call_forbidden,
        FunctionInGraph: compiler_decorators.call_in_graph,
        ScriptedFunction: compile_functions.call_scripted,
        SingleDispatchFunction: calls_by_class.single_dispatch,
        Const: calls_by_class.constant,
        JitTracedFunction: compile_functions.call_jit_traced,
        OpaqueFunction: opaque_functions.call,
        TritonKernel: triton_kernels.call,
        LeafFunction: _call_operator,
        CustomOperator: _call_operator,
        ConstantFunction: _call_constant,
        Pullback: operand_checks.pull,
        GradAndValue: operand_checks.call_grad_and_value,
        NonstrictFunction: _call_nonstrict,
        NestedRegion: _call_nested_region,
        ContextManagerFactory: context_managers.call_decorated,
        ErrorOnGraphBreak: _call_under_toggle,
        Toggle: _call_toggle,
        Union: _call_union,
        Value: _call_unknown,
    }
)
