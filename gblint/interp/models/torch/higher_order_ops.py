"""Higher-order operators such as ``torch.cond``: they take functions that Dynamo must capture whole.

Their conditions come from torch/_dynamo/variables/higher_order_ops.py; each violation raises in every mode, unless the
operator is documented here to fall back to Python.
"""

from __future__ import annotations

from collections.abc import Sequence

from gblint.diagnostics.break_event import Category
from gblint.interp.models.python import function_objects
from gblint.interp.models.torch import captured_functions
from gblint.interp.models.torch.operand_trees import (
    _LEAF,
    Numbered,
    is_sequence,
    is_static,
    items_of,
    leaves_of,
    shares_output,
    slices,
    stacked,
    structure,
)
from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.events import Emission
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import NONE, UNKNOWN, Const, Scalar, Tensor, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import ExternalName, Function, Instance, Partial, is_nn_module


def refuse(ctx: CallContext, subject: str, cause: str, *, likely: bool = False) -> Value:
    """Record that the operator raises; there is no result."""
    ctx.emit_event(Emission("higher-order", subject, (cause,), likely=likely, category=Category.COMPILE_ERROR))
    return UNKNOWN


# -- functions passed to an operator ------------------------------------------------------------------------------


def run(
    ctx: CallContext, function: Value, inputs: Sequence[Value], *, effects: bool = False
) -> tuple[Value, str | None]:
    """Return the result of a body that must be captured whole, and the cause if it violates the rules."""
    numbered = Numbered(ctx.interp, ctx.node)
    args = Args(tuple(numbered.value(v) for v in inputs))
    ctx.interp.capture.written -= {*numbered.numbers, captured_functions.CAPTURED}
    with captured_functions.captured(ctx.interp, function, ctx.frame, whole=True, effects=effects) as body:
        result = ctx.call(function, args)
    if body.reported:
        return result, None
    if not captured_functions.restored(body):
        return result, "hop-non-nullified-side-effect"
    written = ctx.interp.capture.written & {*numbered.numbers, captured_functions.CAPTURED}
    if written and not effects:
        return result, "input-mutation-in-higher-order-op"
    leaves = leaves_of(result)
    if any(isinstance(v, Tensor) and v.operand_id in numbered.numbers for v in leaves) or shares_output(function):
        return result, "aliasing-in-higher-order-op"
    return result, None


# -- torch.cond ---------------------------------------------------------------------------------------------------


def conditional(ctx: CallContext) -> Value:
    """``torch.cond(pred, true_fn, false_fn, operands)``."""
    predicate = ctx.args.get(0, "pred")
    branches = [v for v in (ctx.args.get(1, "true_fn"), ctx.args.get(2, "false_fn")) if v is not None]
    operands = ctx.args.get(3, "operands")
    inputs = items_of(ctx, operands)
    chosen = _chosen(predicate, branches)
    if chosen:
        return join_all(ctx.call(branch, Args(inputs)) for branch in chosen)
    if not ctx.frame.mode.tracing:
        return join_all(ctx.call(branch, Args(inputs)) for branch in branches)
    if isinstance(predicate, (Seq, Mapping, Function)):
        return refuse(ctx, "predicate", "cond-improper-predicate")
    if not is_sequence(operands):
        return refuse(ctx, "operands", "cond-improper-operands")
    if any(isinstance(leaf, (Function, ExternalName)) or is_nn_module(leaf) for v in inputs for leaf in leaves_of(v)):
        return refuse(ctx, "operands", "cond-improper-operand-contents")
    if any(isinstance(branch, Tensor) for branch in branches):
        return refuse(ctx, "function", "hop-non-callable-variable")
    results = []
    for branch in branches:
        result, wrong = run(ctx, branch, inputs)
        if wrong is not None and (ctx.frame.mode.grad or wrong == "hop-non-nullified-side-effect"):
            return _against_the_rules(
                ctx, wrong, likely=wrong in ("aliasing-in-higher-order-op", "input-mutation-in-higher-order-op")
            )
        results.append(result)
        for leaf in leaves_of(result):
            if is_static(leaf):
                return refuse(ctx, "output", "hop-body-output-unsupported")
            if isinstance(leaf, Scalar) and leaf.origin == "data":
                return refuse(ctx, "output", "cond-branch-return-type")
        if NONE in leaves_of(result):
            return refuse(ctx, "output", "cond-branch-return-type-non-int-constant")
    if len(results) == 2:
        cause = _differ(*results)
        if cause is not None:
            return refuse(ctx, "branches", cause)
    return join_all(results) if results else UNKNOWN


