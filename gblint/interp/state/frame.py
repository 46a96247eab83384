"""What the interpreter keeps while it runs a function: its frame, its mode, and the summary that it leaves behind."""

from __future__ import annotations

import ast
from typing import Literal

from gblint.diagnostics.findings import BreakEvent, Category, Confidence, OptionSource, Span
from gblint.interp.state import trace_ir
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


@dataclass(frozen=True, slots=True)
class EventInMode:
    """A break event with the mode that it happened in."""

    event: BreakEvent
    error_on_break: bool | None
    said: OptionSource | None


@dataclass(frozen=True, slots=True)
class NoEffect:
    """Something that a region does to no effect: ``subject`` at ``span``, with a word on it."""

    subject: Literal["toggle", "compile-inside", "mark-on-method"]
    span: Span
    word: str = ""


@dataclass(slots=True, eq=False)
class FunctionSummary:
    """What one function does with one kind of arguments.

    ``reads`` holds what it asks of the layout of a gradient, in code that is traced for the backward pass; ``quiet``
    the modules of the functions below it that nothing is to be said of.
    """

    function: str
    module: Module | None
    result: Value = BOTTOM
    running: bool = True
    recursive: bool = False
    events: dict[tuple[int, int, str, str], EventInMode] = field(default_factory=dict)
    calls: dict[tuple[int, int], tuple[Span, FunctionSummary]] = field(default_factory=dict)
    updates: list[tuple[Value, Value]] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)
    quiet: set[Module] = field(default_factory=set)
    locals: tuple[Function, dict[str, Value]] | None = None
    body: trace_ir.Body = field(default_factory=dict)
    is_generator: bool = False
    notes: dict[NoEffect, None] = field(default_factory=dict)

    def call(self, span: Span, callee: FunctionSummary) -> None:
        """Notes that this function calls ``callee`` at ``span``."""
        self.reads |= callee.reads
        if callee is not self and (callee.events or callee.calls or callee.notes or callee.running):
            self.calls[(span.line, id(callee))] = (span, callee)
        elif callee is not self and callee.module is not None:
            self.quiet |= callee.quiet
            self.quiet.add(callee.module)


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


def span_of(module: Module, node: ast.AST) -> Span:
    """Where ``node`` stands, in the terms of the reports."""
    line = getattr(node, "lineno", 1)
    return Span(
        module.display,
        line,
        getattr(node, "col_offset", 0) + 1,
        getattr(node, "end_lineno", line) or line,
        (getattr(node, "end_col_offset", 0) or 0) + 1,
    )


def record(
    frame: Frame,
    node: ast.AST,
    kind: str,
    subject: str,
    gb_ids: tuple[str, ...],
    confidence: Confidence,
    *,
    operand: str = "Tensor",
    extra: tuple[str, ...] = (),
    category: Category = Category.GRAPH_BREAK,
) -> bool:
    """Notes a break event at ``node``, unless this code is not traced; tells whether it is a certain break."""
    if not frame.mode.tracing:
        return False
    if frame.mode.rare:
        confidence = Confidence.POSSIBLE
    else:
        confidence = _less_sure(confidence, frame.guarded and confidence is Confidence.CERTAIN, frame.mode.unusual)
    place = (getattr(node, "lineno", 1), getattr(node, "col_offset", 0), kind, subject)
    if frame.mode.hop and category is Category.GRAPH_BREAK:
        category = Category.COMPILE_ERROR
        if kind != "higher-order":
            extra = (*extra, "hop")
    if category is Category.GRAPH_BREAK:
        trace_ir.broke(frame, node, place, gb_ids)
    old = frame.summary.events.get(place)
    certain = confidence is Confidence.CERTAIN and category is Category.GRAPH_BREAK
    if old is not None and old.event.confidence.rank >= confidence.rank:
        return certain
    event = BreakEvent(
        kind,
        subject,
        span_of(frame.module, node),
        frame.summary.function,
        gb_ids,
        confidence,
        operand,
        "",
        frozenset((*frame.context, *extra)),
        category,
    )
    frame.summary.events[place] = EventInMode(event, frame.mode.error_on_break, frame.mode.said)
    return certain


def _less_sure(confidence: Confidence, *doubts: bool) -> Confidence:
    """``confidence``, lower by one step for each doubt."""
    levels = (Confidence.POSSIBLE, Confidence.LIKELY, Confidence.CERTAIN)
    return levels[max(levels.index(confidence) - sum(doubts), 0)]
