"""``torch.optim.Optimizer``: what its ``__init__`` sets for a ``step`` written in Python, and the steps of torch."""

from __future__ import annotations

import ast
import re

from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.runtime import ast_walk
from gblint.values.base import NONE, TENSOR, UNKNOWN, Const, Scalar, Tensor, Value
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import Class, Instance

# The optimizers of torch, such as ``torch.optim.RMSprop`` and ``torch.optim.adam.Adam``, but no scheduler.
_OPTIMIZER = re.compile(r"torch\.optim\.(?:(?!lr_scheduler|swa_utils)[a-z_]+\.)?[A-Z]\w*")
_PARAMETER = Tensor(is_input=True)


def is_optimizer(cls: Class) -> bool:
    """Return whether a class inherits from an optimizer of torch."""
    return any(_OPTIMIZER.fullmatch(name) for name in cls.externals)


def skipped_base(cls: Class) -> str | None:
    """Return the base class of an optimizer or a scheduler, whose ``__init__`` Dynamo skips; None for others."""
    if is_optimizer(cls):
        return "torch.optim.Optimizer"
    schedulers = "torch.optim.lr_scheduler."
    return f"{schedulers}LRScheduler" if any(name.startswith(schedulers) for name in cls.externals) else None


def fill(instance: Instance, args: Args) -> None:
    """``Optimizer.__init__(params, defaults)``; the defaults of another optimizer of torch are not known.

    A group holds its parameters and the defaults; the state is a ``defaultdict(dict)`` by parameter.  A number among
    the defaults that a method stores again has another value in the next call.
    """
    given = args.get(1, "defaults")
    defaults = given if isinstance(given, Mapping) else Mapping((), UNKNOWN)
    params = (Const("params"), Seq("list", None, _PARAMETER))
    stored = _stored_keys(instance.cls) if isinstance(instance.cls, Class) else frozenset()
    entries = tuple([(key, _changing(value) if key in stored else value) for key, value in defaults.entries])
    group = Mapping((*entries, params), defaults.rest)
    instance.attrs.setdefault("defaults", defaults)
    instance.attrs.setdefault("param_groups", Seq("list", None, join_all((group,))))
    instance.attrs.setdefault("state", Mapping((), Mapping((), UNKNOWN), _PARAMETER))


def _stored_keys(cls: Class) -> frozenset[Value]:
    """Return the constant keys that methods of ``cls`` store in dicts, as in ``group["step"] += 1``."""
    stores = [
        node
        for owner in cls.mro
        for method in owner.node.body
        if isinstance(method, ast.FunctionDef) and method.name != "__init__"
        for node in ast_walk.walk(method)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    ]
    return frozenset(Const(node.slice.value) for node in stores if isinstance(node.slice, ast.Constant))


def _changing(value: Value) -> Value:
    """Return a number that changes from call to call; other values stay."""
    kind = type(value.value).__name__ if isinstance(value, Const) else ""
    return Scalar(kind) if kind in ("bool", "int", "float") else value  # type: ignore[arg-type]


def step(ctx: CallContext) -> Value:
    """``optimizer.step()``.

    A wrapper breaks the graph on purpose (``_use_grad_for_differentiable`` in torch/optim/optimizer.py); the step
    itself is a graph.
    """
    ctx.emit("explicit-break", "torch.optim.Optimizer.step", ("explicit-graph-break",))
    # The node of the call stands for the break.
    trace_builder.record_operator(ctx.frame, ctx.node.func if isinstance(ctx.node, ast.Call) else ast.Pass(), TENSOR)
    return NONE


HANDLERS: dict[str, Handler] = {"torch.optim.Optimizer.step": step}
