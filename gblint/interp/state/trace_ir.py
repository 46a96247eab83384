"""What a run of a function does, in order, as far as it matters for splitting the function into graphs.

While a frame is interpreted it keeps a *body*: operators, breaks and calls by the node at which they happen, so that
looking at an expression twice notes it once.  Where a statement begins there is its line.  Branches, loops and regions
hold bodies of their own.  ``consequences.py`` goes through them afterwards as Dynamo goes through the bytecode.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from gblint.diagnostics.break_event import BreakEvent
from gblint.diagnostics.entry_point import OptionSource
from gblint.diagnostics.span import Span
from gblint.interp.state import trace_ir
from gblint.project.modules import Module
from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.values.base import BOTTOM, Value
from gblint.values.objects import Function

if TYPE_CHECKING:
    pass

Place = tuple[int, int, str, str]
Site = tuple[int, int]
Body = dict[object, "TraceStep | int"]
RegionKind = Literal["try", "with", "manager", "enter", "comprehension", "generator", "disabled", "iteration"]


class TraceStep:
    """One thing that happens."""

    __slots__ = ()


@dataclass(slots=True)
class BreakStep(TraceStep):
    """A place where Dynamo gives up, and the kind of operation that it is."""

    place: Place
    operation: str
    node: ast.AST


@dataclass(slots=True)
class StuckManagerStep(TraceStep):
    """What the breaks at ``places`` leave behind is a context manager that Dynamo cannot enter."""

    node: ast.AST
    places: tuple[Place, ...]


@dataclass(slots=True)
class CallStep(TraceStep):
    """A call of a function that is inlined."""

    site: Site
    callee: FunctionSummary
    node: ast.AST


@dataclass(slots=True)
class BranchStep(TraceStep):
    """The ways that a condition leaves open."""

    bodies: list[Body] = field(default_factory=list)


@dataclass(slots=True)
class LoopStep(TraceStep):
    """A loop: the bodies of its iterations, or one body that runs ``times`` times (None: nobody knows).

    ``layers`` tells that it goes through modules.
    """

    node: ast.AST
    unrolled: bool
    times: int | None
    layers: bool = False
    bodies: list[Body] = field(default_factory=list)


@dataclass(slots=True)
class RegionStep(TraceStep):
    """Code under something that decides whether Dynamo can resume; ``handlers`` run instead of it or not at all."""

    kind: RegionKind
    node: ast.AST
    body: Body = field(default_factory=dict)
    handlers: list[Body] = field(default_factory=list)


@dataclass(slots=True)
class ExitStep(TraceStep):
    """Control leaves: by "return", "raise", "break" or "continue"."""

    how: str


class _Operator(TraceStep):
    __slots__ = ()


OPERATOR = _Operator()


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
