"""Functions of torch that compile or export their argument, and the tests for being compiled."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gblint.interp.domain import reach, torch_records
from gblint.interp.domain.builtin_names import SCRIPT_MODULE
from gblint.interp.models.torch import (
    compiler_decorators,
    error_on_graph_break,
    module_wrappers,
    torch_functions,
)
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.compilation import CompiledRef
from gblint.runtime.ast_origins import names, origins
from gblint.values.base import (
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    Tensor,
    Union,
    Unknown,
    Value,
    members,
)
from gblint.values.containers import Seq
from gblint.values.lattice import join_all
from gblint.values.objects import (
    BoundMethod,
    BuiltinMethod,
    ExternalName,
    ExternalObject,
    Function,
    Instance,
    Partial,
    is_nn_module,
)
from gblint.values.wrapped import CompiledFunction, JitTracedFunction, NestedRegion, ScriptedFunction, Wrapped


def wrap(wrapper: type[Wrapped]) -> Handler:
    """Return the model of a call such as ``torch.compile(f)``, whose result is ``f`` under an option."""

    def handler(ctx: CallContext) -> Value:
        function = given = ctx.args.get(0, "model" if wrapper is CompiledFunction else "fn")
        if function is not None and wrapper is CompiledFunction:
            function = _without_result(module_wrappers.unwrapped(function), ctx.node)
            ctx.frame.note_compiled_parameter(_given(ctx))
            if function == NONE and isinstance(_given(ctx), (ast.Attribute, ast.Subscript)):
                function = UNKNOWN  # not set yet, rather than the decorator ``torch.compile(None)``
            if any(map(is_any, members(function))):
                _note_unknown(ctx, function, _given(ctx))
        if wrapper is CompiledFunction and ctx.frame.mode.tracing and len(ctx.args.pos) > 1:
            torch_functions.wrong(
                ctx.interp,
                ctx.frame,
                ctx.node,
                "operator-arguments",
                "torch.compile",
                "torch-compile-with-extra-arguments",
            )
        if function is None and wrapper is CompiledFunction and ctx.args.kw:
            return Partial(ExternalName("torch.compile"), (), tuple(ctx.args.kw.items()))
        if function is None or isinstance(function, Const):
            ctx.interp.compilation.decorators.add(ctx.node)
            return ExternalName("torch.compile" if wrapper is CompiledFunction else "functools.update_wrapper")
        if wrapper is not CompiledFunction:
            if wrapper is JitTracedFunction:
                ctx.emit("call", "torch.jit.trace", ("skip-calling-disabled-function",))
            else:
                ctx.emit("call", "torch.jit.script", ("call-of-skipped-function",))
            return wrapper(function)
        again = compiler_decorators.reference_of(function)
        function, ignored = compiler_decorators.stripped(function)
        own = _earlier_result(function, ctx.node)
        if own is not None:
            return CompiledFunction(function, own)
        if again is not None and (again.compiled.node is ctx.node or _is_elsewhere(ctx, again, function)):
            ignored = ""  # the same call, evaluated a second time on the same object
        if ctx.frame.mode.tracing:
            compiler_decorators.compiled_inside(ctx)
        chosen = reach.usual(given) if isinstance(given, Union) else None
        if chosen in members(function):
            function = reach.expected(function, chosen)
        compiled = (
            None if is_any(function) else ctx.interp.note_compiled(ctx.frame, ctx.node, function, ctx.args.kw, "call")
        )
        if compiled is not None:
            compiled.ignored = compiled.ignored or ignored
        return CompiledFunction(function, None if compiled is None else CompiledRef(compiled))

    return handler


def _without_result(function: Value, node: ast.AST) -> Value:
    """Return the alternatives of a value; those that the call ``node`` compiled before, or of which nothing is known,
    are unwrapped.
    """
    found = members(function)
    if len(found) == 1:
        return function
    inner: list[Value] = []
    for value in found:
        known = compiler_decorators.reference_of(value)
        made = known is not None and known.compiled.node is node
        is_inner = isinstance(value, CompiledFunction) and (made or _is_unknown(value.function))
        inner.append(value.function if is_inner and isinstance(value, CompiledFunction) else value)
    return join_all(inner)


def _earlier_result(function: Value, node: ast.AST) -> CompiledRef | None:
    """Return the earlier result of the call ``node``, if ``function`` wraps it.

    A statement such as ``f = wrap(torch.compile(f))`` may be evaluated again after it has bound ``f``.
    """
    cells = function.scope.cells.values() if isinstance(function, Function) and function.scope is not None else ()
    for value in cells:
        if isinstance(value, CompiledFunction) and isinstance(value.reference, CompiledRef):
            if value.reference.compiled.node is node:
                return value.reference
    return None


def _is_elsewhere(ctx: CallContext, earlier: CompiledRef, function: Value) -> bool:
    """Return whether another function compiled ``function``, an object that stands for all instances of its class."""
    receiver = function.receiver if isinstance(function, BoundMethod) else function
    if not isinstance(receiver, Instance) or not receiver.from_defaults or ctx.frame.function is None:
        return False
    around, line = ctx.frame.function.node, getattr(earlier.compiled.node, "lineno", 0)
    return earlier.compiled.module is not ctx.frame.module or not around.lineno <= line <= (around.end_lineno or 0)


def nested_region(ctx: CallContext) -> Value:
    """``torch.compiler.nested_compile_region(f)``: must be applied outside of any region."""
    if ctx.frame.mode.tracing:
        ctx.emit("call", "torch.compiler.nested_compile_region", ("call-of-skipped-function",))
    return NestedRegion(ctx.args.pos[0]) if ctx.args.pos else ExternalName("torch.compiler.nested_compile_region")


def is_any(function: Value | None) -> bool:
    """Return whether the compiled value is unknown, or known only to be (a method of) a module; it may be None too."""
    known = () if function is None else [each for each in members(function) if each != NONE]
    return bool(known) and all(map(_is_unknown, known))


def _is_unknown(value: Value) -> bool:
    if isinstance(value, BuiltinMethod):
        return isinstance(value.receiver, Instance) and _is_unknown(value.receiver)
    if isinstance(value, Instance):
        return value.cls == ExternalName("torch.nn.Module") and not value.attrs
    return isinstance(value, Unknown)


def _note_unknown(ctx: CallContext, value: Value, target: ast.expr | None) -> None:
    """Note that the unknown value of ``target`` is compiled; for a parameter the callers may tell more."""
    if ctx.frame.mode.tracing or ctx.args.kw.get("disable") == TRUE:
        return
    function = ctx.frame.function
    if function is not None:
        read = set() if target is None else names(origins(function.node, [target]))
        if target is None or read & ctx.frame.parameters or any(map(_of_enclosing(function), read)):
            ctx.interp.compilation.follow_callers(ctx.frame)
    if is_any(value):
        ctx.interp.note_unknown(ctx.frame, ctx.node, target, value, "call")


def _of_enclosing(function: Function) -> Callable[[str], bool]:
    """Return the test whether a name is that of a variable of a function around ``function``."""
    return lambda name: function.scope is not None and function.scope.lookup(name) is not None


def _given(ctx: CallContext, index: int = 0, name: str = "model") -> ast.expr | None:
    """Return the expression that is compiled, if it is an argument of this call."""
    if not isinstance(ctx.node, ast.Call):
        return None
    given = [*ctx.node.args[index : index + 1], *(k.value for k in ctx.node.keywords if k.arg == name)]
    first = given[0] if given else None
    return first.value if isinstance(first, ast.Starred) else first


def exported(by_dynamo: bool) -> Handler:
    """``torch.export.export(mod, args, strict=True)``: traces one graph or fails.

    Without ``strict`` it runs the module without Dynamo; ``torch._dynamo.export`` always traces.
    """

    def handler(ctx: CallContext) -> Value:
        function = ctx.args.get(0, "f" if by_dynamo else "mod")
        program = UNKNOWN if by_dynamo else ExternalObject(torch_records.EXPORTED_PROGRAM)
        if function is None or not (by_dynamo or ctx.args.kw.get("strict") == TRUE):
            return program
        if is_any(function):
            _note_unknown(ctx, function, _given(ctx))
            return program
        options: dict[str, Value] = {"fullgraph": TRUE, "export": TRUE, "strict": Const(not by_dynamo)}
        compiled = ctx.interp.note_compiled(ctx.frame, ctx.node, function, options, "call")
        inputs = ctx.args.get(1, "args")
        if compiled is not None and by_dynamo and len(ctx.args.pos) <= 1:
            return Partial(ExternalName(_EXPORTING), (CompiledFunction(function, CompiledRef(compiled)),), ())
        if compiled is not None and inputs is not None and not by_dynamo:
            items = ctx.items_of(inputs)
            if items is not None:
                compiled.sites.append((Args(items), function))
        return program

    return handler


_EXPORTING = "torch._dynamo.export.inner"


def exporting(ctx: CallContext) -> Value:
    """``torch._dynamo.export(f)(*args)``: calls ``f``; the result is an ``ExportResult``, a graph and its guards."""
    ctx.call(ctx.args.first, ctx.args.drop(1))
    return Seq("tuple", (ExternalObject(torch_records.GRAPH_MODULE), UNKNOWN))


def optimizer(ctx: CallContext) -> Value:
    """``torch._dynamo.optimize(backend, nopython=True)``: like ``torch.compile`` with these options."""
    named = {"nopython": "fullgraph", "error_on_graph_break": "error_on_graph_break", "disable": "disable"}
    options = {named[key]: value for key, value in ctx.args.kw.items() if key in named}
    return Partial(ExternalName("torch.compile"), (), tuple(options.items()))


def strict_optimizer(ctx: CallContext) -> Value:
    """``torch._dynamo.optimize_assert(backend)``: compiles whole graphs only."""
    return Partial(ExternalName("torch.compile"), (), (("fullgraph", TRUE),))


def explained(ctx: CallContext) -> Value:
    """``torch._dynamo.explain(f)(*args)``: compiles ``f`` with a backend that counts graphs."""
    return compile_(ctx.with_args(Args(ctx.args.pos[:1])))


def standard_test(ctx: CallContext) -> Value:
    """``torch._dynamo.testing.standard_test(self, fn, nargs)``: compiles ``fn`` whole and calls it with matrices."""
    function, count = ctx.args.get(1, "fn"), ctx.args.get(2, "nargs")
    if function is None or ctx.frame.mode.tracing:
        return NONE
    if is_any(function):
        _note_unknown(ctx, function, _given(ctx, 1, "fn"))
        return NONE
    for each in members(function):
        compiled = ctx.interp.note_compiled(ctx.frame, ctx.node, each, {"fullgraph": TRUE}, "call")
        known = count.value if isinstance(count, Const) else _parameter_count(each)
        if compiled is not None and isinstance(known, int):
            compiled.sites.append((Args((Tensor(2, "float", is_input=True, length=10),) * known), each))
    return NONE


def _parameter_count(function: Value) -> int | None:
    """Return the number of parameters of a function with source."""
    if not isinstance(function, Function):
        return None
    spec = function.node.args
    return len(spec.posonlyargs) + len(spec.args)


def is_compiling(ctx: CallContext) -> Value:
    """``torch.compiler.is_compiling``: true while tracing."""
    return Const(ctx.frame.mode.tracing)


def is_exporting(ctx: CallContext) -> Value:
    """``torch.compiler.is_exporting``: true while tracing for an export."""
    return Const(ctx.frame.mode.tracing and ctx.frame.mode.export)


def call_scripted(ctx: CallContext, function: Wrapped) -> Value:
    """Call ``torch.jit.script(f)``; Dynamo inlines the Python source of a function (``_torchdynamo_inline``)."""
    if not is_nn_module(function.function):
        return ctx.call(function.function, ctx.args)
    ctx.emit("module-call", SCRIPT_MODULE, ("torch-jit-scripted-module",))
    return ctx.interp.call_eagerly(function.function, ctx.args, ctx.frame, ctx.node)


def call_jit_traced(ctx: CallContext, function: Wrapped) -> Value:
    """Call ``torch.jit.trace(f)``."""
    if is_nn_module(function.function):
        ctx.emit("module-call", "torch.jit.TopLevelTracedModule", ("inlining-of-skipped-function",))
    return ctx.interp.call_eagerly(function.function, ctx.args, ctx.frame, ctx.node)


compile_ = wrap(CompiledFunction)

HANDLERS: dict[str, Handler] = {
    "torch.compile": compile_,
    "torch.compiler.nested_compile_region": nested_region,
    "torch.export.export": exported(by_dynamo=False),
    "torch.export.export_for_training": exported(by_dynamo=False),
    "torch._dynamo.export": exported(by_dynamo=True),
    _EXPORTING: exporting,
    "torch._dynamo.explain": explained,
    "torch._dynamo.optimize": optimizer,
    "torch._dynamo.optimize_assert": strict_optimizer,
    error_on_graph_break.NAME: error_on_graph_break.make,
    "torch._dynamo.testing.standard_test": standard_test,
    "torch.jit.script": wrap(ScriptedFunction),
    "torch.jit.trace": wrap(JitTracedFunction),
    "torch.compiler.is_compiling": is_compiling,
    "torch.compiler.is_dynamo_compiling": is_compiling,
    "torch.compiler.is_exporting": is_exporting,
}
