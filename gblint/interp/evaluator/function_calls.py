"""The evaluation of functions with source over abstract arguments; a call reuses the summary of an equal one."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import Final

from gblint.interp.domain import container_aliases, context_bounds, dataflow, free_variables, reach
from gblint.interp.evaluator import (
    abstract_methods,
    annotated_arguments,
    compiled_arguments,
    configured_arguments,
    input_values,
    replaced_methods,
    return_annotations,
    stored_arguments,
)
from gblint.interp.models.python import (
    call_signatures,
    divergence,
    sourceless_defaults,
    stacked_methods,
    type_checkers,
    uncaught,
)
from gblint.interp.models.torch import (
    autograd_calls,
    dynamo_config,
    nn_module_mutation,
    tensor_subclasses,
)
from gblint.interp.state import resumption, trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.events import span_of
from gblint.interp.state.frame import Frame, TracingMode, join_variables
from gblint.interp.state.interpreter import MAX_INLINE_DEPTH, Interpreter
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.values import folding
from gblint.values.base import (
    BOOL,
    BOTTOM,
    GUESSED_INPUT,
    NONE,
    STR,
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
    Function,
    Scope,
    next_uid,
)

# The depth of the frame of an entry point.
ENTRY_DEPTH: Final = 1


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
    function = sourceless_defaults.of_call(interp, function, args, frame, node)
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
        _free_key(interp, function, mode),
    )
    summary = interp.caches.summaries.get(place)
    if summary is None:
        bound = context_bounds.reached(interp, function, contexts)
        if bound:
            # A library is not followed to its end either way; its functions were evaluated with other arguments.
            if function.module.origin != "library":
                frame.give_up(node, bound)
            return UNKNOWN
        if interp.budget.is_unproductive(function, variables, mode):
            return UNKNOWN
        if interp.budget.searching and not mode.tracing:
            if interp.calls.settled.settles(function, variables, interp.compilation.compiled_modules):
                return NONE
        summary = _summary(interp, function, variables, frame, mode, place)
    else:
        interp.budget.count_reused(summary)
        interp.calls.settled.note_reused(function)
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


def _free_key(interp: Interpreter, function: Function, mode: TracingMode) -> Hashable:
    """Return the key of the free variables of a function: eager code rebinds them between its calls."""
    if mode.tracing:
        return interp.effects.free_values
    return free_variables.key_of(free_variables.values_of(interp, function)) if function.scope is not None else ()


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
    kind = None if kind is None else (kind, place[-1])  # type: ignore[index]
    known = None if kind is None else interp.summary_cache.summaries.get(kind)
    if known is not None:
        interp.caches.summaries[place] = known
        interp.budget.count_reused(known)
        interp.calls.settled.note_reused(function)
        return known
    interp.calls.contexts[id(function.node)] = interp.calls.contexts.get(id(function.node), 0) + 1
    watermark, before, events = next_uid(), interp.summary_cache.begin(), interp.calls.settled.events
    changed_dict, changes = interp.effects.dict_changed, interp.capture.changes
    try:
        summary = _summarize(interp, function, variables, frame, mode, place)
        same = changed_dict == interp.effects.dict_changed and changes == interp.capture.changes
        if kind is not None and same and not interp.budget.exhausted:
            interp.summary_cache.store(kind, summary, watermark)
        if interp.budget.searching and not mode.tracing:
            has_effect = not same or events != interp.calls.settled.events
            has_effect = has_effect or interp.summary_cache.oldest_rebuilt < watermark
            if has_effect or not interp.budget.exhausted:
                interp.calls.settled.note_evaluated(function, summary.result, has_effect=has_effect)
    finally:
        interp.summary_cache.end(before)
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
                interp.budget.note_unproductive(function, variables)
        if call is not None:
            interp.budget.end(call)
    return summary


def _run_body(interp: Interpreter, function: Function, frame: Frame) -> Value:
    node = function.node
    if isinstance(node, ast.Lambda):
        return interp.eval(node.body, frame)
    is_less_likely = frame.mode.non_default_branch or frame.mode.unlikely_branch
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
    if frame.flow.rare_returns and frame.flow.usual_result != BOTTOM:
        known = frame.flow.usual_result
        is_flag = all(frame.flow.rare_returns) and not is_less_likely
        return reach.expected_flag(frame.result, known) if is_flag else reach.expected(frame.result, known)
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
            given = annotated_arguments.with_annotation(interp, function, parameters[index], kw.pop(name))
            out[name] = reach.given_or_default(args, name, given, default)
        else:
            out[name] = _missing(interp, function, parameters[index], args, default)
    for kwonly, kw_default in zip(spec.kwonlyargs, function.kw_defaults):
        name = kwonly.arg
        if name in kw:
            given = annotated_arguments.with_annotation(interp, function, kwonly, kw.pop(name))
            out[name] = reach.given_or_default(args, name, given, kw_default)
        else:
            out[name] = _missing(interp, function, kwonly, Args(kwstar=args.kwstar), kw_default)
    if spec.vararg is not None:
        extra = args.pos[len(names) :]
        value = Seq("tuple", extra) if args.star is None else open_ended("tuple", extra, args.star)
        out[spec.vararg.arg] = folding.bounded(value)
    if spec.kwarg is not None:
        out[spec.kwarg.arg] = folding.bounded(_keywords(args, kw))
    return out


def _keywords(args: Args, left: dict[str, Value]) -> Mapping:
    """Return the value of ``**kwargs``: the arguments that no other parameter takes."""
    optional = frozenset(Const(name) for name in args.optional if name in left)
    usually_missing = frozenset(each for each in optional if args.optional[str(each.value)])
    entries = tuple((Const(name), value) for name, value in left.items())
    return Mapping(entries, args.kwstar, optional=optional, added=usually_missing)


def _missing(interp: Interpreter, function: Function, parameter: ast.arg, args: Args, default: Value | None) -> Value:
    """Return the value of a parameter without a known argument.

    A value that may come from ``*args`` or ``**kwargs`` has the type of its annotation rather than that of their items.
    If an entry point passes on what no known call gives it, the parameter is guessed like one of the entry point.
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
    if default is None and all(v in (GUESSED_INPUT, UNPASSED) for v in spread):
        return input_values.required_value(interp, function, parameter)
    found = [annotated_arguments.from_spread(interp, function, parameter, v) for v in spread if v != UNPASSED]
    if default is None:
        return annotated_arguments.one_of(join_all((*found, *(UNKNOWN for _ in spread[len(found) :]))))
    is_open = len(found) == len(spread)
    if is_open and args.kwstar is not None and function.module.origin == "user" and isinstance(default, Const):
        # A configuration of the project may set it.  In the region a name mostly stays what it is.
        if isinstance(default.value, bool):
            return reach.expected(BOOL, default)
        if isinstance(default.value, str) and interp.budget.searching:
            return reach.expected(STR, default)
    return annotated_arguments.optional(default, *found, is_open=is_open) if default == NONE else default