def _chosen(predicate: Value | None, branches: list[Value]) -> list[Value]:
    """Return the branches that Dynamo inlines for a predicate that is a number; none if it may be a tensor."""
    numbers = () if predicate is None else members(predicate)
    if not numbers or not all(
        isinstance(each, Const) or (isinstance(each, Scalar) and each.origin != "data") for each in numbers
    ):
        return []
    truths = {bool(each.value) if isinstance(each, Const) else None for each in numbers}
    return branches if len(truths) > 1 or None in truths else branches[: 1 if True in truths else 2][-1:]


def _against_the_rules(ctx: CallContext, cause: str, *, likely: bool = False) -> Value:
    subject = {
        "input-mutation-in-higher-order-op": "mutation",
        "aliasing-in-higher-order-op": "aliasing",
        "hop-non-nullified-side-effect": "attribute",
    }[cause]
    return refuse(ctx, subject, cause, likely=likely)


def _differ(left: Value, right: Value) -> str | None:
    """Return the cause for two branches that return different kinds of values."""
    a, b = structure(left), structure(right)
    if a is None or b is None:
        return None
    if a != b:
        return "runtime-error-in-fake-tensor-call" if _LEAF in (a, b) else "cond-differing-branch-outputs"
    for x, y in zip(leaves_of(left), leaves_of(right)):
        if isinstance(x, Tensor) and isinstance(y, Tensor):
            if None not in (x.rank, y.rank) and x.rank != y.rank:
                return "runtime-error-in-fake-tensor-call"
            if None not in (x.dtype, y.dtype) and x.dtype != y.dtype:
                return "runtime-error-in-fake-tensor-call"
    return None


def cond_operator(ctx: CallContext) -> Value:
    """``torch.ops.higher_order.cond``: without a default for the operands."""
    if len(ctx.args.pos) + len(ctx.args.kw) != 4 and ctx.args.star is None and ctx.args.kwstar is None:
        return refuse(ctx, "arguments", "cond-improper-arguments")
    return conditional(ctx)


# -- loops --------------------------------------------------------------------------------------------------------


def while_loop(ctx: CallContext) -> Value:
    """``while_loop(cond_fn, body_fn, carried_inputs)``."""
    carried = ctx.args.get(2, "carried_inputs")
    return _while(ctx, ctx.args.get(0, "cond_fn"), ctx.args.get(1, "body_fn"), carried, ())


def while_operator(ctx: CallContext) -> Value:
    """``torch.ops.higher_order.while_loop(cond_fn, body_fn, carried_inputs, additional_inputs)``."""
    if ctx.args.star is not None or len(ctx.args.pos) != 4:
        return UNKNOWN
    if ctx.args.kw:
        return refuse(ctx, "arguments", "while-loop-improper-arguments")
    condition, body, carried, additional = ctx.args.pos
    if not is_sequence(additional):
        return refuse(ctx, "additional-inputs", "while-loop-improper-additional-inputs")
    more = items_of(ctx, additional)
    if any(isinstance(v, Instance) for v in more):
        return refuse(ctx, "inputs", "hop-body-taking-non-tensor-as-input")
    return _while(ctx, condition, body, carried, more)


