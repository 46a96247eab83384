"""Functions: their definition with decorators, and their evaluation over abstract arguments."""

from __future__ import annotations

import ast
import math
from collections.abc import Hashable
from typing import Final

from gblint.interp.domain import container_aliases, context_bounds, dataflow, reach
from gblint.interp.evaluator import (
    abstract_methods,
    annotated_arguments,
    chosen_objects,
    compiled_arguments,
    configured_arguments,
    identity_decorators,
    input_values,
    replaced_methods,
    return_annotations,
    stored_arguments,
    written_functions,
)
from gblint.interp.models.numpy import opaque_functions
from gblint.interp.models.python import (
    call_signatures,
    context_decorators,
    divergence,
    stacked_methods,
    type_checkers,
    uncaught,
)
from gblint.interp.models.torch import (
    autograd_calls,
    compiler_decorators,
    dynamo_config,
    error_on_graph_break,
    nn_module_mutation,
    tensor_subclasses,
    torch_functions,
)
from gblint.interp.state import resumption, trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.compilation import CompiledRef
from gblint.interp.state.events import span_of
from gblint.interp.state.frame import Frame, TracingMode, join_variables
from gblint.interp.state.interpreter import MAX_INLINE_DEPTH, Interpreter
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.runtime.lazy_dataclasses import replace
from gblint.values import folding
from gblint.values.base import (
    BOOL,
    BOTTOM,
    NONE,
    UNKNOWN,
    UNPASSED,
    Bottom,
    Const,
    Unknown,
    Value,
)
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.keys import key
from gblint.values.lattice import join, join_all, open_ended
from gblint.values.objects import (
    BoundMethod,
    Class,
    ExternalName,
    Function,
    FunctionNode,
    Instance,
    Partial,
    Scope,
    Toggle,
    next_uid,
)
from gblint.values.wrapped import (
    CachedProperty,
    ClassMethod,
    CompiledFunction,
    ContextManagerFactory,
    CustomOperator,
    DisabledFunction,
    FunctionInGraph,
    LeafFunction,
    NestedRegion,
    NonstrictFunction,
    OpaqueFunction,
    Property,
    ScriptedFunction,
    ScriptedIfTracing,
    SingleDispatchFunction,
    StaticMethod,
    Wrapped,
)

# Dynamo traces through an existing cache, but cannot make one.
_CACHES = ("functools.lru_cache", "functools.cache")
# Calls of these return the decorator.
_MAKE_DECORATORS = ("functools.partial", "torch._dynamo.optimize", "torch._dynamo.optimize_assert")
# The classes of wrapped functions by decorator; None for one without effect.
_WRAPPERS: Final[dict[str, type[Wrapped] | None]] = {
    "builtins.property": Property,
    "functools.cached_property": CachedProperty,
    "functools.singledispatch": SingleDispatchFunction,
    "functools.singledispatchmethod": SingleDispatchFunction,
    "torch.jit.unused": None,
    "builtins.staticmethod": StaticMethod,
    "builtins.classmethod": ClassMethod,
    "contextlib.contextmanager": ContextManagerFactory,
    "contextlib.asynccontextmanager": ContextManagerFactory,
    "torch._disable_dynamo": DisabledFunction,
    "torch.compile": CompiledFunction,
    "torch.jit.script": ScriptedFunction,
    "torch.jit.script_if_tracing": ScriptedIfTracing,
    "torch.compiler.nested_compile_region": NestedRegion,
    "torch._dynamo.nonstrict_trace": NonstrictFunction,
    "torch._dynamo.decorators.leaf_function": LeafFunction,
    "torch._dynamo.decorators.nonstrict_trace": NonstrictFunction,
    "torch.library.custom_op": CustomOperator,
    "torch.library.triton_op": FunctionInGraph,
}

# The depth of the frame of an entry point.
ENTRY_DEPTH: Final = 1


def define(interp: Interpreter, node: FunctionNode, frame: Frame) -> Value:
    """Return the value of a ``def`` or a lambda in ``frame``, decorated."""
    function = written_functions.as_written(interp, node, frame)
    value: Value = function
    if not isinstance(node, ast.Lambda):
        for decorator in reversed(node.decorator_list):
            value = decorate(interp, decorator, value, frame)
        wrapper = value
        while isinstance(wrapper, (Wrapped, BoundMethod)):
            wrapper = wrapper.function
        if isinstance(wrapper, Function) and wrapper != function:
            interp.caches.undecorated[wrapper] = function
    return value


