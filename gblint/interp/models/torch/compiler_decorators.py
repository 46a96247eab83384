"""Decorators of ``torch.compiler`` and ``torch._dynamo``: disable, allow in graph, substitute, forbid and others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.diagnostics.entry_point import OptionSource
from gblint.interp.domain import reach
from gblint.interp.domain.callables import name_of
from gblint.interp.models.torch import hard_errors
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.compilation import CompiledRef
from gblint.interp.state.events import span_of
from gblint.interp.state.frame import Frame, TracingMode
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import FunctionSummary, NoEffect
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import FALSE, NONE, TRUE, UNKNOWN, Const, Scalar, Unknown, Value, members
from gblint.values.objects import BoundMethod, Class, ExternalName, Function, Partial, is_nn_module
from gblint.values.wrapped import (
    OUTERMOST,
    CompiledFunction,
    ConstantFunction,
    DisabledFunction,
    ForbiddenFunction,
    FunctionInGraph,
    RunOnlyFunction,
    Wrapped,
)

DISABLE = "torch.compiler.disable"
STANCE = "torch.compiler.set_stance"
SUBSTITUTE = "torch.compiler.substitute_in_graph"
_DATA = ("tensor-to-python", "data-dependent-branch", "dynamic-shape", "data-dependent-op")


# -- putting marks on ------------------------------------------------------------------------------------------------


def _in_region(ctx: CallContext, name: str) -> None:
    """Report a decorator that is applied in a region: Dynamo skips these functions."""
    if ctx.frame.mode.tracing:
        ctx.emit("call", name, ("call-of-skipped-function",))


def disable(ctx: CallContext) -> Value:
    """``torch.compiler.disable(f)``, and the decorator ``torch.compiler.disable(recursive=False)``."""
    function, recursive = ctx.args.get(0, "fn"), ctx.args.get(1, "recursive") or TRUE
    if function is None or isinstance(function, (Const, Unknown)):
        return Partial(ExternalName(DISABLE), (), (("recursive", recursive),))
    _in_region(ctx, DISABLE)
    function = outermost(
        function, ctx.node, OptionSource(ctx.frame.module.display, getattr(ctx.node, "lineno", 1), "disable")
    )
    if isinstance(function, Class) and recursive != FALSE:
        ctx.interp.compilation.marks[function.node] = DisabledFunction
        ctx.interp.note_change(ctx.frame)
        return function
    return DisabledFunction(function, "skip" if recursive == FALSE else "recursive")


def outermost(function: Value, node: ast.AST | None = None, option_source: OptionSource | None = None) -> Value:
    """Return ``function`` without the marks (compile, disable, run) that have no effect under another one.

    If a removed mark is a call of ``torch.compile`` inside ``node``, it compiles nothing and is recorded as undone.
    """
    while isinstance(function, OUTERMOST):
        reference = reference_of(function)
        if reference is not None and node is not None and reference.compiled.is_in(node):
            reference.compiled.undone = option_source
        function = function.function
    return function


def reference_of(function: Value) -> CompiledRef | None:
    """Return the reference of a function under ``torch.compile`` to its record."""
    reference = function.reference if isinstance(function, CompiledFunction) else None
    return reference if isinstance(reference, CompiledRef) else None


def stripped(function: Value) -> tuple[Value, str]:
    """Return the function that ``torch.compile`` compiles, and the mark on it that has no effect then."""
    inner = outermost(function)
    if inner is function or not isinstance(function, Wrapped):
        return function, ""
    if not isinstance(function, CompiledFunction):
        return inner, function.description
    reference = reference_of(function)
    options = {} if reference is None else reference.compiled.options
    return inner, "options" if options else "compiled"


def compiled_inside(ctx: CallContext) -> None:
    """``torch.compile(f)`` in a region: the result is ``f``, and the other options have no effect.

    A function that compiles itself at its first call does so eagerly.
    """
    running = ctx.frame.function
    for given in members(ctx.args.get(0, "model") or UNKNOWN):
        inner = given.function if isinstance(given, BoundMethod) else given
        if running is not None and isinstance(inner, Function) and inner.node is running.node:
            return
    if ctx.args.kw and ctx.frame.module.origin != "library":
        ctx.frame.summary.notes[NoEffect("compile-inside", span_of(ctx.frame.module, ctx.node))] = None


def run_only(ctx: CallContext) -> Value:
    """``torch._dynamo.run(f)`` compiles nothing; in a region it has no effect."""
    _in_region(ctx, "torch._dynamo.run")
    if not ctx.args.pos:
        return UNKNOWN
    option_source = OptionSource(ctx.frame.module.display, getattr(ctx.node, "lineno", 1), "run")
    return RunOnlyFunction(outermost(ctx.args.pos[0], ctx.node, option_source))


def on_function(name: str, mark: type[Wrapped]) -> Handler:
    """Return the model of a function that marks its argument and returns it."""

    def handler(ctx: CallContext) -> Value:
        _in_region(ctx, name)

        given = ctx.args.get(0, "fn") or UNKNOWN
        for function in ctx.items_of(given) or members(given):
            inner = function.function if isinstance(function, BoundMethod) else function
            if isinstance(inner, (Function, Class)):
                ctx.interp.compilation.marks[inner.node] = mark
                ctx.interp.note_change(ctx.frame)
        return given

    return handler


def set_stance(ctx: CallContext) -> Value:
    """``set_stance(...)``: it is forbidden in a region, and so is a function decorated with it.

    As a statement it holds for what follows in its function.
    """
    stance = ctx.args.get(0, "stance") or Const("default")
    if ctx.frame.mode.tracing:
        hard_errors.refuse(ctx.interp, ctx.frame, ctx.node, STANCE)
    elif ctx.interp.discarded_expression is ctx.node:
        ctx.frame.mode = in_stance(ctx.frame, ctx.node, stance)
    return Partial(STANCED, (), (("stance", stance),))


# Under these stances nothing new is compiled.
_EAGER_STANCES = ("force_eager", "eager_on_recompile")


def in_stance(frame: Frame, node: ast.AST, stance: Value) -> TracingMode:
    """Return the mode of a frame under a stance that is set at ``node``."""
    is_eager = isinstance(stance, Const) and stance.value in _EAGER_STANCES
    line = getattr(node, "lineno", 1)
    return replace(frame.mode, eager_source=OptionSource(frame.module.display, line, STANCE) if is_eager else None)


def call_forbidden(ctx: CallContext, function: ForbiddenFunction) -> Value:
    """Call a function that must not be called in a region; outside of it, it may set a stance."""
    mode = ctx.frame.mode
    if mode.tracing:
        hard_errors.refuse(ctx.interp, ctx.frame, ctx.node, function.option)
        return UNKNOWN
    if function.stance:
        ctx.frame.mode = in_stance(ctx.frame, ctx.node, Const(function.stance))
    try:
        return ctx.call(function.function, ctx.args)
    finally:
        ctx.frame.mode = mode


def under_decorators(interp: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> TracingMode:
    """Return the mode outside of a region in a function under its decorators, one of which may set a stance."""
    outer, mode = frame.mode, TracingMode(tracing=False)
    for each in node.decorator_list if frame.module.contains("set_stance") else ():
        made = interp.eval(each, frame)
        if isinstance(made, Partial) and made.function == STANCED:
            frame.mode = mode
            mode = in_stance(frame, each, dict(made.kwargs)["stance"])
            frame.mode = outer
    return mode


STANCED = ExternalName("torch._dynamo.set_stance.__call__")


def under_stance(ctx: CallContext) -> Value:
    """``set_stance(...)(f)``."""
    function, stance = ctx.args.first, ctx.args.kw.get("stance")
    if stance == Const("force_eager"):
        option_source = OptionSource(ctx.frame.module.display, getattr(ctx.node, "lineno", 1), "set_stance")
        outermost(function, ctx.node, option_source)
    name = stance.value if isinstance(stance, Const) and isinstance(stance.value, str) else ""
    return ForbiddenFunction(function, STANCE, name)


def substitute(ctx: CallContext) -> Value:
    """``substitute_in_graph(original)(traced)``: Dynamo inlines the second where the first is called."""
    _in_region(ctx, SUBSTITUTE)
    original = ctx.args.get(0, "original_fn")
    return Partial(ExternalName(_SUBSTITUTED), () if original is None else (original,), ())


def comptime(ctx: CallContext) -> Value:
    """``comptime(f)``: Dynamo runs ``f`` with its own context while it traces, which may ask for a graph break."""
    function = ctx.args.first
    if isinstance(function, Function) and function.node.args.args and ctx.frame.mode.tracing:
        own = function.node.args.args[0].arg
        calls = [n.func for n in ast_walk.walk(function.node) if isinstance(n, ast.Call)]
        if any(isinstance(f, ast.Attribute) and f.attr == "graph_break" and is_name(f.value, own) for f in calls):
            ctx.emit("explicit-break", "torch._dynamo.comptime.graph_break", ("comptime-graph-break",))
    return function


_SUBSTITUTED = "torch._dynamo.substitute_in_graph.wrapper"


def is_compiler(function: Value) -> bool:
    """Return whether a function is ``torch.compile``, or a partial of it."""
    inner = function.function if isinstance(function, Partial) else function
    return isinstance(inner, ExternalName) and inner.name == "torch.compile"


def chosen(function: Value) -> Value:
    """Return the one of several decorators that compiles, else the usual one: ``torch.compile if fast else keep``."""
    compiler = next(filter(is_compiler, members(function)), None)
    return compiler or reach.usual(function) or function


def substituted(ctx: CallContext) -> Value:
    """The decorator returned by ``substitute_in_graph``."""
    if len(ctx.args.pos) == 2 and isinstance(ctx.args.pos[0], (ExternalName, Function)) and not ctx.frame.mode.tracing:
        ctx.interp.compilation.substitutes[ctx.args.pos[0]] = ctx.args.pos[1]
        ctx.interp.note_change(ctx.frame)
    return ctx.args.pos[-1] if ctx.args.pos else UNKNOWN


def copied(function: Value, wrapper: Value) -> Value:
    """``functools.wraps(function)`` of ``wrapper``, which copies the attributes that mark a disabled function."""
    inner = function.function if isinstance(function, BoundMethod) else function
    is_disabled = isinstance(inner, DisabledFunction) and not is_nn_module(inner.function)
    return DisabledFunction(wrapper, "copied") if is_disabled else wrapper


_NAMES = frozenset(
    "disable skip run allow_in_graph assume_constant_result forbid_in_graph substitute_in_graph "
    "error_on_graph_break".split()
)


def run_module_marks(interp: Interpreter, module: Module, frame: Frame) -> None:
    """Run the top-level statements of a module that mark functions in place."""
    for statement in _simple(module.tree.body):
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if any(_called(d) == "substitute_in_graph" for d in statement.decorator_list):
                interp.eval(ast.Name(statement.name, ast.Load()), frame)
        elif isinstance(statement, ast.Assign):
            target = statement.targets[0]
            if isinstance(target, ast.Attribute) and _called(statement.value) in _NAMES:
                interp.run([statement], frame)
            elif _called(statement.value) == "substitute_in_graph":
                interp.eval(statement.value, frame)
        elif isinstance(statement, ast.Expr) and _called(statement.value) in _NAMES:
            interp.eval(statement.value, frame)


def _simple(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, (ast.If, ast.Try, ast.With)):
            yield from _simple(statement.body)
        else:
            yield statement


def _called(node: ast.expr) -> str:
    """Return the last name of the called function, or of the call that makes it: ``mark`` for ``a.mark(True)(f)``."""
    while isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


# -- calls of marked functions ---------------------------------------------------------------------------------------


def call_disabled(ctx: CallContext, function: DisabledFunction) -> Value:
    """Call a disabled function: it and its callees run eagerly, unless it alone is skipped."""
    if ctx.frame.mode.tracing:
        ctx.emit("disabled-call", name_of(function.function), (_id_of(function),))
    if function.form == "copied":
        return ctx.call(function.function, ctx.args)
    mode = ctx.frame.mode
    ctx.frame.mode = mode.skipping() if function.form == "skip" else mode.eager()
    try:
        return ctx.call(function.function, ctx.args)
    finally:
        ctx.frame.mode = mode


def _id_of(function: DisabledFunction) -> str:
    """Return the cause: Dynamo tries to inline methods and functions that are not disabled recursively."""
    if function.form in ("skip", "copied"):
        return "skip-inlining-disabled-function"
    if is_nn_module(function.function):
        return "unsupported-function-call-delayed"
    if function.form == "lazy":
        return "call-of-skipped-function"
    return "skip-inlining-disabled-function" if is_method(function.function) else "skip-calling-disabled-function"


def is_method(function: Value) -> bool:
    """Return whether a function is called with an instance of its class."""
    if not isinstance(function, Function) or function.owner is None or isinstance(function.node, ast.Lambda):
        return False
    names = (d.id for d in function.node.decorator_list if isinstance(d, ast.Name))
    return not any(name in ("staticmethod", "property") for name in names)


def class_is_disabled(interp: Interpreter, cls: Class) -> bool:
    """Return whether a class or one of its bases is disabled, so that calls of it and of its instances are."""
    return any(
        interp.compilation.marks.get(each.node) is DisabledFunction
        or (DISABLE in each.decorators and _is_recursive(each))
        for each in cls.mro
    )


def _is_recursive(cls: Class) -> bool:
    keywords = [k for d in cls.node.decorator_list if isinstance(d, ast.Call) for k in d.keywords]
    return not any(k.arg == "recursive" for k in keywords)


def call_in_graph(ctx: CallContext, function: Wrapped) -> Value:
    """Call a function under ``allow_in_graph``, which has no effect on methods: Dynamo inlines them."""
    inner = function.function
    if ctx.frame.mode.tracing and isinstance(inner, Function) and is_method(inner):
        if inner.module.origin != "library":
            ctx.frame.summary.notes[NoEffect("mark-on-method", span_of(inner.module, inner.node), "allow_in_graph")] = (
                None
            )
        return ctx.call(inner, ctx.args)
    result = call_unseen(ctx, function, "data-dependent-operator")
    if ctx.frame.mode.tracing and isinstance(result, (Const, Scalar)) and result != NONE:
        ctx.emit("unseen-function", "no-tensor", ("torch-op-returned-non-tensor",))
    return result


def call_unseen(ctx: CallContext, function: Wrapped, cause: str) -> Value:
    """Call a function that enters the graph untraced; it breaks if it needs the data of tensors.

    After the break it runs as any other function: compiled on its own.
    """

    if not ctx.frame.mode.tracing:
        return ctx.call(function.function, ctx.args)
    summary, body = ctx.frame.summary, ctx.frame.body
    ctx.frame.summary, ctx.frame.body = FunctionSummary(summary.function, summary.module), {}
    try:
        ctx.call(function.function, ctx.args)
    finally:
        inner, ctx.frame.summary = ctx.frame.summary, summary
        ctx.frame.body = body
    if not any(_needs_data(each, set()) for _, each in inner.calls.values()):
        return ctx.interp.call_eagerly(function.function, ctx.args, ctx.frame, ctx.node)
    ctx.emit("unseen-function", "data", (cause,))
    return ctx.call(function.function, ctx.args)


def _needs_data(summary: FunctionSummary, seen: set[int]) -> bool:
    """Return whether a function or one of its callees certainly needs the data of tensors."""
    seen.add(id(summary))
    if any(each.event.kind in _DATA and each.event.confidence.rank > 1 for each in summary.events.values()):
        return True
    return any(id(inner) not in seen and _needs_data(inner, seen) for _, inner in summary.calls.values())


def call_marked(ctx: CallContext, function: Function) -> Value | None:
    """Call a function that was marked in place, or substituted; None for any other."""
    mark = ctx.interp.compilation.marks.get(function.node)
    if mark is not None and mark.description not in function.marks:
        inner = replace(function, marks=function.marks | {mark.description})
        return ctx.call(DisabledFunction(inner, "skip") if mark is DisabledFunction else mark(inner), ctx.args)
    other = ctx.interp.compilation.substitutes.get(function)
    return None if other is None else ctx.call(other, ctx.args)


HANDLERS: dict[str, Handler] = {
    DISABLE: disable,
    "torch._dynamo.run": run_only,
    "torch._dynamo.decorators.skip": on_function("torch._dynamo.decorators.skip", DisabledFunction),
    "torch.compiler.allow_in_graph": on_function("torch.compiler.allow_in_graph", FunctionInGraph),
    "torch.compiler.assume_constant_result": on_function("torch.compiler.assume_constant_result", ConstantFunction),
    "torch._dynamo.forbid_in_graph": on_function("torch._dynamo.forbid_in_graph", ForbiddenFunction),
    "torch._dynamo.comptime.comptime": comptime,
    STANCE: set_stance,
    STANCED.name: under_stance,
    SUBSTITUTE: substitute,
    _SUBSTITUTED: substituted,
}