def _while(
    ctx: CallContext, condition: Value | None, body: Value | None, carried: Value | None, more: tuple[Value, ...]
) -> Value:
    inputs = items_of(ctx, carried)
    if condition is None or body is None or not inputs or not ctx.frame.mode.tracing:
        return UNKNOWN
    # A number carried from one iteration to the next is unknown while tracing.
    inputs = tuple(_carried(v) for v in inputs)
    answer, wrong = run(ctx, condition, (*inputs, *more))
    if wrong == "hop-non-nullified-side-effect" or (
        wrong == "input-mutation-in-higher-order-op" and ctx.frame.mode.grad
    ):
        return _against_the_rules(ctx, wrong, likely=wrong == "input-mutation-in-higher-order-op")
    if isinstance(answer, Tensor) and (answer.rank not in (0, None) or answer.dtype not in ("bool", None)):
        return refuse(ctx, "condition", "while-loop-cond-fn-return-type")
    if isinstance(answer, Const) and answer.value:
        return refuse(ctx, "condition", "while-loop-infinite")
    result, wrong = run(ctx, body, (*inputs, *more))
    if wrong is not None and (ctx.frame.mode.grad or wrong != "input-mutation-in-higher-order-op"):
        return _against_the_rules(ctx, wrong, likely=wrong == "input-mutation-in-higher-order-op")
    if any(is_static(leaf) for leaf in leaves_of(result)):
        return refuse(ctx, "output", "hop-body-output-unsupported")
    return carried if carried is not None else UNKNOWN


def _carried(value: Value) -> Value:
    if isinstance(value, Tensor):
        return replace(value, constant=False)
    return Scalar("int", "data") if _is_int(value) else value


def _is_int(value: Value) -> bool:
    if isinstance(value, Const):
        return isinstance(value.value, int)
    return isinstance(value, Scalar) and value.kind in ("int", "bool")


def scan(ctx: CallContext) -> Value:
    """``scan(combine_fn, init, xs)``."""
    combine, init, xs = ctx.args.get(0, "combine_fn"), ctx.args.get(1, "init"), ctx.args.get(2, "xs")
    if combine is None or init is None or xs is None or not ctx.frame.mode.tracing:
        return UNKNOWN
    result, wrong = run(ctx, combine, (init, *slices([xs])))
    if wrong is not None:
        return _against_the_rules(ctx, wrong)
    if isinstance(result, Tensor) or (isinstance(result, Seq) and result.items is not None and len(result.items) != 2):
        return refuse(ctx, "output", "scan-combine-fn-number-of-returns")
    if isinstance(result, Seq) and result.items is not None:
        return Seq("tuple", (init, stacked(result.items[1])))
    return UNKNOWN


def scan_operator(ctx: CallContext) -> Value:
    """``torch.ops.higher_order.scan(combine_fn, init, xs, additional_inputs)``, which ``scan`` calls."""
    if len(ctx.args.pos) != 4 or ctx.args.kw or ctx.args.star is not None or not ctx.frame.mode.tracing:
        return UNKNOWN
    combine, init, xs, additional = ctx.args.pos
    if isinstance(combine, Function):
        return refuse(ctx, "function", "scan-improper-combine-fn")
    if not is_sequence(xs):
        return refuse(ctx, "inputs", "scan-improper-xs")
    if not is_sequence(init):
        return refuse(ctx, "inputs", "scan-improper-init")
    if init == Seq("list", ()) or init == Seq("tuple", ()):
        return refuse(ctx, "inputs", "scan-no-init-leaves")
    if not is_sequence(additional):
        return refuse(ctx, "additional-inputs", "scan-improper-additional-inputs")
    if _is_empty(items_of(ctx, xs)):
        return refuse(ctx, "empty", "scan-zero-sized-tensor")
    for values in (init, xs, additional):
        if any(isinstance(v, (Const, Scalar)) for v in items_of(ctx, values)):
            return refuse(ctx, "inputs", "hop-non-torch-tensor-leaf")
    return UNKNOWN


def _is_empty(items: tuple[Value, ...]) -> bool:
    return bool(items) and isinstance(items[0], Tensor) and items[0].length == 0


def associative_scan(ctx: CallContext) -> Value:
    """``associative_scan(combine_fn, xs, dim)``: in mode "generic" it is plain Python, which is inlined."""
    combine, xs = ctx.args.get(0, "combine_fn"), ctx.args.get(1, "xs")
    if combine is None or xs is None or not ctx.frame.mode.tracing:
        return UNKNOWN
    if ctx.args.get(4, "combine_mode") == Const("generic"):
        ctx.call(combine, Args((xs, xs)))
    return xs


