"""Functions of torch that Dynamo handles itself, and the arguments that each refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from gblint.diagnostics.break_event import Category
from gblint.interp.domain import unbacked_symints
from gblint.interp.models.torch import pytrees
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.events import Emission
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import NONE, UNKNOWN, Const, Scalar, Tensor, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import BoundMethod, ExternalName, ExternalObject, Function, Instance, Scope
from gblint.values.wrapped import NonstrictFunction, Wrapped

SDPA_PARAMS: Final = "torch.backends.cuda.SDPAParams"
P2P: Final = "torch.distributed.P2POp"
_SDPA_FIELDS = frozenset(("query", "key", "value", "attn_mask", "dropout", "is_causal", "enable_gqa"))
_DEVICES = frozenset(
    "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia "
    "privateuseone".split()
)
_DEVICE_MODULE: Final = "torch.get_device_module"
_EVENT_METHODS = frozenset(("wait", "record", "synchronize", "query"))
_EVENT_CLASSES = ("torch.Event", "torch.cuda.Event", "torch.xpu.Event")


def wrong(interp: Interpreter, frame: Frame, node: ast.AST, kind: str, subject: str, cause: str) -> None:
    """Record a call that Python refuses as well, so that the region raises unless the error is caught there."""
    category = Category.GRAPH_BREAK if "try" in frame.context else Category.COMPILE_ERROR
    interp.emit_event(frame, node, Emission(kind, subject, (cause,), category=category))


# -- explicit breaks -------------------------------------------------------------------------------------------------


def explicit_break(name: str, cause: str) -> Handler:
    """``torch._dynamo.graph_break`` and similar."""

    def handler(ctx: CallContext) -> Value:
        ctx.emit("explicit-break", name, (cause,))
        return NONE

    return handler


# -- devices, streams, events ----------------------------------------------------------------------------------------


def _is_device(value: Value) -> bool:
    """Return whether a value may name a device."""
    if isinstance(value, Const):
        if isinstance(value.value, str):
            return value.value.partition(":")[0] in _DEVICES
        return value.value is None or (type(value.value) is int and value.value >= 0)
    return not isinstance(value, (Tensor, Seq, Mapping, Function))


def device_call(name: str, arguments_id: str, device_id: str) -> Handler:
    """Return the model of a function that takes one device."""

    def handler(ctx: CallContext) -> Value:
        given = (*ctx.args.pos, *ctx.args.kw.values())
        if ctx.args.star is None and ctx.args.kwstar is None and (len(given) > 1 or set(ctx.args.kw) - {"device"}):
            wrong(ctx.interp, ctx.frame, ctx.node, "device-call", name, arguments_id)
        elif given and not _is_device(given[0]):
            wrong(ctx.interp, ctx.frame, ctx.node, "device-call", name, device_id)
        elif given and name == _DEVICE_MODULE and isinstance(given[0], Const) and isinstance(given[0].value, str):
            return ExternalName(f"torch.{given[0].value.partition(':')[0]}")
        return UNKNOWN

    return handler


def event(ctx: CallContext) -> Value:
    """``torch.Event(device)``, and the events of CUDA and XPU, which Dynamo treats like it."""
    return ExternalObject("torch.Event", pre_existing=not ctx.frame.mode.tracing)


def event_method(name: str) -> Handler:
    """Return the model of a method of an event: Dynamo supports four of them."""

    def handler(ctx: CallContext) -> Value:
        if name not in _EVENT_METHODS:
            ctx.emit("device-call", f"torch.Event.{name}", ("unsupported-event-method",))
        return UNKNOWN

    return handler


# -- torch._check ----------------------------------------------------------------------------------------------------


def check(name: str) -> Handler:
    """``torch._check(cond, message)``: the message is a function made in the region that closes over constants."""

    def handler(ctx: CallContext) -> Value:
        if ctx.frame.mode.tracing and isinstance(ctx.node, ast.Call) and ctx.node.args:
            unbacked_symints.learn(ctx.node.args[0], ctx.frame)
        message = ctx.args.get(1, "message")
        if message is None or message == NONE or not ctx.frame.mode.tracing:
            return NONE
        if isinstance(message, (Const, Scalar, BoundMethod)) or (
            isinstance(message, Function) and not made_here(message, ctx.frame)
        ):
            ctx.emit("check-message", name, ("torch-check-message-not-extracted",))
        elif isinstance(message, Function) and any(_is_computed(v) for v in _closure(message)):
            ctx.emit("check-message", f"{name}-closure", ("torch-check-message-closure",))
        return NONE

    return handler


def check_is_size(ctx: CallContext) -> Value:
    """``torch._check_is_size(n)``: it states that a number is not negative."""
    if ctx.frame.mode.tracing and isinstance(ctx.node, ast.Call) and ctx.node.args:
        unbacked_symints.learn(ast.Compare(ctx.node.args[0], [ast.GtE()], [ast.Constant(0)]), ctx.frame)
    return NONE


def made_here(function: Function, frame: Frame) -> bool:
    """Return whether a function was made by the running code."""
    scope: Scope | None = frame.scope
    while scope is not None:
        if function.scope is scope:
            return frame.function is not None
        scope = scope.parent
    return False


def _closure(function: Function) -> Iterable[Value]:
    """Return the variables of enclosing functions that a function uses."""
    names = {n.id for n in ast_walk.walk(function.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    own = {a.arg for a in ast_walk.walk(function.node.args) if isinstance(a, ast.arg)}
    for name in names - own:
        value = None if function.scope is None else function.scope.lookup(name)
        if value is not None:
            yield value


def _is_computed(value: Value) -> bool:
    return isinstance(value, (Tensor, Seq, Mapping)) and any(isinstance(v, Tensor) for v in (value, *_items(value)))


def _items(value: Value) -> tuple[Value, ...]:
    if isinstance(value, Seq):
        return value.items if value.items is not None else (value.rest,)
    return tuple(v for _, v in value.entries) if isinstance(value, Mapping) else ()


# -- torch.distributed -----------------------------------------------------------------------------------------------


def collective(name: str) -> Handler:
    """Return the model of a collective that enters the graph, unless it is asynchronous."""

    def handler(ctx: CallContext) -> Value:
        if ctx.args.kw.get("async_op") == Const(True):
            ctx.emit("collective", f"torch.distributed.{name}", ("async-distributed-collective",))
            return ExternalObject("torch.distributed.Work", pre_existing=False)
        return NONE

    return handler


def peer_to_peer(name: str, cause: str) -> Handler:
    """``isend`` and ``irecv``, which Dynamo leaves to Python by default."""

    def handler(ctx: CallContext) -> Value:
        if not ctx.frame.mode.config.peer_to_peer:
            ctx.emit("collective", f"torch.distributed.{name}", (cause,))
        return ExternalObject(P2P, pre_existing=not ctx.frame.mode.tracing) if name == "P2POp" else UNKNOWN

    return handler


# -- functions that take tensors -------------------------------------------------------------------------------------


def of_tensors(ctx: CallContext, name: str) -> None:
    """Report arguments that no operator takes: a number for a tensor, a tensor for a sequence of tensors."""
    last = name.rpartition(".")[2]
    first = ctx.args.first
    if not ctx.frame.mode.tracing or name != f"torch.{last}" or not ctx.args.pos:
        return
    number = isinstance(first, (Const, Scalar)) and first != NONE
    if (last in _UNARY and number) or (last in _OF_SEQUENCES and isinstance(first, Tensor) and first.proven):
        wrong(ctx.interp, ctx.frame, ctx.node, "operator-arguments", name, "type-error-in-fake-tensor-call")


_UNARY = frozenset(
    "sin cos tan asin acos atan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p sqrt rsqrt abs neg sign floor ceil "
    "round square reciprocal sigmoid erf relu isnan isinf isfinite".split()
)
_OF_SEQUENCES = frozenset(("cat", "concat", "stack", "hstack", "vstack", "dstack"))


def operator_packet(ctx: CallContext, name: str) -> None:
    """Report ``torch.ops.aten.add(x, "a")``, for which there is no overload."""
    if name.rpartition(".")[0] == "torch.ops.aten" and ctx.frame.mode.tracing:
        text = any(isinstance(v, Const) and isinstance(v.value, str) for v in ctx.args.pos)
        if name.rpartition(".")[2] in ("add", "sub", "mul", "maximum", "minimum", "pow", "eq", "lt", "gt") and text:
            wrong(ctx.interp, ctx.frame, ctx.node, "operator-arguments", name, "op-packet-resolution-error")


def outputs(ctx: CallContext) -> None:
    """Check ``out=``: it must not be empty, and must be contiguous."""
    out = ctx.args.kw.get("out")
    if out is None or not ctx.frame.mode.tracing:
        return
    if isinstance(out, Tensor):
        if out.length == 0:
            ctx.emit("out-argument", "shape", ("out-tensor-shape-mismatch",), about=out)
        elif out.transposed:
            ctx.emit("out-argument", "strides", ("out-tensor-not-contiguous",), about=out)
    elif isinstance(out, Seq):
        tensors = [v for v in _items(out) if isinstance(v, Tensor)]
        if any(t.length == 0 for t in tensors):
            ctx.emit("out-argument", "shape", ("out-list-shape-mismatch",))
        elif any(t.transposed for t in tensors):
            ctx.emit("out-argument", "strides", ("out-list-not-contiguous",))


def output_ranks(ctx: CallContext, result: Value) -> None:
    """Report ``out=`` whose rank is known to differ from that of the result."""
    out = ctx.args.kw.get("out")
    if out is None or not ctx.frame.mode.tracing:
        return
    if isinstance(out, Tensor) and isinstance(result, Tensor):
        if _ranks_differ(out, result):
            ctx.emit("out-argument", "other-rank", ("out-tensor-shape-mismatch",), about=out)
    elif isinstance(out, Seq) and isinstance(result, Seq) and result.items is not None:
        if any(_ranks_differ(each, made) for each, made in zip(_items(out), result.items, strict=False)):
            ctx.emit("out-argument", "other-rank", ("out-list-shape-mismatch",))


def _ranks_differ(out: Value, result: Value) -> bool:
    """Return whether the ranks of two tensors are known to differ; an empty tensor is reported before.

    ``out=`` of NumPy is copied into (``normalize_outarray`` in torch/_numpy/_normalizations.py).
    """
    if not isinstance(out, Tensor) or not isinstance(result, Tensor) or out.length == 0 or out.ndarray:
        return False
    return out.proven and result.proven and None not in (out.rank, result.rank) and out.rank != result.rank


def guard_scalar(ctx: CallContext) -> Value:
    """``torch.fx.experimental.symbolic_shapes.guard_scalar(n)``."""
    if any(isinstance(v, Tensor) for v in members(ctx.args.first)) and ctx.frame.mode.tracing:
        wrong(
            ctx.interp,
            ctx.frame,
            ctx.node,
            "operator-arguments",
            "torch.fx.experimental.symbolic_shapes.guard_scalar",
            "guard-scalar-branch",
        )
    return ctx.args.first


def autograd_grad(ctx: CallContext) -> Value:
    """``torch._functorch.eager_transforms._autograd_grad(outputs, inputs)``."""
    if ctx.frame.mode.tracing and any(isinstance(v, (Const, Mapping)) for v in ctx.args.pos[:2]):
        wrong(
            ctx.interp,
            ctx.frame,
            ctx.node,
            "operator-arguments",
            "torch._functorch.eager_transforms._autograd_grad",
            "internal-autograd-grad-argument-type",
        )
    return UNKNOWN


def n_tuple(count: int) -> Handler:
    """``torch.nn.modules.utils._pair`` and similar: for sequences and constants."""

    def handler(ctx: CallContext) -> Value:
        value = ctx.args.first
        if isinstance(value, Instance) and "__items__" not in value.attrs:
            ctx.emit("operator-arguments", "torch.nn.modules.utils._ntuple", ("ntuple-with-unsupported-argument-type",))
        return value if isinstance(value, Seq) else Seq("tuple", (value,) * count)

    return handler


def wrap_triton(ctx: CallContext) -> Value:
    """``torch.library.wrap_triton(kernel)``."""
    if ctx.frame.mode.tracing and ctx.args.star is None and len(ctx.args.pos) + len(ctx.args.kw) != 1:
        wrong(
            ctx.interp,
            ctx.frame,
            ctx.node,
            "operator-arguments",
            "torch.library.wrap_triton",
            "wrap-triton-with-extra-arguments",
        )
    return ctx.args.first


def sdpa_params(ctx: CallContext) -> Value:
    """``torch.backends.cuda.SDPAParams(...)``."""
    ctx.emit("call", SDPA_PARAMS, ("call-of-skipped-function",))
    return ExternalObject(SDPA_PARAMS, pre_existing=not ctx.frame.mode.tracing)


def sdpa_attribute(interp: Interpreter, base: ExternalObject, name: str, frame: Frame, node: ast.AST) -> None:
    """``params.name``: Dynamo looks up the attributes of the C++ struct."""
    if base.cls == SDPA_PARAMS and name not in _SDPA_FIELDS and not name.startswith("__") and frame.mode.tracing:
        wrong(interp, frame, node, "operator-arguments", f"{SDPA_PARAMS}.attribute", "sdpa-params-attribute")


# -- functions that enter the graph untraced ---------------------------------------------------------------------------


def constant_result(ctx: CallContext, function: Wrapped) -> None:
    """A call under ``assume_constant_result``, whose arguments must be constant."""
    if ctx.frame.mode.tracing and any(_is_computed(v) and not isinstance(v, Tensor) for v in ctx.args.all()):
        ctx.emit("unseen-function", "constant-argument", ("assume-constant-result-argument",))


def apply_nonstrict(interp: Interpreter, function: Value, frame: Frame, node: ast.AST) -> None:
    """``nonstrict_trace(f)`` where ``f`` is made in the region."""
    if isinstance(function, Function) and frame.mode.tracing and made_here(function, frame):
        interp.emit(frame, node, "unseen-function", "made-here", ("limitation-of-nonstrict-trace",))


def nonstrict_arguments(ctx: CallContext) -> bool:
    """Return whether a function under ``nonstrict_trace`` gets an unsupported argument, which is reported."""

    if not ctx.frame.mode.tracing:
        return False
    for value in ctx.args.all():
        cause = pytrees.refused(ctx.interp, value)
        if cause is not None:
            subject = "module" if cause == "leaf-function-module-without-source" else "argument"
            ctx.emit("unseen-function", subject, (cause,))
            return True
    return False


def nonstrict_result(interp: Interpreter, result: Value, frame: Frame, node: ast.AST) -> None:
    """Report an unsupported result of a function under ``nonstrict_trace``: it returns tensors and numbers only."""

    if frame.mode.tracing and any(pytrees.is_no_output(leaf) for leaf in pytrees.leaves(result)):
        interp.emit(frame, node, "unseen-function", "result", ("nonstrict-trace-output-type",))


def nonstrict(ctx: CallContext) -> Value:
    """``torch._dynamo.nonstrict_trace(f)``."""
    if not ctx.args.pos:
        return ExternalName("torch._dynamo.nonstrict_trace")
    apply_nonstrict(ctx.interp, ctx.args.pos[0], ctx.frame, ctx.node)
    return NonstrictFunction(ctx.args.pos[0])


_SYMBOLIC = "torch.fx.experimental.symbolic_shapes"
HANDLERS: dict[str, Handler] = {
    "torch._dynamo.graph_break": explicit_break("torch._dynamo.graph_break", "explicit-graph-break"),
    "torch._dynamo.skip_frame": explicit_break("torch._dynamo.skip_frame", "explicit-skip-frame"),
    "torch._dynamo.step_unsupported": explicit_break("torch._dynamo.step_unsupported", "explicit-step-unsupported"),
    "torch._dynamo.comptime.comptime.graph_break": explicit_break(
        "torch._dynamo.comptime.graph_break", "comptime-graph-break"
    ),
    _DEVICE_MODULE: device_call(
        _DEVICE_MODULE, "get-device-module-improper-arguments", "get-device-module-bad-device-argument"
    ),
    **{
        f"torch.{place}.current_stream": device_call(
            f"torch.{place}.current_stream",
            "current-stream-unsupported-arguments",
            "current-stream-bad-device-argument",
        )
        for place in ("accelerator", "cuda", "xpu")
    },
    **dict.fromkeys(_EVENT_CLASSES, event),
    **{f"torch.Event.{n}": event_method(n) for n in (*_EVENT_METHODS, "elapsed_time", "ipc_handle")},
    **{
        f"torch.{n}": check(f"torch.{n}")
        for n in ("_check", "_check_with", "_check_index", "_check_value", "_check_type", "_check_not_implemented")
    },
    "torch._check_is_size": check_is_size,
    **{
        f"torch.distributed.{n}": collective(n)
        for n in (
            "all_reduce",
            "all_gather",
            "all_gather_into_tensor",
            "reduce_scatter_tensor",
            "all_to_all_single",
        )
    },
    "torch.distributed.isend": peer_to_peer("isend", "isend-irecv-without-p2p-compilation"),
    "torch.distributed.irecv": peer_to_peer("irecv", "isend-irecv-without-p2p-compilation"),
    "torch.distributed.batch_isend_irecv": peer_to_peer(
        "batch_isend_irecv", "batch-isend-irecv-without-p2p-compilation"
    ),
    P2P: peer_to_peer("P2POp", "p2pop-construction"),
    f"{_SYMBOLIC}.guard_scalar": guard_scalar,
    "torch._functorch.eager_transforms._autograd_grad": autograd_grad,
    **{
        f"torch.nn.modules.utils.{n}": n_tuple(count)
        for n, count in (("_single", 1), ("_pair", 2), ("_triple", 3), ("_quadruple", 4))
    },
    "torch.library.wrap_triton": wrap_triton,
    SDPA_PARAMS: sdpa_params,
    "torch._C._SDPAParams": sdpa_params,
    "torch._dynamo.nonstrict_trace": nonstrict,
    "torch._dynamo.decorators.nonstrict_trace": nonstrict,
}
