"""The state of a running function: its frame and its tracing mode."""

from __future__ import annotations

import ast
from typing import Final, Literal

from gblint.diagnostics.entry_point import OptionSource
from gblint.interp.state.path_conditions import PathCondition
from gblint.interp.state.trace_ir import Body, FunctionSummary
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass, field, replace
from gblint.values.base import BOTTOM, Tensor, Value
from gblint.values.lattice import join
from gblint.values.objects import Class, Function, Scope

MAX_ROUNDS = 512
"""How often the body of loops or comprehensions within one another runs, if they are unrolled."""


@dataclass(frozen=True, slots=True)
class DynamoConfig:
    """The settings of ``torch._dynamo.config`` that change where Dynamo breaks, as the project sets them.

    ``dynamo_config`` maps the names of the settings to these fields.

    ignored: the logging functions that are reordered or left out; ``reordered`` those that are reordered.
    disallowed, allowed: the functions without source under ``disallow_in_graph`` and ``allow_in_graph``.
    """

    capture_scalars: bool = False
    capture_shapes: bool = False
    peer_to_peer: bool = False
    allow_rnn: bool = False
    traces_classes: bool = False
    rewrites_asserts: bool = True
    trace_numpy: bool = True
    numpy_stream: bool = False
    trace_autograd: bool = False
    parameter_breaks: bool = True
    trace_contextlib: bool = True
    trace_unittest: bool = False
    compliant_only: bool = False
    ignored: frozenset[str] = frozenset()
    reordered: frozenset[str] = frozenset()
    disallowed: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()


DEFAULT_CONFIG = DynamoConfig()


@dataclass(frozen=True, slots=True)
class TracingMode:
    """The way code is run: traced or eagerly, and under which options.

    tracing: false for code that runs eagerly, before or beside the compiled region.
    skips: set where such code is skipped alone, so that Dynamo compiles what it calls: "next" for the function called
        next, "body" in that function.
    fullgraph: the region is compiled with ``fullgraph=True``.
    captures: scalars and dynamic shapes are captured, as under ``fullgraph=True`` from torch 2.10 on.
    error_on_break: the value of ``error_on_graph_break`` in force, None if it is not set.
    option_source: the line that sets it.
    unlikely_branch: the code stands under a condition that holds in unusual runs only; a break is merely possible.
    non_default_branch: the code stands under a condition that holds only if a default was changed; a break is less
        certain by one level.
    in_higher_order_op: the code is passed to ``torch.cond`` or a similar operator and must be captured whole, so that a
        break raises in every mode.
    forbids_side_effects: the same, or the code is passed to an operator that falls back to Python, such as
        ``torch.utils.checkpoint.checkpoint``.
    grad: false under ``torch.no_grad()``.
    grad_is_set: the region itself sets ``grad``; otherwise its callers may.
    backward_kind: set in code that is traced for the backward pass, where the layout of a gradient is unknown: the
        ``backward`` of an autograd function, or a ``hook`` of a tensor.
    export: the region is exported.
    dynamic: the argument ``dynamic`` of the compilation; None if it is not given.
    eager_source: outside of the region, the line of the stance under which compiled objects run eagerly.
    again: the entry point is called a second time, in the state in which the first call leaves the objects.
    catches: the names of the exception classes that the callers catch around the call; those that catch everything are
        left out.
    """

    tracing: bool = True
    skips: Literal["", "next", "body"] = ""
    fullgraph: bool = False
    captures: bool = False
    error_on_break: bool | None = None
    option_source: OptionSource | None = None
    unlikely_branch: bool = False
    non_default_branch: bool = False
    in_higher_order_op: bool = False
    forbids_side_effects: bool = False
    grad: bool = True
    grad_is_set: bool = False
    backward_kind: Literal["", "backward", "hook"] = ""
    export: bool = False
    dynamic: bool | None = None
    eager_source: OptionSource | None = None
    again: bool = False
    catches: frozenset[str] = frozenset()
    config: DynamoConfig = DEFAULT_CONFIG

    @property
    def keeps_scalars(self) -> bool:
        """Whether a number that is read from a tensor stays in the graph."""
        return self.captures or self.config.capture_scalars

    def eager(self) -> TracingMode:
        """Return the mode outside of any compiled region."""
        return replace(self, tracing=False, skips="") if self.tracing or self.skips else self

    def skipping(self) -> TracingMode:
        """Return the mode of a function that is skipped alone: Dynamo compiles what it calls."""
        return replace(self, tracing=False, skips="next") if self.tracing else self

    def rest_of_frame(self) -> TracingMode:
        """Return the mode of the rest of a frame, if it runs eagerly: Dynamo compiles the functions it calls."""
        return replace(self, tracing=False, skips="body") if self.tracing else self

    def of_callee(self) -> TracingMode:
        """Return the mode of a function that is called in this mode."""
        if not self.skips:
            return self
        return replace(self, skips="body") if self.skips == "next" else replace(self, tracing=True, skips="")

    def with_unlikely(self, unlikely: bool) -> TracingMode:
        """Return the mode under a condition, which may be an ``unlikely`` one."""
        return replace(self, unlikely_branch=True) if unlikely and not self.unlikely_branch else self

    def with_non_default(self, non_default: bool) -> TracingMode:
        """Return the mode on one side of a condition, which may be the ``non_default`` side."""
        return replace(self, non_default_branch=True) if non_default and not self.non_default_branch else self


