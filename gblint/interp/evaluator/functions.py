"""The definition of functions, with their decorators."""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain import reach
from gblint.interp.evaluator import (
    chosen_objects,
    identity_decorators,
    written_functions,
)
from gblint.interp.models.numpy import opaque_functions
from gblint.interp.models.python import (
    context_decorators,
    divergence,
    function_objects,
)
from gblint.interp.models.torch import (
    compiler_decorators,
    error_on_graph_break,
    torch_functions,
    triton_kernels,
)
from gblint.interp.state.call_args import Args
from gblint.interp.state.compilation import CompiledRef
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import (
    Unknown,
    Value,
)
from gblint.values.objects import (
    BoundMethod,
    Class,
    ExternalName,
    Function,
    FunctionNode,
    Instance,
    Partial,
    Toggle,
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
    if name in triton_kernels.DECORATORS:
        return triton_kernels.decorated(interp, name, call, value, frame)
    if name in opaque_functions.CAUSES and isinstance(value, Function):
        return OpaqueFunction(value, name)
    if name == "functools.wraps" and call is not None and call.args:
        copied = interp.eval(call.args[0], frame)
        function_objects.copy_name(interp, copied, frame, call)
        return compiler_decorators.copied(copied, value)
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
