"""What the interpreter keeps while it runs a function: its frame, its mode, and the summary that it leaves behind."""

from __future__ import annotations

import ast
from typing import Literal

from gblint.diagnostics.entry_point import OptionSource
from gblint.interp.state import trace_ir
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass, field, replace
from gblint.values.base import BOTTOM, Tensor, Value
from gblint.values.lattice import join
from gblint.values.objects import Class, Function, Scope


@dataclass(frozen=True, slots=True)
class TracingMode:
    """How code is being run.

    ``tracing`` is false for code that runs eagerly, before or beside the compiled region. ``skips`` is set where such
    code is skipped alone, so that Dynamo compiles what it calls: "next" for the function called next, "body" in that
    function. ``fullgraph`` is true under ``fullgraph=True``, ``captures`` where scalars and dynamic shapes are captured
    besides. ``error_on_break`` is what ``error_on_graph_break`` says here, None where it says nothing, and ``said`` the
    line that says so. ``rare`` is true under a condition that holds in
    runs out of the ordinary only, where a break is possible and no more; ``unusual`` under one that holds only where
    somebody changed a default, where a break is less sure by one step. ``hop`` is true in the functions that
    ``torch.cond`` and its kin are given: they have to be captured whole, so that a break there raises whatever the
    mode; ``body`` is true in these and in those of operators that fall back to Python, such as
    ``torch.utils.checkpoint.checkpoint``. ``grad`` is false under ``torch.no_grad()``, ``dynamic`` true with
    ``dynamic=True``. ``strict`` is set in code that is traced for the backward pass, where the layout of a gradient is
    not known: ``backward`` of an autograd function, or a ``hook`` of a tensor. The rest is what
    ``torch._dynamo.config`` was seen to be set to; ``ignored`` holds the logging functions that are reordered or left
    out, ``reordered`` those that are reordered.
    """

    tracing: bool = True
    skips: Literal["", "next", "body"] = ""
    fullgraph: bool = False
    captures: bool = False
    error_on_break: bool | None = None
    said: OptionSource | None = None
    capture_scalars: bool = False
    capture_shapes: bool = False
    rare: bool = False
    unusual: bool = False
    hop: bool = False
    body: bool = False
    grad: bool = True
    strict: Literal["", "backward", "hook"] = ""
    peer_to_peer: bool = False
    export: bool = False
    allow_rnn: bool = False
    traces_classes: bool = False
    rewrites_asserts: bool = True
    trace_numpy: bool = True
    numpy_stream: bool = False
    trace_autograd: bool = False
    parameter_breaks: bool = True
    dynamic: bool = False
    trace_contextlib: bool = True
    trace_unittest: bool = False
    ignored: frozenset[str] = frozenset()
    reordered: frozenset[str] = frozenset()

    @property
    def keeps_scalars(self) -> bool:
        """Whether a number that is read out of a tensor stays in the graph."""
        return self.captures or self.capture_scalars

    def eager(self) -> TracingMode:
        """The same, outside of any compiled region."""
        return replace(self, tracing=False, skips="") if self.tracing or self.skips else self

    def skipping(self) -> TracingMode:
        """The same for a function that is skipped alone: Dynamo compiles what it calls."""
        return replace(self, tracing=False, skips="next") if self.tracing else self

    def of_callee(self) -> TracingMode:
        """The mode of a function that is called in this one."""
        if not self.skips:
            return self
        return replace(self, skips="body") if self.skips == "next" else replace(self, tracing=True, skips="")

    def under(self, rare: bool) -> TracingMode:
        """The same, under a condition that is ``rare`` or not."""
        return replace(self, rare=True) if rare and not self.rare else self

    def off_default(self, unusual: bool) -> TracingMode:
        """The same, on a side of a condition that is ``unusual`` or not."""
        return replace(self, unusual=True) if unusual and not self.unusual else self


@dataclass(slots=True)
class LoopStates:
    """The states in which the statements of a loop body are left early."""

    breaks: list[dict[str, Value]] = field(default_factory=list)
    continues: list[dict[str, Value]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Frame:
    """One run of a function body, a module body or a class body.

    ``refined`` has the variables of which attributes may be known by name.

    ``guarded`` is true in the part of a statement that a condition in the same statement may pass over. ``usual`` says
    of conditions that are not decided how they usually turn out.
    """

    module: Module
    scope: Scope
    summary: FunctionSummary
    mode: TracingMode
    function: Function | None = None
    owner: Class | None = None
    class_body: Class | None = None
    depth: int = 0
    result: Value = BOTTOM
    yields: Value = BOTTOM
    loops: list[LoopStates] = field(default_factory=list)
    context: list[str] = field(default_factory=list)
    outer_names: dict[str, Scope | None] = field(default_factory=dict)
    handlers: list[list[dict[str, Value]]] = field(default_factory=list)
    left: list[dict[str, Value]] = field(default_factory=list)
    mutated: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    refined: set[str] = field(default_factory=set)
    is_generator: bool = False
    known_true: set[str] = field(default_factory=set)
    body: trace_ir.Body = field(default_factory=dict)
    pending: list[tuple[ast.AST, Tensor, set[str]]] = field(default_factory=list)
    consumed: list[tuple[ast.AST, set[str]]] = field(default_factory=list)
    guarded: bool = False
    usual: dict[ast.expr, bool] = field(default_factory=dict)

    @property
    def parameters(self) -> frozenset[str]:
        """The names of the parameters of the function that is run."""
        if self.function is None:
            return frozenset()
        spec = self.function.node.args
        return frozenset(a.arg for a in ast_walk.walk(spec) if isinstance(a, ast.arg))

    @property
    def variables(self) -> dict[str, Value]:
        """The local variables, by name; refined attributes are under names such as ``@self.x``."""
        return self.scope.cells

    @variables.setter
    def variables(self, value: dict[str, Value]) -> None:
        self.scope.cells = value


def join_variables(states: list[dict[str, Value]]) -> dict[str, Value]:
    """One state for several: what is bound in some of them only is kept, except what was refined in some only."""
    first = states[0]
    if len(states) == 1:
        return first
    out = dict(first)
    for state in states[1:]:
        for name, value in state.items():
            old = out.get(name)
            if old is None:
                out[name] = value
            elif old is not value:
                out[name] = join(old, value)
    for name in [n for n in out if n[0] == "@" and any(n not in s for s in states)]:
        del out[name]
    return out
