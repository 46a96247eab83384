"""Autograd in the region: ``requires_grad_``, and with ``trace_autograd_ops`` ``backward`` and ``torch.autograd.grad``.

The models follow ``method_requires_grad_`` and ``method_backward`` (torch/_dynamo/variables/tensor.py) and
``handle_autograd_grad`` (torch/_dynamo/variables/torch.py): autograd's graph must lie within the region, and a tensor
whose graph was freed must not leave it.
"""

from __future__ import annotations

import ast

from gblint.interp.domain import call_state, dataflow, reach
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import BOOL, FALSE, NONE, TRUE, UNKNOWN, Const, Tensor, Value, members
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.objects import ExternalObject, FunctionNode, Instance

_LEAVES = frozenset(("leaf", "parameter"))
EDGE = "torch.autograd.graph.GradientEdge"


def made(tensor: Tensor, receiver: Value | None, args: Args, frame: Frame) -> Tensor:
    """Return the result of a call with its autograd history: a requested leaf, or computed from operands."""
    if args.kw.get("requires_grad") == TRUE and not frame.mode.tracing:
        return replace(tensor, grad_provenance="leaf", requires_grad=True)
    operands = args.pos if receiver is None else (receiver, *args.pos)
    return carry(tensor, operands, frame)


def carry(value: Tensor, operands: tuple[Value, ...], frame: Frame) -> Tensor:
    """Return ``value`` with the autograd history of its operands."""
    if value.ndarray or not operands:
        return value
    found = {v.grad_provenance for o in operands for v in members(o) if isinstance(v, Tensor)}
    if "outside" in found or (found & _LEAVES and not frame.mode.tracing and frame.mode.grad):
        return replace(value, grad_provenance="outside")
    return value


# -- requires_grad_ --------------------------------------------------------------------------------------------------


def require(ctx: CallContext, tensor: Tensor) -> None:
    """``tensor.requires_grad_()``: breaks for an input, and for a tensor that was made in the region and leaves it.

    In ``backward`` of an autograd function it does not: the results leave it without their history, and the inputs of
    ``forward`` that it was given require a gradient.
    """
    if ctx.frame.mode.backward_kind == "backward":
        return
    wanted = ctx.args.get(0, "requires_grad") or TRUE
    if not ctx.frame.mode.tracing:
        return
    if not isinstance(wanted, Const):
        # An input that the region has made a leaf is mostly set back to what it was.
        if tensor.is_input and tensor.grad_provenance == "leaf":
            ctx.emit("tensor-method", "requires_grad_", ("tensor-requires-grad-call",), about=tensor, likely=True)
        return
    if tensor.requires_grad == wanted.value:
        return
    if tensor.is_input:
        # Hardly any input but a parameter requires a gradient, and parameters are known.
        if wanted.value or tensor.requires_grad:
            ctx.emit("tensor-method", "requires_grad_", ("tensor-requires-grad-call",), about=tensor)
            if isinstance(ctx.node, ast.Call) and isinstance(ctx.node.func, ast.Attribute):
                note_set(ctx.interp, ctx.frame, ctx.node.func.value, tensor, wanted)
        return
    if ctx.frame.function is None or not wanted.value or not isinstance(ctx.node, ast.Call):
        return
    function = ctx.frame.function.node
    names = dataflow.bound_by(function, ctx.node)
    receiver = ctx.node.func.value if isinstance(ctx.node.func, ast.Attribute) else None
    if isinstance(receiver, ast.Name):
        names = None if names is None else names | {receiver.id}
        if ctx.frame.variables.get(receiver.id) == tensor:
            ctx.frame.variables[receiver.id] = replace(tensor, grad_provenance="leaf", requires_grad=True)
    tainted = None if names is None else dataflow.derived(function, names)
    if tainted is None or tainted & dataflow.returned(function):
        _leaks(ctx.interp, tensor, ctx.frame, ctx.node)
    else:
        ctx.frame.autograd.pending.append((ctx.node, tensor, tainted))


def note_set(interp: Interpreter, frame: Frame, place: ast.expr, tensor: Tensor, wanted: Value) -> None:
    """Note in the variable or attribute at ``place`` that its tensor is made a leaf, or no longer one."""
    if isinstance(place, ast.Name) and frame.variables.get(place.id) == tensor:
        frame.variables[place.id] = with_gradient(tensor, wanted)
    elif isinstance(place, ast.Attribute):
        owner = interp.eval(place.value, frame)
        if isinstance(owner, Instance) and interp.get_attribute(owner, place.attr, frame, place) == tensor:
            call_state.note_eager(interp, owner, place.attr, tensor)
            interp.store_attribute(owner, place.attr, with_gradient(tensor, wanted))