def associative_operator(ctx: CallContext) -> Value:
    """``torch.ops.higher_order.associative_scan(combine_fn, xs, additional_inputs)``."""
    if len(ctx.args.pos) != 3 or ctx.args.kw or ctx.args.star is not None or not ctx.frame.mode.tracing:
        return UNKNOWN
    combine, xs, additional = ctx.args.pos
    if isinstance(combine, Partial):
        return refuse(ctx, "arguments", "associative-scan-improper-arguments")
    if isinstance(combine, Tensor):
        return refuse(ctx, "function", "hop-non-callable-variable")
    if not is_sequence(xs):
        return refuse(ctx, "inputs", "associative-scan-improper-xs")
    items = items_of(ctx, xs)
    if any(isinstance(v, (Const, Scalar)) for v in items):
        return refuse(ctx, "inputs", "hop-non-torch-tensor-leaf")
    if not is_sequence(additional):
        return refuse(ctx, "additional-inputs", "associative-scan-improper-additional-inputs")
    if _is_empty(items):
        return refuse(ctx, "empty", "associative-scan-zero-sized-tensor")
    one = tuple(slices(items))
    result, wrong = run(ctx, combine, (*one, *one, *items_of(ctx, additional)))
    if wrong is not None:
        return _against_the_rules(ctx, wrong)
    if result == Seq("tuple", ()) or result == Seq("list", ()):
        return refuse(ctx, "output", "associative-scan-combine-fn-leaves")
    shape = structure(result)
    if shape is not None and structure(xs) not in (None, shape):
        return refuse(ctx, "output", "associative-scan-input-output-structure")
    return xs


def mapped(ctx: CallContext) -> Value:
    """``torch._higher_order_ops.map(f, xs, *args)``."""
    if not ctx.frame.mode.tracing or ctx.args.star is not None or ctx.args.kwstar is not None:
        return UNKNOWN
    function, xs, more = ctx.args.get(0, "f"), ctx.args.get(1, "xs"), ctx.args.pos[2:]
    if ctx.args.kw.keys() - {"f", "xs"} or function is None or xs is None:
        return refuse(ctx, "arguments", "inline-argument-binding-failure")
    if isinstance(xs, Tensor) and xs.length == 0:
        return refuse(ctx, "empty", "observed-exception")
    if any(isinstance(v, Instance) for v in more):
        return refuse(ctx, "inputs", "hop-body-taking-non-tensor-as-input")
    result, wrong = run(ctx, function, (*slices([xs]), *more))
    return _checked_map(ctx, result, wrong)


def map_operator(ctx: CallContext) -> Value:
    """``torch.ops.higher_order.map_impl(f, xs, args)``."""
    if ctx.args.kw and ctx.frame.mode.tracing:
        return refuse(ctx, "arguments", "map-keyword-arguments")
    if len(ctx.args.pos) != 3 or ctx.args.star is not None or not ctx.frame.mode.tracing:
        return UNKNOWN
    items = items_of(ctx, ctx.args.pos[1])
    if items and isinstance(items[0], Tensor) and (items[0].rank == 0 or items[0].length == 0):
        return refuse(ctx, "empty", "map-improper-inputs")
    more = items_of(ctx, ctx.args.pos[2])
    result, wrong = run(ctx, ctx.args.pos[0], (*slices(items), *more))
    return _checked_map(ctx, result, wrong)


def _checked_map(ctx: CallContext, result: Value, wrong: str | None) -> Value:
    if wrong is not None:
        return _against_the_rules(ctx, wrong)
    leaves = leaves_of(result)
    if any(is_static(leaf) for leaf in leaves):
        return refuse(ctx, "output", "hop-body-output-unsupported")
    if any(isinstance(leaf, (Const, Scalar)) and leaf != NONE for leaf in leaves):
        return refuse(ctx, "output", "hop-non-torch-tensor-leaf")
    return stacked(result)