@dataclass(slots=True)
class LoopStates:
    """The variables where the statements of a loop body are left early, by ``break`` and by ``continue``."""

    breaks: list[dict[str, Value]] = field(default_factory=list)
    continues: list[dict[str, Value]] = field(default_factory=list)


@dataclass(slots=True)
class ControlFlow:
    """The variables at the places where control leaves a body early.

    loops: one entry for each enclosing loop.
    handlers: for each enclosing ``try``, the variables where an exception is raised.
    recovers: for each enclosing ``try``, whether one of its handlers does not end with ``raise``.
    exit_states: the variables at each end of the function.
    pending_resume: whether the running statement has broken the graph, so that the next one is in a resume function.
    pending_guess: the same, if what the statement is guessed to take for a tensor is one.
    broken_node: the last operation that broke the graph.
    sets: the sets among these variables, which Dynamo takes as inputs from there on.
    objects: the objects in variables where the frame last broke, which Dynamo takes as inputs from there on.
    objects_from: the lowest uid of an object that Dynamo has made itself, since the frame began or last broke.
    region_from: the same since the region began or last broke, which may be in a caller.
    class_stores: the attributes of classes that were stored since the frame began or last broke, as the identity of
        the class and the name, with the path of the store.
    rounds: how often the enclosing loops and comprehensions that are unrolled run what is in them.
    usual_result: the results of the returns that may run with all defaults.
    rare_returns: for each of the other returns, whether a break there is less likely.
    """

    loops: list[LoopStates] = field(default_factory=list)
    handlers: list[list[dict[str, Value]]] = field(default_factory=list)
    recovers: list[bool] = field(default_factory=list)
    exit_states: list[dict[str, Value]] = field(default_factory=list)
    pending_resume: bool = False
    pending_guess: bool = False
    broken_node: ast.AST | None = None
    sets: dict[str, Value] = field(default_factory=dict)
    objects: dict[str, Value] = field(default_factory=dict)
    objects_from: int = 0
    region_from: int = 0
    class_stores: dict[tuple[int, str], PathCondition] = field(default_factory=dict)
    rounds: int = 1
    usual_result: Value = BOTTOM
    rare_returns: list[bool] = field(default_factory=list)

    def may_unroll(self, count: int) -> bool:
        """Return whether a loop over so many items may be unrolled here: loops in loops multiply the time."""
        return self.rounds == 1 or self.rounds * count <= MAX_ROUNDS


@dataclass(slots=True)
class ModulePosition:
    """The statement of a module that is evaluated at the moment.

    rebound: the names that the module binds several times.
    lines: the line of the statement, after those of the statements for the sake of which it is evaluated.
    values: the values of names after so many of their bindings.
    """

    rebound: frozenset[str]
    lines: list[int] = field(default_factory=list)
    values: dict[tuple[str, int], Value] = field(default_factory=dict)