def set_outside(ctx: CallContext, tensor: Tensor) -> Tensor:
    """Return the result of ``tensor.requires_grad_()`` outside of a region, and note it in the variable."""
    wanted = ctx.args.get(0, "requires_grad") or TRUE
    if isinstance(ctx.node, ast.Call) and isinstance(ctx.node.func, ast.Attribute):
        note_set(ctx.interp, ctx.frame, ctx.node.func.value, tensor, wanted)
    return with_gradient(tensor, wanted)


def with_gradient(tensor: Tensor, wanted: Value) -> Tensor:
    """Return the tensor after ``requires_grad_(wanted)``."""
    if not isinstance(wanted, Const) or not isinstance(wanted.value, bool):
        return replace(tensor, requires_grad=None, grad_provenance="")
    return replace(tensor, requires_grad=wanted.value, grad_provenance="leaf" if wanted.value else "frozen")


def required(tensor: Tensor) -> Value:
    """Return ``tensor.requires_grad``: it is known of a leaf that code outside makes, and by default of a parameter.

    Other code may train a parameter again that is frozen.
    """
    if tensor.grad_provenance == "frozen":
        return reach.expected(BOOL, FALSE)
    if tensor.requires_grad and tensor.grad_provenance == "leaf":
        return TRUE
    return reach.expected(BOOL, TRUE) if tensor.requires_grad else BOOL


def check_pending(interp: Interpreter, frame: Frame) -> None:
    """Check at the end of a function: a later break passes the tensors that are still needed to the next graph."""
    for node, tensor, tainted in frame.autograd.pending:
        line = getattr(node, "lineno", 0)
        below = [place[0] for place in frame.summary.events if place[0] > line]
        if frame.function is not None and any(dataflow.needed_from(frame.function.node, tainted, b) for b in below):
            _leaks(interp, tensor, frame, node)


def _leaks(interp: Interpreter, tensor: Tensor, frame: Frame, node: ast.AST) -> None:
    if not frame.mode.captures:
        receiver = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
        given = isinstance(receiver, ast.Name) and receiver.id in frame.parameters
        # After the break a callee is compiled alone, and its arguments are inputs.
        causes = (
            ("tensor-requires-grad-call", "requires-grad-intermediate-leaked")
            if given and frame.depth > 1
            else ("requires-grad-intermediate-leaked",)
        )
        interp.emit(frame, node, "tensor-method", "requires_grad_", causes, about=tensor)
    elif frame.depth == 1 and frame.function is not None:
        # Dynamo finds it when the graph is finished, and reports the first line of the function.
        interp.emit(
            frame,
            _beginning(frame.function.node),
            "tensor-method",
            "requires_grad_",
            ("returning-requires-grad-intermediate",),
            about=tensor,
        )


def _beginning(function: FunctionNode) -> ast.AST:
    line = min([function.lineno, *(d.lineno for d in getattr(function, "decorator_list", []))])
    column = function.col_offset
    return ast.Pass(lineno=line, col_offset=column, end_lineno=line, end_col_offset=column)


# -- backward and grad -----------------------------------------------------------------------------------------------


def backward(ctx: CallContext, loss: Tensor) -> None:
    """``loss.backward(...)`` where Dynamo traces it."""
    inputs = ctx.args.get(3, "inputs")
    for value in _flat(inputs):
        if isinstance(value, Tensor) and not value.is_input:
            subject, cause = (
                ("made-leaf", "backward-with-in-graph-created-tensor")
                if value.grad_provenance in _LEAVES
                else ("non-leaf", "backward-with-non-leaf-tensor")
            )
            ctx.emit("traced-autograd", subject, (cause,), about=value)
            return
    if isinstance(inputs, Seq) and inputs.items == ():
        ctx.emit("traced-autograd", "no-inputs", ("backward-with-empty-inputs",))
        return
    receiver = (
        ctx.node.func.value if isinstance(ctx.node, ast.Call) and isinstance(ctx.node.func, ast.Attribute) else None
    )
    _consume(ctx, receiver)