# -- operators that wrap one function -----------------------------------------------------------------------------


def strict_mode(ctx: CallContext) -> Value:
    """``strict_mode(callable, operands)``."""
    return _strict(ctx, ctx.args.get(0, "callable"), ctx.args.get(1, "operands"))


def strict_operator(ctx: CallContext) -> Value:
    """``torch.ops.higher_order.strict_mode(callable, operands)``."""
    if ctx.args.kw and len(ctx.args.pos) == 2 and ctx.frame.mode.tracing:
        return refuse(ctx, "arguments", "strict-mode-unexpected-kwargs")
    return _strict(ctx, ctx.args.get(0, "callable"), ctx.args.get(1, "operands"))


def _strict(ctx: CallContext, function: Value | None, operands: Value | None) -> Value:
    if function is None or not ctx.frame.mode.tracing:
        return UNKNOWN
    inputs = items_of(ctx, operands)
    if any(isinstance(v, (Seq, Mapping)) for v in inputs):
        return refuse(ctx, "operands", "strict-mode-improper-args")
    with captured_functions.captured(ctx.interp, function, ctx.frame, whole=True):
        return ctx.call(function, Args(inputs))


def hints_wrapper(ctx: CallContext) -> Value:
    """``hints_wrapper(body_fn, args, kwargs, hints=...)``."""
    if ctx.args.star is not None or ctx.args.kwstar is not None or not ctx.frame.mode.tracing:
        return UNKNOWN
    mapping = ctx.args.pos[2] if len(ctx.args.pos) == 3 else None
    if (
        mapping is None
        or set(ctx.args.kw) != {"hints"}
        or not is_sequence(ctx.args.pos[1])
        or isinstance(mapping, (Seq, Const))
    ):
        return refuse(ctx, "arguments", "hints-wrapper-improper-args-kwargs")
    with captured_functions.captured(ctx.interp, ctx.args.pos[0], ctx.frame, whole=True):
        return ctx.call(ctx.args.pos[0], Args(items_of(ctx, ctx.args.pos[1])))


def out_dtype(ctx: CallContext) -> Value:
    """``out_dtype(op, dtype, *args)``."""
    return (
        refuse(ctx, "arguments", "out-dtype-unexpected-kwargs") if ctx.args.kw and ctx.frame.mode.tracing else Tensor()
    )


def call_delegate(ctx: CallContext) -> Value:
    """``executorch_call_delegate(lowered_module, *args)``."""
    if ctx.args.kw and ctx.frame.mode.tracing:
        return refuse(ctx, "arguments", "executorch-call-delegate-kwargs-not-supported")
    if ctx.args.pos and isinstance(ctx.args.pos[0], (Tensor, Function)) and ctx.frame.mode.tracing:
        return refuse(ctx, "function", "executorch-call-delegate-first-arg-not-supported")
    return UNKNOWN


def nested_region(ctx: CallContext, function: Value) -> Value:
    """A call of a ``torch.compiler.nested_compile_region`` function: its body is captured once and reused."""
    if not ctx.frame.mode.tracing:
        return ctx.call(function, ctx.args)
    if isinstance(function, Partial) or (isinstance(function, Instance) and not is_nn_module(function)):
        return refuse(ctx, "function", "non-function-in-invoke-subgraph")
    if ctx.args.kw or ctx.args.star is not None or ctx.args.kwstar is not None or not isinstance(function, Function):
        with captured_functions.captured(ctx.interp, function, ctx.frame, whole=True, effects=True):
            return ctx.call(function, ctx.args)
    result, wrong = run(ctx, function, ctx.args.pos, effects=True)
    return result if wrong is None else _against_the_rules(ctx, wrong)


def checkpoint(ctx: CallContext) -> Value:
    """``torch.utils.checkpoint.checkpoint(f, *args)``: captured whole, or the call runs in Python."""
    function_objects.context_function(ctx, ctx.args.kw.get("context_fn"))
    options = {"use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug", "early_stop"}
    kw = {k: v for k, v in ctx.args.kw.items() if k not in options}
    return _capture_or_run(ctx, Args(ctx.args.pos, kw, ctx.args.star, ctx.args.kwstar))