def with_setter(interp: Interpreter, value: Value, node: FunctionNode, frame: Frame) -> Value:
    """Return the property ``value`` with the setter that ``node`` defines."""
    if isinstance(value, Property):
        setter = written_functions.as_written(interp, node, frame)
        return Property(value.function, setter)
    return value


def decorate(interp: Interpreter, decorator: ast.expr, value: Value, frame: Frame) -> Value:
    """Return ``value`` under one decorator; an unknown decorator is taken for the identity."""
    call = decorator if isinstance(decorator, ast.Call) else None
    function = compiler_decorators.chosen(interp.eval(call.func if call else decorator, frame))
    if call is not None and isinstance(function, ExternalName) and function.name in _MAKE_DECORATORS:
        function, call = interp.eval(call, frame), None
    if isinstance(function, ExternalName) and (
        function.name in compiler_decorators.HANDLERS or function.name == error_on_graph_break.NAME
    ):
        marked = interp.call(function if call is None else interp.eval(call, frame), Args((value,)), frame, decorator)
        return value if isinstance(marked, Unknown) else marked
    if isinstance(function, ExternalName):
        return _decorate_external(interp, function.name, decorator, value, frame)
    if isinstance(function, Partial) and compiler_decorators.is_compiler(function):
        return compiled(interp, call, dict(function.kwargs), value, frame)
    if isinstance(function, Class) and "property" in function.name.lower():
        return Property(value)
    if call is not None:
        function = compiler_decorators.chosen(interp.eval(call, frame))
    if isinstance(function, Partial) and compiler_decorators.is_compiler(function):
        return compiled(interp, None, dict(function.kwargs), value, frame)
    if isinstance(function, ExternalName):
        return _decorate_external(interp, function.name, decorator, value, frame, is_made=True)
    if isinstance(function, Toggle):
        return error_on_graph_break.wrap(function, value)
    if not isinstance(function, (Function, BoundMethod, Wrapped, Instance, Partial)) and not _makes_callable(
        interp, function
    ):
        if isinstance(function, Class) and chosen_objects.is_searched(interp, frame):
            interp.call(function, Args((value,)), frame, decorator)  # its constructor may compile the function
        return value
    if isinstance(function, Function) and identity_decorators.scripts_if_tracing(function):
        return ScriptedIfTracing(value)
    manager = context_decorators.under_instance(interp, function, value) if isinstance(function, Instance) else None
    if manager is not None:
        return manager
    result = identity_decorators.decorate(interp, function, value, frame, decorator)
    result = reach.usual(result) or result
    return result if isinstance(result, (Function, BoundMethod, Wrapped, Class, Instance, ExternalName)) else value


def _makes_callable(interp: Interpreter, function: Value) -> bool:
    """Return whether a decorator is a class whose instances are called instead of the function."""
    if not isinstance(function, Class) or interp.class_attribute(function, "__get__") is not None:
        return False
    return isinstance(interp.class_attribute(function, "__call__"), Function)


def _decorate_external(
    interp: Interpreter, name: str, decorator: ast.expr, value: Value, frame: Frame, is_made: bool = False
) -> Value:
    """Return ``value`` under the decorator ``name``, which has no source.

    ``is_made`` is true if the decorator in the source is a call that returned the one with this name.
    """
    call = decorator if isinstance(decorator, ast.Call) and not is_made else None
    if name in _CACHES and isinstance(value, Function):
        if frame.mode.tracing:
            interp.emit(frame, decorator, "call", name, ("unsupported-method-call",))
        return replace(value, marks=value.marks | {divergence.CACHED})
    if name in _WRAPPERS:
        wrapper = _WRAPPERS[name]
        if wrapper is CompiledFunction:
            return compiled(interp, call, {}, value, frame)
        if wrapper is None:
            return value
        if wrapper is NonstrictFunction and isinstance(value, Function) and not isinstance(value.node, ast.Lambda):
            torch_functions.apply_nonstrict(interp, value, frame, value.node.decorator_list[0])
        return DisabledFunction(value, "lazy") if wrapper is DisabledFunction else wrapper(value)
    if name in opaque_functions.CAUSES and isinstance(value, Function):
        return OpaqueFunction(value, name)
    if name == "functools.wraps" and call is not None and call.args:
        return compiler_decorators.copied(interp.eval(call.args[0], frame), value)
    return context_decorators.under_external(interp, name, call, value, frame) or value