def grad(ctx: CallContext) -> Value:
    """``torch.autograd.grad(outputs, inputs, ...)``."""
    inputs = ctx.args.get(1, "inputs")
    result = _gradients(inputs)
    if not ctx.frame.mode.tracing:
        return result
    if not ctx.frame.mode.config.trace_autograd:
        ctx.emit("autograd", "torch.autograd.grad", ("autograd-grad-without-trace-autograd-ops",))
        return result
    refused = _refused(ctx.args.get(0, "outputs"), inputs)
    if refused is not None:
        ctx.emit("traced-autograd", refused[0], (refused[1],))
        return result
    outputs = ctx.node.args[0] if isinstance(ctx.node, ast.Call) and ctx.node.args else None
    _consume(ctx, outputs)
    return result


def _gradients(inputs: Value | None) -> Value:
    if isinstance(inputs, Mapping):
        return Mapping(tuple((k, Tensor()) for k, _ in inputs.entries), Tensor())
    count = len(inputs.items) if isinstance(inputs, Seq) and inputs.items is not None else None
    if isinstance(inputs, Tensor):
        count = 1
    return Seq("tuple", None, Tensor()) if count is None else Seq("tuple", (Tensor(),) * count)


def _refused(outputs: Value | None, inputs: Value | None) -> tuple[str, str] | None:
    """Return the cause for arguments that are not tensors of this region; None if they are valid."""
    for value in (outputs, inputs):
        if isinstance(value, Mapping) and any(not isinstance(k, Const) for k in _keys(value)):
            return "key", "autograd-grad-with-non-constant-dict-key"
        if value == NONE or isinstance(value, Iterator) or (isinstance(value, Seq) and "set" in value.cls):
            return "type", "autograd-grad-argument-type"
        if any(isinstance(v, ExternalObject) and v.cls == EDGE and v.pre_existing for v in _flat(value)):
            return "edge", "autograd-grad-with-external-gradientedge"
    stops = {v.grad_provenance for v in _flat(inputs) if isinstance(v, Tensor)}
    external = any(isinstance(v, Tensor) and v.grad_provenance == "outside" for v in _flat(outputs))
    return ("outside", "autograd-grad-with-external-grad-fn") if external and "outside" not in stops else None


def _keys(mapping: Mapping) -> tuple[Value, ...]:
    known = tuple(k for k, _ in mapping.entries)
    return (
        known if mapping.rest is None else (*known, *(k for k in members(mapping.keys) if type(k) is not type(UNKNOWN)))
    )


def _flat(value: Value | None) -> tuple[Value, ...]:
    if value is None:
        return ()
    if isinstance(value, Seq):
        return value.items if value.items is not None else (value.rest,)
    if isinstance(value, Mapping):
        return tuple(v for _, v in value.entries)
    return members(value)


def _consume(ctx: CallContext, outputs: ast.expr | None) -> None:
    """Note that the graph of the outputs is freed, unless it is retained."""
    if (
        TRUE in (ctx.args.kw.get("retain_graph"), ctx.args.kw.get("create_graph"))
        or ctx.frame.function is None
        or outputs is None
    ):
        return
    function = ctx.frame.function.node
    spent = dataflow.ancestors(function, dataflow.used(outputs))
    earlier = next(
        (place for place, names in ctx.frame.autograd.consumed if names & spent and place is not ctx.node), None
    )
    if earlier is not None:
        # The break here passes the first result to the next graph, so that the first call breaks too.
        ctx.emit(
            "traced-autograd",
            "twice",
            ("autograd-grad-with-external-grad-fn", "autograd-grad-with-already-consumed-grad-fn"),
            likely=True,
        )
        ctx.interp.emit(
            ctx.frame,
            earlier,
            "traced-autograd",
            "returned",
            ("autograd-grad-consumed-grad-fn-of-output",),
            likely=True,
        )
    elif dataflow.derived(function, spent) & dataflow.returned(function):
        ctx.emit("traced-autograd", "returned", ("autograd-grad-consumed-grad-fn-of-output",), likely=True)
    ctx.frame.autograd.consumed.append((ctx.node, spent))


def is_grad_enabled(ctx: CallContext) -> Value:
    """``torch.is_grad_enabled()``: as the region or its callers set it, and true by default."""
    enabled = TRUE if ctx.frame.mode.grad else FALSE
    return enabled if ctx.frame.mode.grad_is_set else reach.expected(BOOL, enabled)


HANDLERS: dict[str, Handler] = {"torch.autograd.grad": grad, "torch.is_grad_enabled": is_grad_enabled}