@dataclass(slots=True)
class NameEffects:
    """Names of a function that refer to other scopes or whose values it changes.

    outer_names: names declared ``nonlocal`` or ``global``: the scope in which to look, None for a global.
    mutated: parameters whose values are changed in place; ``rebound`` are names that are assigned.
    position: of the top of a module, where in the module it is evaluated.
    """

    outer_names: dict[str, Scope | None] = field(default_factory=dict)
    mutated: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    position: ModulePosition | None = None


@dataclass(slots=True)
class AutogradUses:
    """Uses of autograd in a function.

    pending: calls of ``backward`` or ``torch.autograd.grad`` that are checked at the end of the function, each with its
        tensor and the names of variables that depend on it.
    consumed: calls that freed a graph, each with the names of variables whose graph is freed.
    """

    pending: list[tuple[ast.AST, Tensor, set[str]]] = field(default_factory=list)
    consumed: list[tuple[ast.AST, set[str]]] = field(default_factory=list)


@dataclass(slots=True)
class OpenConditions:
    """The undecided conditions of a function.

    likely_outcomes: how they turn out by default.
    levels: the levels of their outcomes, true and false; see ``Condition``.
    path: those on the path to what is run at the moment.
    decided: whether an ``if`` or ``match`` was decided, so that not all statements run.
    """

    likely_outcomes: dict[ast.expr, bool] = field(default_factory=dict)
    levels: dict[ast.expr, tuple[int, int]] = field(default_factory=dict)
    path: PathCondition = ()
    decided: bool = False


IS_GIVEN_UP: Final = "@<given up>"
"""The variable that is true on a path on which Dynamo has given up the frame: the rest of it runs eagerly."""


@dataclass(slots=True, eq=False)
class Frame:
    """One run of a function body, a module body or a class body.

    context: the kinds of statements around the current one.
    refined: the variables of which attributes are tracked under their access paths.
    body: the trace of the body that is run at the moment.
    guarded: true in the part of a statement that a condition in the same statement may skip.
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
    context: list[str] = field(default_factory=list)
    flow: ControlFlow = field(default_factory=ControlFlow)
    names: NameEffects = field(default_factory=NameEffects)
    refined: set[str] = field(default_factory=set)
    is_generator: bool = False
    known_true: dict[str, ast.expr] = field(default_factory=dict)
    body: Body = field(default_factory=dict)
    autograd: AutogradUses = field(default_factory=AutogradUses)
    guarded: bool = False
    conditions: OpenConditions = field(default_factory=OpenConditions)

    @property
    def parameters(self) -> frozenset[str]:
        """The names of the parameters of the running function."""
        if self.function is None:
            return frozenset()
        spec = self.function.node.args
        return frozenset(a.arg for a in ast_walk.walk(spec) if isinstance(a, ast.arg))

    def note_compiled_parameter(self, target: ast.expr | None) -> None:
        """Note that the running function compiles one of its parameters, if ``target`` names one."""
        if isinstance(target, ast.Name) and target.id in self.parameters and not self.mode.tracing:
            self.summary.compiled_arguments.parameters[target.id] = None

    def give_up(self, node: ast.AST, bound: str) -> None:
        """Note that a bound was reached at ``node``, so that not all of the region is followed."""
        if self.mode.tracing and not self.summary.cut:
            self.summary.cut = f"{bound} ({self.module.display}:{getattr(node, 'lineno', 1)})"

    @property
    def variables(self) -> dict[str, Value]:
        """The local variables by name; narrowed attributes by access path, such as ``@self.x``."""
        return self.scope.cells

    @variables.setter
    def variables(self, value: dict[str, Value]) -> None:
        self.scope.cells = value


def join_variables(states: list[dict[str, Value]]) -> dict[str, Value]:
    """Join states: a variable bound in some of them is kept, a narrowed attribute only if all have it."""
    first = states[0]
    if len(states) == 1:
        return first
    out = dict(first)
    for state in states[1:]:
        joined: dict[tuple[int, int], Value] = {}  # one object under two names stays one
        for name, value in state.items():
            old = out.get(name)
            if old is None:
                out[name] = value
            elif old is not value:
                both = (id(old), id(value))
                if both not in joined:
                    joined[both] = join(old, value)
                out[name] = joined[both]
    for name in [n for n in out if n[0] == "@" and any(n not in s for s in states)]:
        del out[name]
    return out