def compiled(
    interp: Interpreter, call: ast.Call | None, options: dict[str, Value], value: Value, frame: Frame
) -> Value:
    """Return ``value`` under ``@torch.compile`` or ``@torch.compile(...)``; note it as compiled outside of a region."""
    options = {**options, **({k.arg: interp.eval(k.value, frame) for k in call.keywords if k.arg} if call else {})}
    if frame.mode.tracing and call is not None:
        interp.emit(
            frame, call, "call", "torch.compile", ("call-of-skipped-function", "torch-compile-with-extra-arguments")
        )
    value, ignored = compiler_decorators.stripped(value)
    inner = value
    while isinstance(inner, (Wrapped, BoundMethod)):
        inner = inner.function
    noted = None
    if isinstance(inner, Function):
        noted = interp.note_compiled(frame, inner.node, value, options, "decorator", inner.owner)
    if noted is not None and ignored:
        # The definition may be evaluated again, when the mark below is that of the first time.
        noted.options, noted.ignored = options, noted.ignored or ignored
    return CompiledFunction(value, None if noted is None else CompiledRef(noted))


def run(interp: Interpreter, function: Function, args: Args, frame: Frame, node: ast.AST) -> Value:
    """Call a function with source."""
    return return_annotations.filled(interp, function, _run(interp, function, args, frame, node))


def _run(interp: Interpreter, function: Function, args: Args, frame: Frame, node: ast.AST) -> Value:
    """Return the result of a call; the summary of the function is computed once for each kind of arguments."""
    if frame.depth >= MAX_INLINE_DEPTH or interp.budget.exhausted:
        if not interp.budget.exhausted:
            frame.give_up(node, f"more than {MAX_INLINE_DEPTH} calls are inside each other")
        return UNKNOWN
    implemented = abstract_methods.implemented(interp, function, args, frame, node)
    if implemented is not None:
        return implemented
    if frame.depth == ENTRY_DEPTH and frame.mode.tracing and abstract_methods.is_missing(interp, function, args):
        frame.give_up(node, f"`{function.name}` is abstract, and no class that implements it is known")
    divergence.check_coroutine(interp, function, frame, node)
    divergence.check_cached(interp, function, frame, node)
    stacked_methods.check_decorated(interp, function, args, frame, node)
    variables = bind(interp, function, args)
    ctx = CallContext(interp, args, frame, node)
    call_signatures.check(ctx, function)
    type_checkers.check(ctx, function)
    calls = [] if frame.mode.tracing else stored_arguments.apart(function, variables)
    if not calls:
        return _follow(interp, function, variables, frame, node)
    token, results = interp.branch_id, []
    try:
        for each in calls:
            interp.enter_branch()
            results.append(_follow(interp, function, each, frame, node))
    finally:
        interp.branch_id = token
    return join_all(results)


def _follow(interp: Interpreter, function: Function, variables: dict[str, Value], frame: Frame, node: ast.AST) -> Value:
    """Return the result of a call with these local variables."""
    eager = function.node in interp.caches.constant_functions or divergence.check_own_module(
        interp, function, frame, node
    )
    mode = frame.mode.eager() if eager else frame.mode.of_callee()
    if function.module is not frame.module:
        mode = dynamo_config.on_entering(interp, mode, function.module)
    contexts = context_bounds.count(interp, function, tracing=mode.tracing)
    if contexts > context_bounds.MANY_CONTEXTS:
        variables = context_bounds.widened(function, variables)
    place: Hashable = (
        id(function.node),
        id(function.scope),
        id(function.owner),
        mode,
        tuple([key(v) for v in variables.values()]),
    )
    summary = interp.caches.summaries.get(place)
    if summary is None:
        bound = context_bounds.reached(interp, function, contexts)
        if bound:
            # A library is not followed to its end either way; its functions were evaluated with other arguments.
            if function.module.origin != "library":
                frame.give_up(node, bound)
            return UNKNOWN
        if interp.budget.is_unproductive(function, mode):
            return UNKNOWN
        summary = _summary(interp, function, variables, frame, mode, place)
    else:
        interp.budget.count_reused(summary)
    span, path = span_of(frame.module, node), frame.conditions.path
    replaced_methods.under_decorator(interp, function, frame)
    compiled_arguments.note(interp, summary, frame, node)
    frame.summary.call(span, summary, frame.conditions.path)
    uncaught.note_call(frame, (span.line, id(summary)))
    frame.conditions.path = path
    trace_builder.record_call(frame, node, (span.line, span.column), summary)
    if summary.breaks and frame.mode.tracing and not summary.is_generator:
        resumption.note_break(frame, node)
    if summary.running:
        summary.recursive = True
        return UNKNOWN if isinstance(summary.result, Bottom) else summary.result
    interp.calls.updates.extend(summary.updates)
    if isinstance(summary.result, Bottom):
        return UNKNOWN
    if summary.locals is None or summary.locals[1] is variables:
        return summary.result
    return container_aliases.result_again(summary.result, summary.locals[1], variables)


