"""``torch.autograd.Function``: ``apply``, the context object, and the backward pass.

The models follow ``AutogradFunctionVariable`` (torch/_dynamo/variables/misc.py): if an argument requires a gradient,
``forward`` and ``backward`` are traced into one operator; otherwise ``forward`` is inlined with a simpler context.
"""

from __future__ import annotations

import ast

from gblint.interp.domain import builtin_names
from gblint.interp.models.torch import captured_functions
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.events import span_of
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import NONE, UNKNOWN, Const, Tensor, Value, members
from gblint.values.containers import Seq
from gblint.values.objects import BoundMethod, BuiltinMethod, Class, ExternalName, Function, Instance, Partial
from gblint.values.wrapped import ClassMethod, FunctionInGraph, Wrapped

BASE = "torch.autograd.Function"
CONTEXT = "torch.autograd.function.FunctionCtx"
# Methods of the context written in C.
_C_METHODS = ("maybe_clear_saved_tensors", "name", "register_hook", "register_prehook", "__sizeof__", "__delattr__")
_NAMED_BY_DYNAMO = frozenset(("forward", "backward", "setup_context", "apply", "vmap", "jvp", "vjp"))


def is_function_class(cls: Class) -> bool:
    """Return whether ``cls`` is an autograd function."""
    return cls.inherits(BASE)


def apply(ctx: CallContext, cls: Class) -> Value:
    """``Function.apply(...)``."""
    forward = ctx.interp.class_attribute(cls, "forward")
    if forward is None:
        return UNKNOWN
    if isinstance(forward, ClassMethod):
        forward = BoundMethod(forward.function, cls)
    needs = _needs_gradient(ctx.args, ctx.frame)
    if ctx.frame.mode.tracing and _is_in_graph(ctx, cls):
        context = _new_context(ctx, False)
        return ctx.interp.call_eagerly(forward, ctx.args.prepend(context), ctx.frame, ctx.node)
    refused = ctx.frame.mode.tracing and _refused(ctx, cls, forward, needs)
    context = _new_context(ctx, needs)
    setup = ctx.interp.class_attribute(cls, "setup_context")
    if refused:
        return _run_alone(ctx, forward, setup is not None)
    result = _call_without_gradients(ctx, forward, ctx.args if setup is not None else ctx.args.prepend(context))
    if ctx.frame.mode.tracing and needs is not False:
        broken = _check_result(ctx, forward, context, likely=needs is None)
        mode = ctx.frame.mode
        # Models mostly run without gradients unless the code enables them.
        ctx.frame.mode = mode.with_unlikely(needs is None)
        broken = _check_duplicates(ctx) or broken
        ctx.frame.mode = mode
        if broken:
            return _run_alone(ctx, forward, setup is not None)
        if not _breaks(ctx, forward):
            _trace_backward(ctx, cls, context, result)
    return result


def _breaks(ctx: CallContext, forward: Value) -> bool:
    """Return whether the call of ``forward`` breaks the graph for certain; Dynamo then does not trace ``backward``."""
    function, place = _written(forward), span_of(ctx.frame.module, ctx.node)
    called = [summary for span, summary in ctx.frame.summary.calls.values() if span == place and summary.breaks]
    return any(each.locals is not None and each.locals[0].node is function.node for each in called if function)


def _is_in_graph(ctx: CallContext, cls: Class) -> bool:
    """Return whether ``allow_in_graph`` marks the class, in a call or as its decorator."""
    names = map(builtin_names.canonical, cls.decorators)
    return ctx.interp.compilation.marks.get(cls.node) is FunctionInGraph or "torch.compiler.allow_in_graph" in names


def _new_context(ctx: CallContext, needs: bool | None) -> Instance:
    """Return the ``ctx`` of one call; ``needs`` says whether an argument requires a gradient."""
    return Instance(
        ExternalName(CONTEXT),
        {"__gradient__": Const(needs)},
        branch_id=ctx.interp.branch_id,
        partial=True,
        pre_existing=not ctx.frame.mode.tracing,
    )


