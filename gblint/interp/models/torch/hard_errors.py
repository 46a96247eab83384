"""Hard errors: Dynamo raises in every mode, without a break or fallback, and the compiled function fails."""

from __future__ import annotations

import ast
import re

from gblint.diagnostics.break_event import Category
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.events import Emission
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import NONE, UNKNOWN, Tensor, Value, members
from gblint.values.containers import Seq
from gblint.values.objects import ExternalObject, Function
from gblint.values.wrapped import CustomOperator, LeafFunction, Wrapped


def refuse(
    interp: Interpreter,
    frame: Frame,
    node: ast.AST,
    subject: str,
    causes: tuple[str, ...] = (),
    about: Value | None = None,
) -> None:
    """Record that Dynamo raises at ``node``."""
    interp.emit_event(frame, node, Emission("compile-error", subject, causes, about, category=Category.COMPILE_ERROR))


def forbidden(name: str) -> Handler:
    """Return the model of a function that must not be traced (``is_forbidden`` in torch/_dynamo/trace_rules.py)."""

    def handler(ctx: CallContext) -> Value:
        refuse(ctx.interp, ctx.frame, ctx.node, name)
        return NONE if name.rpartition(".")[2].startswith(("mark", "maybe")) else UNKNOWN

    return handler


def check_data(ctx: CallContext, name: str, data: Value) -> None:
    """Report ``torch.as_tensor([t, u])``, which reads its items one by one; fake tensors have no values."""
    found = _computed(data, 0) if isinstance(data, Seq) else None
    if found is not None:
        refuse(ctx.interp, ctx.frame, ctx.node, name, ("runtime-error-in-fake-tensor-call",), found)


def _computed(value: Value, depth: int) -> Tensor | None:
    """Return whether a tensor that is not constant is among the items of nested sequences."""
    if isinstance(value, Tensor):
        return None if value.constant or value.ndarray else value
    if isinstance(value, Seq) and value.items is not None and depth < 4:
        return next((t for t in (_computed(item, depth + 1) for item in value.items) if t is not None), None)
    return _computed(value.rest, depth + 1) if isinstance(value, Seq) and depth < 4 else None


def check_mask(interp: Interpreter, index: Value, frame: Frame, node: ast.AST) -> None:
    """Report a mask of bytes, which eager PyTorch treats as bool and which has no fake implementation."""
    if any(isinstance(v, Tensor) and v.dtype == "uint8" and not v.ndarray for v in members(index)):
        refuse(interp, frame, node, "byte-mask", ("runtime-error-in-fake-tensor-call",), index)


def where(ctx: CallContext) -> None:
    """``torch.where(mask, a, b)``."""
    if len(ctx.args.pos) == 3:
        check_mask(ctx.interp, ctx.args.pos[0], ctx.frame, ctx.node)


def check_number(ctx: CallContext, value: Value) -> None:
    """Report ``int`` and ``float`` of a ``Decimal``, which recurse infinitely (UserDefinedObjectVariable of
    torch/_dynamo).
    """
    if any(isinstance(v, ExternalObject) and v.cls == "decimal.Decimal" for v in members(value)):
        refuse(ctx.interp, ctx.frame, ctx.node, "decimal-number")


# -- operators that need a fake implementation -------------------------------------------------------------------------

_FAKES = r"register_fake|register_abstract|impl_abstract|register_torch_dispatch"


def check_operator(interp: Interpreter, function: Wrapped, frame: Frame, node: ast.AST) -> None:
    """Check a call of a custom operator or leaf function, which needs a fake implementation."""
    if (
        not isinstance(function, (CustomOperator, LeafFunction))
        or not frame.mode.tracing
        or not isinstance(function.function, Function)
    ):
        return
    written = function.function
    if isinstance(written.node, ast.Lambda):
        return
    if written.node not in interp.caches.has_fake:
        interp.caches.has_fake[written.node] = _has_fake(interp, written)
    if interp.caches.has_fake[written.node]:
        return
    if isinstance(function, LeafFunction):
        refuse(interp, frame, node, "leaf-function")
    elif not only_mutates(written.node):
        refuse(interp, frame, node, "custom-operator", ("runtime-error-in-fake-tensor-call",))


def _has_fake(interp: Interpreter, function: Function) -> bool:
    """Return whether anything in the project may register a fake implementation."""
    short = function.name.rpartition(".")[2]
    own = re.compile(rf"\b{re.escape(short)}\s*\.\s*(?:{_FAKES})\b")
    if own.search(function.module.source):
        return True
    by_name = re.compile(rf"\b(?:{_FAKES}|register_meta|impl)\b")
    modules = interp.project.user_modules()
    return any(interp.project.mentions(each, (short,)) and by_name.search(each.source) for each in modules)


def only_mutates(node: ast.AST) -> bool:
    """Return whether a custom operator returns nothing and changes its arguments: torch makes the fake for it."""
    return _returns_nothing(node) and _mutates(node)


def _returns_nothing(node: ast.AST) -> bool:
    returns = getattr(node, "returns", None)
    return isinstance(returns, ast.Constant) and returns.value is None


def _mutates(node: ast.AST) -> bool:
    """Return whether the decorator declares a mutated argument."""
    calls = [d for d in getattr(node, "decorator_list", ()) if isinstance(d, ast.Call)]
    values = [k.value for call in calls for k in call.keywords if k.arg == "mutates_args"]
    return any(not (isinstance(v, (ast.Tuple, ast.List)) and not v.elts) for v in values)


HANDLERS: dict[str, Handler] = {
    name: forbidden(name)
    for name in (
        "torch.compiler.set_enable_guard_collectives",
        "torch._dynamo.mark_dynamic",
        "torch._dynamo.maybe_mark_dynamic",
        "torch._dynamo.mark_static_address",
        "torch._dynamo.decorators.mark_unbacked",
    )
}