def _summary(
    interp: Interpreter,
    function: Function,
    variables: dict[str, Value],
    frame: Frame,
    mode: TracingMode,
    place: Hashable,
) -> FunctionSummary:
    """Return the summary of a call with an equal structural key, or a new one."""
    kind = interp.summary_cache.structural_key(function, variables, mode)
    known = None if kind is None else interp.summary_cache.summaries.get(kind)
    if known is not None:
        interp.caches.summaries[place] = known
        interp.budget.count_reused(known)
        return known
    interp.calls.contexts[id(function.node)] = interp.calls.contexts.get(id(function.node), 0) + 1
    watermark, oldest = next_uid(), interp.summary_cache.oldest_mutated
    changed_dict, changes = interp.effects.dict_changed, interp.capture.changes
    interp.summary_cache.oldest_mutated = math.inf
    try:
        summary = _summarize(interp, function, variables, frame, mode, place)
        same = changed_dict == interp.effects.dict_changed and changes == interp.capture.changes
        if kind is not None and same and not interp.budget.exhausted:
            interp.summary_cache.store(kind, summary, watermark)
    finally:
        interp.summary_cache.oldest_mutated = min(oldest, interp.summary_cache.oldest_mutated)
    return summary


def _summarize(
    interp: Interpreter,
    function: Function,
    variables: dict[str, Value],
    frame: Frame,
    mode: TracingMode,
    place: Hashable,
) -> FunctionSummary:
    summary = FunctionSummary(function.name, function.module, locals=(function, variables))
    interp.caches.summaries[place] = summary
    node = function.node
    interp.calls.active[id(node)] = interp.calls.active.get(id(node), 0) + 1
    nesting, interp.budget.nesting = interp.budget.nesting, 0
    branch, is_usual, branch_path = interp.branch_id, interp.is_usual_branch, interp.effects.branch_path
    call, before_call = interp.budget.begin(function, mode), interp.budget.work
    interp.budget.taken[id(summary)] = 0
    try:
        for _ in range(2):
            summary.recursive = False
            inner = Frame(
                function.module,
                Scope(dict(variables), function.scope, mode.tracing),
                summary,
                mode,
                function,
                function.owner,
                depth=frame.depth + 1,
            )
            inner.flow.objects_from, inner.flow.region_from = next_uid(), frame.flow.region_from
            before = summary.result
            interp.branch_id, interp.is_usual_branch, interp.effects.branch_path = branch, is_usual, branch_path
            summary.result = join(before, _run_body(interp, function, inner))
            summary.body, summary.is_generator = inner.body, inner.is_generator
            if not summary.recursive or summary.result == before:
                break
        summary.updates = [
            (variables[name], inner.variables[name])
            for name in sorted(inner.names.mutated - inner.names.rebound)
            if name in variables and name in inner.variables and inner.variables[name] != variables[name]
        ]
    finally:
        interp.branch_id, interp.is_usual_branch, interp.effects.branch_path = branch, is_usual, branch_path
        interp.budget.nesting = nesting
        interp.calls.active[id(node)] -= 1
        summary.running = False
        interp.budget.taken[id(summary)] = interp.budget.work - before_call
        if interp.budget.is_truncated:
            # The outermost call keeps its empty summary, so that it is not run again.  An argument that is returned,
            # as by a decorator, is known all the same.
            if summary.result not in variables.values():
                summary.result = UNKNOWN
            if call is None:
                interp.caches.summaries.pop(place, None)
            elif summary.result == UNKNOWN:
                interp.budget.note_unproductive(function)
        if call is not None:
            interp.budget.end(call)
    return summary