def _run_alone(ctx: CallContext, forward: Value, setup: bool) -> Value:
    """After a break at the call, autograd calls ``forward``, which Dynamo compiles as a function of its own."""
    context = _new_context(ctx, False)
    return _call_without_gradients(ctx, forward, ctx.args if setup else ctx.args.prepend(context))


def _call_without_gradients(ctx: CallContext, method: Value, args: Args) -> Value:
    """Call ``forward`` or ``backward``, which record no gradients: Dynamo traces no ``backward`` of functions inside.

    Dynamo: ``fwd_trace_helper`` (torch/_functorch/autograd_function.py), and ``enable_grad=False`` in
    ``trace_backward_graph`` (torch/_dynamo/variables/higher_order_ops.py).
    """
    mode = ctx.frame.mode
    ctx.frame.mode = replace(mode, grad=False, grad_is_set=True)
    try:
        return ctx.call(method, args)
    finally:
        ctx.frame.mode = mode


def _needs_gradient(args: Args, frame: Frame) -> bool | None:
    """Return whether an argument requires a gradient where gradients are recorded; None if it is unknown."""
    if not frame.mode.grad:
        return False
    given = [v for a in args.all() for v in members(a) if isinstance(v, Tensor)]
    if given and all(v.grad_provenance == "frozen" for v in given):
        return False
    known = [v.requires_grad for v in given]
    return True if True in known else None


def _refused(ctx: CallContext, cls: Class, forward: Value, needs: bool | None) -> bool:
    """Report constructs at which Dynamo breaks before it traces ``forward``."""
    function = _written(forward)
    likely = needs is None
    if function is not None and any(a.arg in ctx.args.kw for a in function.node.args.kwonlyargs):
        ctx.emit("autograd-function", "keyword", ("autograd-function-keyword-only-arguments",))
        return True
    if needs is False:
        if isinstance(forward, Partial):
            ctx.emit("autograd-function", "callable", ("non-function-in-autograd-function",))
            return True
        return False
    for name, cause in (("vjp", "unsupported-custom-vjp"), ("jvp", "unsupported-custom-jvp")):
        if ctx.interp.class_attribute(cls, name) is not None:
            ctx.emit("autograd-function", name, (cause,), likely=likely)
            return True
    if isinstance(forward, BoundMethod) and needs:
        # Dynamo passes the class twice.
        ctx.emit("autograd-function", "class-method", ("inline-argument-binding-failure",))
        return True
    backward = ctx.interp.class_attribute(cls, "backward")
    if isinstance(backward, Wrapped):
        backward = backward.function
    if isinstance(forward, Partial) or isinstance(backward, Partial):
        ctx.emit("autograd-function", "callable", ("autograd-function-non-function-forward",), likely=likely)
        return True
    return False


def _written(value: Value | None) -> Function | None:
    """Return the function as written behind a static method, a class method or a bound method."""
    while isinstance(value, (Wrapped, BoundMethod)):
        value = value.function
    return value if isinstance(value, Function) else None


def _check_result(ctx: CallContext, forward: Value, context: Instance, *, likely: bool) -> bool:
    """Report values on the context of ``forward`` that the operator does not support."""
    function = _written(forward)
    if "_materialize_non_diff_grads" in context.attrs:
        ctx.emit("autograd-function", "materialize", ("autograd-function-materialize-grads-mutation",), likely=likely)
        return True
    if function is not None and _dirty_names(function) - _returned_names(function):
        ctx.emit("autograd-function", "dirty", ("autograd-function-dirty-input-not-returned",), likely=likely)
        return True
    return False