def wrapping(position: int) -> Handler:
    """Return the model of an operator that runs the function at ``position`` with the arguments after it.

    It is captured whole, or the call runs in Python (``WrapHigherOrderVariable`` and its relatives).
    """
    return lambda ctx: _capture_or_run(ctx, ctx.args.drop(position))


def _capture_or_run(ctx: CallContext, args: Args) -> Value:
    """Call the first of ``args`` with the others as the body of an operator that falls back to Python."""
    if not args.pos:
        return UNKNOWN
    # After a break inside it is called eagerly: it disables Dynamo for its callees.
    with (
        captured_functions.captured(ctx.interp, args.pos[0], ctx.frame, whole=False) as body,
        trace_builder.InBlock(ctx.frame, "disabled", ctx.node),
    ):
        result = ctx.call(args.pos[0], args.drop(1))
    if not captured_functions.restored(body):
        ctx.emit("higher-order", "attribute", ("hop-non-nullified-side-effect",))
    return result


def unsupported(cause: str) -> Handler:
    """Return the model of an operator that Dynamo leaves to Python."""

    def handler(ctx: CallContext) -> Value:
        ctx.emit("higher-order", "operator", (cause,))
        return UNKNOWN

    return handler


_OPS = "torch.ops.higher_order."
_PACKAGE = "torch._higher_order_ops."
HANDLERS: dict[str, Handler] = {
    "torch.cond": conditional,
    "torch.while_loop": while_loop,
    "torch.utils.checkpoint.checkpoint": checkpoint,
    f"{_PACKAGE}out_dtype.out_dtype": out_dtype,
    f"{_PACKAGE}strict_mode.strict_mode": strict_mode,
    f"{_PACKAGE}hints_wrap.hints_wrapper": hints_wrapper,
    f"{_PACKAGE}executorch_call_delegate": call_delegate,
    f"{_PACKAGE}executorch_call_delegate.executorch_call_delegate": call_delegate,
    f"{_PACKAGE}invoke_subgraph": unsupported("unsupported-invoke-subgraph"),
    f"{_PACKAGE}invoke_subgraph.invoke_subgraph": unsupported("unsupported-invoke-subgraph"),
    f"{_OPS}cond": cond_operator,
    f"{_OPS}while_loop": while_operator,
    f"{_OPS}scan": scan_operator,
    f"{_OPS}associative_scan": associative_operator,
    f"{_OPS}map_impl": map_operator,
    f"{_OPS}strict_mode": strict_operator,
    f"{_OPS}hints_wrapper": hints_wrapper,
    f"{_OPS}out_dtype": out_dtype,
    f"{_OPS}executorch_call_delegate": call_delegate,
    f"{_OPS}invoke_subgraph": unsupported("unsupported-invoke-subgraph"),
    **{
        f"{_OPS}{name}": unsupported("unsupported-higher-order-operator")
        for name in ("run_const_graph", "with_effects", "invoke_leaf_function", "flat_apply", "aoti_call_delegate")
    },
}
for _name, _position in (
    ("wrap", 0),
    ("wrap_activation_checkpoint", 0),
    ("tag_activation_checkpoint", 0),
    ("wrap_with_set_grad_enabled", 1),
    ("wrap_with_autocast", 4),
    ("dynamo_bypassing_wrapper", 1),
):
    for _place in (_OPS, _PACKAGE, f"{_PACKAGE}wrap."):
        HANDLERS[f"{_place}{_name}"] = wrapping(_position)
for _name, _handler in (
    ("cond", conditional),
    ("while_loop", while_loop),
    ("scan", scan),
    ("associative_scan", associative_scan),
    ("map", mapped),
):
    HANDLERS[f"{_PACKAGE}{_name}"] = HANDLERS[f"{_PACKAGE}{_name}.{_name}"] = _handler
    HANDLERS[f"functorch.experimental.control_flow.{_name}"] = _handler