def _run_body(interp: Interpreter, function: Function, frame: Frame) -> Value:
    node = function.node
    if isinstance(node, ast.Lambda):
        return interp.eval(node.body, frame)
    if interp.run(node.body, frame):
        frame.result = join(frame.result, NONE)
        frame.flow.usual_result = join(frame.flow.usual_result, NONE)
        frame.flow.exit_states.append(frame.variables)
    autograd_calls.check_pending(interp, frame)
    nn_module_mutation.check_init_by_python(interp, function, frame)
    tensor_subclasses.check_item_by_python(interp, function, frame)
    if frame.flow.exit_states and frame.names.mutated:
        frame.variables = join_variables(frame.flow.exit_states)
    if frame.is_generator:
        returned = BOTTOM if dataflow.never_ends(node) else frame.result
        return Iterator("generator", frame.yields, pre_existing=not frame.mode.tracing, returned=returned)
    if frame.flow.has_rare_result and frame.flow.usual_result != BOTTOM:
        return reach.expected(frame.result, frame.flow.usual_result)
    return frame.result


def bind(interp: Interpreter, function: Function, args: Args) -> dict[str, Value]:
    """Return the local variables with which a call starts."""
    spec = function.node.args
    parameters = (*spec.posonlyargs, *spec.args)
    names = [a.arg for a in parameters]
    out: dict[str, Value] = {}
    kw = dict(args.kw)
    first_default = len(names) - len(function.defaults)
    for index, name in enumerate(names):
        default = function.defaults[index - first_default] if index >= first_default else None
        if index < len(args.pos):
            out[name] = annotated_arguments.with_annotation(interp, function, parameters[index], args.pos[index])
        elif name in kw:
            out[name] = annotated_arguments.with_annotation(interp, function, parameters[index], kw.pop(name))
        else:
            out[name] = _missing(interp, function, parameters[index], args, default)
    for kwonly, kw_default in zip(spec.kwonlyargs, function.kw_defaults):
        name = kwonly.arg
        if name in kw:
            out[name] = annotated_arguments.with_annotation(interp, function, kwonly, kw.pop(name))
        else:
            out[name] = _missing(interp, function, kwonly, Args(kwstar=args.kwstar), kw_default)
    if spec.vararg is not None:
        extra = args.pos[len(names) :]
        value = Seq("tuple", extra) if args.star is None else open_ended("tuple", extra, args.star)
        out[spec.vararg.arg] = folding.bounded(value)
    if spec.kwarg is not None:
        out[spec.kwarg.arg] = folding.bounded(Mapping(tuple((Const(k), v) for k, v in kw.items()), args.kwstar))
    return out


def _missing(interp: Interpreter, function: Function, parameter: ast.arg, args: Args, default: Value | None) -> Value:
    """Return the value of a parameter without a known argument.

    A value that may come from ``*args`` or ``**kwargs`` has the type of its annotation rather than that of their items.
    """
    if not (spread := [v for v in (args.star, args.kwstar) if v is not None]):
        return UNKNOWN if default is None else default
    configured = args.kwstar == UNKNOWN and configured_arguments.of(interp, function, function.owner, parameter.arg)
    if configured:
        return configured
    if parameter.annotation is not None:
        value = input_values.annotated(interp, function, parameter)
        if not isinstance(value, Unknown):
            is_open = UNPASSED not in spread and not annotated_arguments.is_plain(value)
            return value if default is None else annotated_arguments.optional(default, value, is_open=is_open)
    found = [annotated_arguments.without_tensors(interp, function, parameter, v) for v in spread if v != UNPASSED]
    if default is None:
        return annotated_arguments.one_of(join_all((*found, *(UNKNOWN for _ in spread[len(found) :]))))
    is_open = len(found) == len(spread)
    is_flag = isinstance(default, Const) and isinstance(default.value, bool)
    if is_open and is_flag and args.kwstar is not None and function.module.origin == "user":
        return reach.expected(BOOL, default)  # a configuration of the project may set it
    return annotated_arguments.optional(default, *found, is_open=is_open) if default == NONE else default
