"""``torch.optim.Optimizer``: what its ``__init__`` sets for a ``step`` written in Python, and the steps of torch."""

from __future__ import annotations

import ast

from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext, Handler
from gblint.values.base import NONE, TENSOR, UNKNOWN, Const, Tensor, Value
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import Instance

BASES = ("torch.optim.Optimizer", "torch.optim.optimizer.Optimizer")
_PARAMETER = Tensor(is_input=True)


def fill(instance: Instance, args: Args) -> None:
    """``Optimizer.__init__(params, defaults)``.

    A group holds its parameters and the defaults; the state is a ``defaultdict(dict)`` by parameter.
    """
    given = args.get(1, "defaults")
    defaults = given if isinstance(given, Mapping) else Mapping((), UNKNOWN)
    params = (Const("params"), Seq("list", None, _PARAMETER))
    group = Mapping((*defaults.entries, params), defaults.rest)
    instance.attrs.setdefault("defaults", defaults)
    instance.attrs.setdefault("param_groups", Seq("list", None, join_all((group,))))
    instance.attrs.setdefault("state", Mapping((), Mapping((), UNKNOWN), _PARAMETER))


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
