"""The trace of a function: the steps of one run, in order, as far as they decide how it is split into graphs.

While a frame is interpreted it keeps a *body*: operators, breaks and calls by the node at which they happen, so that an
expression that is evaluated twice is recorded once.  A line number stands where a statement begins.  Branches, loops
and blocks have bodies of their own.  ``graphs/partitioner.py`` walks through them as Dynamo walks through the bytecode.
"""

from __future__ import annotations

import ast
from typing import Literal

from gblint.diagnostics.break_event import BreakEvent
from gblint.diagnostics.entry_point import OptionSource
from gblint.diagnostics.span import Span
from gblint.interp.state.path_conditions import PathCondition, easier
from gblint.project.modules import Module
from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.values.base import BOTTOM, Value
from gblint.values.objects import Function

Place = tuple[int, int, str, str]
Site = tuple[int, int]
Body = dict[object, "TraceStep | int"]
BlockKind = Literal["try", "with", "manager", "enter", "comprehension", "generator", "disabled", "iteration"]


class TraceStep:
    """One step of a trace."""

    __slots__ = ()


@dataclass(slots=True)
class BreakStep(TraceStep):
    """A graph break, and the kind of operation that breaks."""

    place: Place
    operation: str
    node: ast.AST


@dataclass(slots=True)
class StuckManagerStep(TraceStep):
    """A context manager that is entered after it was made by a breaking operation, one at each of ``places``.

    The resumed frame gets it as an argument, and Dynamo cannot enter it.
    """

    node: ast.AST
    places: tuple[Place, ...]


@dataclass(slots=True)
class CallStep(TraceStep):
    """A call of a function that is inlined.

    stuck: the break that follows from one in the callee, if Dynamo cannot pass the called method to a resumed frame.
    """

    site: Site
    callee: FunctionSummary
    node: ast.AST
    stuck: Place | None = None


@dataclass(slots=True)
class BranchStep(TraceStep):
    """The branches of an undecided condition."""

    bodies: list[Body] = field(default_factory=list)


@dataclass(slots=True)
class LoopStep(TraceStep):
    """A loop: the bodies of its iterations, or one body that runs ``times`` times (None: unknown).

    layers: the loop iterates over modules.
    """

    node: ast.AST
    unrolled: bool
    times: int | None
    layers: bool = False
    bodies: list[Body] = field(default_factory=list)


@dataclass(slots=True)
class BlockStep(TraceStep):
    """Code inside a construct such as ``try`` or ``with``, which decides whether Dynamo can resume in it.

    handlers: the bodies of the ``except`` clauses; each runs after an exception, or not at all.
    """

    kind: BlockKind
    node: ast.AST
    body: Body = field(default_factory=dict)
    handlers: list[Body] = field(default_factory=list)


@dataclass(slots=True)
class ExitStep(TraceStep):
    """Control leaves the body by "return", "raise", "break" or "continue"."""

    how: str


class _Operator(TraceStep):
    __slots__ = ()


OPERATOR = _Operator()


@dataclass(frozen=True, slots=True)
class EventInMode:
    """A break event with the mode in force, and the easiest path to it in its function."""

    event: BreakEvent
    error_on_break: bool | None
    option_source: OptionSource | None
    path: PathCondition = ()


@dataclass(frozen=True, slots=True)
class NoEffect:
    """A construct in a region without effect: ``subject`` at ``span``, with the name of its argument in ``word``."""

    subject: Literal["toggle", "compile-inside", "mark-on-method"]
    span: Span
    word: str = ""


@dataclass(frozen=True, slots=True)
class UnseenCall:
    """A call at ``span`` of the function ``name`` of a ``package`` that is not installed."""

    package: str
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class UnknownPartCall:
    """A call at ``span`` of the attribute ``name`` of a module of class ``cls``, of whose value nothing is known.

    ``module``: the dotted name of the Python module that defines the class.
    """

    module: str
    cls: str
    name: str
    span: Span


@dataclass(slots=True)
class CompiledArguments:
    """The part of what a function compiles that its callers decide.

    from_callers: whether it, or a function that it calls, compiles something that depends on its callers.
    parameters: its parameters that are compiled, each with the call that passes it on, if it is not compiled there.
    """

    from_callers: bool = False
    parameters: dict[str, ast.Call | None] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class FunctionSummary:
    """The effects of one function for one kind of arguments.

    reads: attributes about the layout of a gradient that it reads, in code that is traced for the backward pass.
    silent_modules: the modules of its callees without events.
    notes: its constructs without effect, and its calls of packages that are not installed.
    call_paths: the easiest path to each of its calls.
    unguarded: the calls that run in every call of it, and whose exceptions it does not catch.
    cut: the bound at which it was not followed further, if one was reached.
    breaks: whether every call of it breaks the graph for certain.
    break_by_python: its break if Python calls it rather than code that Dynamo traces, as in ``__init__`` of a module.
    """

    function: str
    module: Module | None
    result: Value = BOTTOM
    running: bool = True
    recursive: bool = False
    compiled_arguments: CompiledArguments = field(default_factory=CompiledArguments)
    breaks: bool = False
    events: dict[tuple[int, int, str, str], EventInMode] = field(default_factory=dict)
    calls: dict[tuple[int, int], tuple[Span, FunctionSummary]] = field(default_factory=dict)
    updates: list[tuple[Value, Value]] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)
    silent_modules: set[Module] = field(default_factory=set)
    locals: tuple[Function, dict[str, Value]] | None = None
    body: Body = field(default_factory=dict)
    is_generator: bool = False
    notes: dict[NoEffect | UnseenCall | UnknownPartCall, None] = field(default_factory=dict)
    call_paths: dict[Site, PathCondition] = field(default_factory=dict)
    unguarded: set[Site] = field(default_factory=set)
    cut: str = ""
    break_by_python: EventInMode | None = None

    def call(self, span: Span, callee: FunctionSummary, path: PathCondition) -> None:
        """Note that this function calls ``callee`` at ``span``, under the conditions of ``path``."""
        self.reads |= callee.reads
        self.compiled_arguments.from_callers |= callee.compiled_arguments.from_callers
        seen = callee.events or callee.calls or callee.notes or callee.running or callee.cut or callee.break_by_python
        if callee is not self and seen:
            key = (span.line, id(callee))
            self.call_paths[key] = easier(self.call_paths[key], path) if key in self.call_paths else path
            self.calls[key] = (span, callee)
        elif callee is not self and callee.module is not None:
            self.silent_modules |= callee.silent_modules
            self.silent_modules.add(callee.module)