def _dirty_names(function: Function) -> set[str]:
    """Return the variables that ``forward`` marks as changed in place."""
    found: set[str] = set()
    for node in ast_walk.walk(function.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "mark_dirty":
            found |= {a.id for a in node.args if isinstance(a, ast.Name)}
    return found


def _returned_names(function: Function) -> set[str]:
    """Return the variables that it may return, alone or in a tuple; all if a result is not a plain variable."""
    found: set[str] = set()
    for node in ast_walk.walk(function.node):
        if isinstance(node, ast.Return) and node.value is not None:
            values = node.value.elts if isinstance(node.value, (ast.Tuple, ast.List)) else [node.value]
            found |= {v.id for v in values if isinstance(v, ast.Name)}
    return found


def _check_duplicates(ctx: CallContext) -> bool:
    """Report a tensor passed twice: its two gradients could not be distinguished."""
    if not isinstance(ctx.node, ast.Call):
        return False
    seen: set[str] = set()
    for expression, value in zip(ctx.node.args, ctx.args.pos):
        if not isinstance(expression, (ast.Name, ast.Attribute)) or not isinstance(value, Tensor):
            continue
        text = ast.dump(expression)
        if text in seen:
            ctx.emit("autograd-function", "duplicate", ("autograd-function-duplicate-tensor-input",), about=value)
            return not ctx.frame.mode.unlikely_branch
        seen.add(text)
    return False


def _trace_backward(ctx: CallContext, cls: Class, context: Instance, result: Value) -> None:
    """Trace ``backward`` along with ``forward``, on gradients whose layout Dynamo does not know."""
    backward = ctx.interp.class_attribute(cls, "backward")
    function = _written(backward)
    if backward is None or function is None:
        return
    if isinstance(backward, ClassMethod):
        backward = BoundMethod(backward.function, cls)
    mode = ctx.frame.mode
    ctx.frame.mode = replace(mode, backward_kind="backward")
    try:
        with captured_functions.captured(ctx.interp, backward, ctx.frame, whole=False):
            _call_without_gradients(ctx, backward, Args((context, *_gradients(function, result))))
    finally:
        ctx.frame.mode = mode


def _gradients(backward: Function, result: Value) -> list[Value]:
    """Return one gradient for each output of ``forward``, or for each parameter of ``backward``."""
    spec = backward.node.args
    outputs: tuple[Value, ...] = (result,)
    if isinstance(result, Seq) and result.items is not None:
        outputs = result.items
    if spec.vararg is None:
        count = len(spec.posonlyargs) + len(spec.args) - 1
        outputs = (*outputs, *[UNKNOWN] * count)[:count]
    return [Tensor(v.rank, v.dtype) if isinstance(v, Tensor) else Tensor() for v in outputs]


def plain_method(interp: Interpreter, cls: Class, name: str) -> Value | None:
    """Return ``Function.helper`` if ``helper`` is neither a static method nor a class method."""
    found = interp.class_attribute(cls, name)
    if isinstance(found, Function) and name not in _NAMED_BY_DYNAMO and is_function_class(cls):
        return BuiltinMethod(cls, name)
    return None


def call_method(ctx: CallContext, cls: Class, name: str) -> Value:
    """Call a method of the class of an autograd function."""
    if name == "apply":
        return apply(ctx, cls)
    found = ctx.interp.class_attribute(cls, name)
    if found is None:
        return UNKNOWN

    ctx.emit("autograd-function", "method", ("autograd-function-method",))
    return ctx.interp.call_eagerly(found, ctx.args, ctx.frame, ctx.node)


def context_attribute(context: Instance, name: str) -> Value | None:
    """Return a method of the context of ``forward`` and ``backward``."""
    methods = ("save_for_backward", "save_for_forward", "mark_dirty", "mark_non_differentiable")
    if name in methods or name == "set_materialize_grads" or name in _C_METHODS:
        return BuiltinMethod(context, name)
    return None


def check_deleted(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> None:
    """Report ``del ctx.scale``, which Dynamo takes for a call of an unknown method."""
    if isinstance(value, Instance) and value.cls == ExternalName(CONTEXT):
        interp.emit(frame, node, "autograd-function", "context", ("autograd-function-context-method",))


def call_context(ctx: CallContext, context: Instance, name: str) -> Value:
    """``ctx.save_for_backward(...)`` and similar."""
    if name == "save_for_backward":
        context.attrs["saved_tensors"] = Seq("tuple", None if ctx.args.star is not None else ctx.args.pos, UNKNOWN)
        ctx.interp.summary_cache.on_change(context.uid)
    elif name in _C_METHODS:
        ctx.emit("autograd-function", "context", ("autograd-function-context-method",))
    elif name == "mark_dirty" and context.attrs.get("__gradient__") == Const(False):
        ctx.emit("autograd-function", "mark_dirty", ("autograd-function-context-mark-dirty",))
    return NONE
