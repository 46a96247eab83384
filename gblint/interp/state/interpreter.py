"""The state of one analysis, and the one place where expressions and statements are handed to their modules."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any

from gblint.diagnostics.findings import Category, Confidence, EntryKind, OptionSource
from gblint.interp.state import budget
from gblint.interp.state.frame import Frame, FunctionSummary, TracingMode, record
from gblint.interp.state.observer import Observer
from gblint.interp.state.summary_cache import SummaryCache
from gblint.knowledge.catalog import Knowledge
from gblint.knowledge.facts import Fact
from gblint.project.modules import Module
from gblint.project.project import Project
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.values.base import (
    BOTTOM,
    TRUE,
    UNKNOWN,
    Const,
    Scalar,
    Tensor,
    Union,
    Unknown,
    Value,
    members,
)
from gblint.values.lattice import join
from gblint.values.objects import BoundMethod, Class, Function, Instance

if TYPE_CHECKING:
    from gblint.interp.models.torch.captured_functions import CapturedFunction
    from gblint.interp.state.budget import CallBudget

Caller = Callable[["Interpreter", Value, "Args", Frame, ast.AST], Value]
ExpressionHandler = Callable[["Interpreter", ast.expr, Frame], Value]
StatementHandler = Callable[["Interpreter", ast.stmt, Frame], bool]
Handler = Callable[["Interpreter", "Args", Frame, ast.AST], Value]

# Operators whose output shape Dynamo cannot leave open, captured or not: they have no meta kernel.
_WITHOUT_SHAPES = ("linalg.lstsq", "functional.ctc_loss")
MAX_DEPTH = 70
MAX_STEPS = 1_500_000
MAX_NESTING = 180


@dataclass(slots=True)
class Args:
    """The arguments of a call.  ``star`` and ``kwstar`` stand for any further ones that are not known one by one."""

    pos: tuple[Value, ...] = ()
    kw: dict[str, Value] = field(default_factory=dict)
    star: Value | None = None
    kwstar: Value | None = None

    @property
    def first(self) -> Value:
        """The first positional argument; nothing is known of it if there is none."""
        return self.pos[0] if self.pos else UNKNOWN

    def all(self) -> tuple[Value, ...]:
        """Every value among the arguments."""
        more = tuple(v for v in (self.star, self.kwstar) if v is not None)
        return (*self.pos, *self.kw.values(), *more)

    def get(self, index: int, name: str) -> Value | None:
        """The argument at a position or under a name."""
        if index < len(self.pos):
            return self.pos[index]
        return self.kw.get(name)

    def drop(self, count: int) -> Args:
        """The arguments after the first ``count`` positional ones."""
        return Args(self.pos[count:], self.kw, self.star, self.kwstar)

    def prepend(self, *values: Value) -> Args:
        """The arguments with ``values`` before them."""
        return Args((*values, *self.pos), self.kw, self.star, self.kwstar)


@dataclass(frozen=True, slots=True)
class CompiledCall:
    """A call of something compiled, in code that runs eagerly."""

    args: Args
    module: Module
    node: ast.AST
    function: str
    mode: TracingMode


@dataclass(slots=True)
class CompiledObject:
    """Something that was seen to be compiled, with the options and the calls of the result.

    ``under`` has what ``error_on_graph_break`` says around these calls, or around the compiled callable itself.
    ``undone`` is the mark on the result that leaves nothing compiled, ``ignored`` the one below it that
    counts for nothing.  ``seen_in`` has the files that lead to it, with what they say is compiled.
    """

    node: ast.AST
    module: Module
    value: Value
    options: dict[str, Value]
    kind: EntryKind
    owner: Class | None = None
    sites: list[Args] = field(default_factory=list)
    calls: list[CompiledCall] = field(default_factory=list)
    under: list[tuple[bool | None, OptionSource | None]] = field(default_factory=list)
    undone: OptionSource | None = None
    ignored: str = ""
    seen_in: list[tuple[Value, str]] = field(default_factory=list)

    def is_in(self, node: ast.AST) -> bool:
        """Whether ``node`` holds this, or is a decorator above it."""
        return node in getattr(self.node, "decorator_list", ()) or any(
            each is self.node for each in ast_walk.walk(node)
        )

    def called(self, site: CompiledCall) -> None:
        """Notes a call."""
        self.sites.append(site.args)
        self.calls.append(site)
        self.under.append((site.mode.error_on_break, site.mode.said))


@dataclass(frozen=True, slots=True, eq=False)
class CompiledRef(Value):
    """Ties a compiled callable to the place where it was compiled."""

    compiled: CompiledObject


class Interpreter:
    """One analysis of one project."""

    def __init__(
        self,
        project: Project,
        knowledge: Knowledge,
        pins: Mapping[str, tuple[str, ...]],
        observer: Observer | None = None,
    ) -> None:
        self.project = project
        self.observer = observer
        self.knowledge = knowledge
        self.pins = pins
        self.memo: dict[Hashable, FunctionSummary] = {}
        self.globals: dict[tuple[str, str], Value] = {}
        self.classes: dict[int, Class] = {}
        self.instances: dict[Hashable, Instance] = {}
        self.module_frames: dict[str, Frame] = {}
        self.module_names: dict[Module, str] = {}
        self.busy: set[Hashable] = set()
        # What the hooks for missing attributes had no answer for, outside of the region.
        self.unanswered: set[Hashable] = set()
        self.contexts: dict[int, int] = {}
        self.active: dict[int, int] = {}
        self.updates: list[tuple[Value, Value]] = []
        self.lazy_tables: dict[str, dict[str, set[str]]] = {}
        self.keep_alive: list[object] = []
        self.facts: dict[str, Fact | None] = {}
        self.annotated: dict[Hashable, Value] = {}
        self.originals: dict[Value, Function] = {}
        self.constant_functions: set[ast.AST] = set()
        self.with_fake: dict[ast.AST, bool] = {}
        self.impure: dict[ast.AST, bool] = {}
        # How often something that outlives the function at hand was changed, not counting objects above the fence.
        self.changes = 0
        self.fence = 0
        self.handing_back: dict[ast.AST, int] = {}
        self.vain: dict[ast.AST, int] = {}
        self.alike = SummaryCache.nothing()
        self.stored_by_hooks: dict[ast.AST, frozenset[str]] = {}
        self.discarded: ast.AST | None = None
        self.awaited: ast.AST | None = None
        self.inherited_attributes: dict[tuple[Class, str], Value] = {}
        self.compiled: list[CompiledObject] = []
        self.body: CapturedFunction | None = None
        self.operands: dict[tuple[ast.AST, int], int] = {}
        self.written: set[int] = set()
        self.compilers: frozenset[str] = frozenset()
        self.compiling: set[tuple[str, str]] = set()
        self.unknown_targets: dict[tuple[str, int], str] = {}
        self.compile_site: tuple[ast.AST, Module] | None = None
        # The module that is being looked through for what it compiles.
        self.scanned: Module | None = None
        # Whether to draw what a call of each entry point runs.
        self.draws = False
        self.marks: dict[ast.AST, str] = {}
        self.operators: dict[str, str] = {}
        self.substitutes: dict[Value, Value] = {}
        self.changed_dict = False
        self.building = 0
        self.entry_module: Module | None = None
        # What the top of a module sets in ``torch._dynamo.config``, as fields of a mode.
        self.settings: dict[Module, dict[str, Any]] = {}
        self.steps = 0
        self.limit = MAX_STEPS
        self.cut = ""
        self.errand: CallBudget | None = None
        # Whether an errand of the entry point at hand has got a bound: what comes of it hangs on what is known by then.
        self.hurried = False
        self.token = 0
        self.tokens = 0
        self.nesting = 0
        self.caller: Caller = _no_call
        self.expressions: dict[type, ExpressionHandler] = {}
        self.statements: dict[type, StatementHandler] = {}

    def has_used(self, module: Module) -> bool:
        """Whether anything at the top of ``module`` was evaluated."""
        frame = self.module_frames.get(module.name)
        return frame is not None and frame.module is module

    def modules_used(self) -> list[Module]:
        """The modules of which something was evaluated."""
        return [frame.module for frame in self.module_frames.values()]

    def forget(self) -> None:
        """Takes apart what refers to itself, so that its memory is free at once."""
        for summary in self.memo.values():
            summary.calls.clear()
            summary.body.clear()
            summary.locals = None
        for instance in self.instances.values():
            instance.attrs.clear()
        for cls in self.classes.values():
            cls.attrs.clear()
            cls.mro = cls.bases = ()
        for frame in self.module_frames.values():
            frame.scope.cells.clear()
        self.alike = SummaryCache.nothing()
        for table in (self.memo, self.instances, self.classes, self.module_frames, self.globals, self.originals):
            table.clear()

    # -- dispatch ------------------------------------------------------------------------------------------------

    def eval(self, node: ast.expr, frame: Frame) -> Value:
        """The value of an expression."""
        self.steps += 1
        kind = node.__class__
        handler = self.expressions.get(kind)
        if handler is None or self.nesting > MAX_NESTING:
            value: Value = UNKNOWN
        elif kind is ast.Name or kind is ast.Constant:
            value = handler(self, node, frame)
        else:
            self.nesting += 1
            try:
                value = handler(self, node, frame)
            finally:
                self.nesting -= 1
        if self.observer is not None:
            self.observer.on_value(node, value, frame)
        return value

    def run(self, body: list[ast.stmt], frame: Frame) -> bool:
        """Runs statements; false if control never gets past them."""
        observer = self.observer
        for node in body:
            self.steps += 1
            if frame.mode.tracing:
                frame.body[id(node)] = node.lineno
            if observer is not None:
                observer.on_statement(node, frame)
            handler = self.statements.get(node.__class__)
            if handler is not None and not handler(self, node, frame):
                return False
            if observer is not None:
                observer.on_statement_passed(node, frame)
        return True

    def call(self, function: Value, args: Args, frame: Frame, node: ast.AST) -> Value:
        """Calls any value."""
        observer = self.observer
        if observer is None:
            return self.caller(self, function, args, frame, node)
        observer.on_call(frame, node)
        try:
            return self.caller(self, function, args, frame, node)
        finally:
            observer.on_return()

    @property
    def exhausted(self) -> bool:
        """Whether the budget of the entry point at hand is used up."""
        return self.steps > self.limit

    def recover(self) -> None:
        """Forgets what was under way when something was given up."""
        self.active.clear()
        self.nesting = 0
        self.errand = None
        self.limit = MAX_STEPS

    def branch(self) -> int:
        """Enters a new branch of the program; returns the token to go back to."""
        old = self.token
        self.tokens += 1
        self.token = self.tokens
        return old

    # -- events --------------------------------------------------------------------------------------------------

    def emit(
        self,
        frame: Frame,
        node: ast.AST,
        kind: str,
        subject: str,
        gb_ids: tuple[str, ...] = (),
        *,
        about: Value | None = None,
        likely: bool = False,
        extra: tuple[str, ...] = (),
        category: Category = Category.GRAPH_BREAK,
    ) -> None:
        """Records a break; ``about`` is the value that it hangs on, which says how sure it is."""
        mode = frame.mode
        if not mode.tracing or (kind == "call" and subject in mode.ignored):
            return
        if kind == "dynamic-shape" and (mode.captures or mode.capture_shapes):
            return
        changed = self.knowledge.event(kind, subject, gb_ids)
        if changed is not None:
            if not changed.breaks:
                return
            gb_ids = changed.gb_ids
        else:
            gb_ids = self.knowledge.ids_of(gb_ids)
        if mode.capture_shapes and subject.endswith(_WITHOUT_SHAPES):
            gb_ids = ("GB0037",)
        confidence = Confidence.CERTAIN if about is None else confidence_in(about)
        if likely and confidence is Confidence.CERTAIN:
            confidence = Confidence.LIKELY
        about_it = describe(about)
        if record(frame, node, kind, subject, gb_ids, confidence, operand=about_it, extra=extra, category=category):
            budget.broke(self)

    def note_compiled(
        self,
        frame: Frame,
        node: ast.AST,
        value: Value,
        options: dict[str, Value],
        kind: EntryKind,
        owner: Class | None = None,
    ) -> CompiledObject | None:
        """Notes that code outside of any region compiles ``value``.

        Objects that are compiled at one place, in a loop maybe, are one entry point; functions that are given to a
        helper which compiles them are many.
        """
        if frame.mode.tracing or options.get("disable") == TRUE:
            return None
        for known in self.compiled:
            if known.node is node and (known.value == value or not isinstance(value, (Function, BoundMethod))):
                known.value = join(known.value, value)
                self._note_file(known, value)
                return known
        module = frame.module
        if module.origin == "library" and self.compile_site is not None:
            # A method of a library compiles parts of a model: said where the project calls it.
            node, module = self.compile_site
        compiled = CompiledObject(node, module, value, options, kind, owner)
        self.compiled.append(compiled)
        self._note_file(compiled, value)
        self.changed(frame)
        return compiled

    def _note_file(self, compiled: CompiledObject, value: Value) -> None:
        if self.scanned is not None and self.scanned.origin != "library":
            compiled.seen_in.append((value, str(self.scanned.path)))

    # -- instances -----------------------------------------------------------------------------------------------

    def store_attribute(self, instance: Instance, name: str, value: Value) -> None:
        """``instance.name = value``: it replaces the old value if this is the branch in which the instance was made."""
        old = instance.attrs.get(name)
        if old is None and instance.token != self.token and name in ("forward", "__call__"):
            old = self.inherited(instance, name)
        new = value if old is None or instance.token == self.token else join(old, value)
        if old is None or new != old:
            instance.attrs[name] = new
            instance.version += 1
            self.alike.changed(instance.uid)
            if instance.uid < self.fence and budget.counts_effects(self):
                self.changes += 1

    def changed(self, frame: Frame, old: Value = BOTTOM, new: Value = UNKNOWN) -> None:
        """Counts a change of something outside of the function that ``frame`` runs.

        What a module does when it is imported is no change, and an errand counts for what it returns.
        """
        if frame.function is not None and new != old:
            self.alike.changed(0)
            if budget.counts_effects(self):
                self.changes += 1

    def inherited(self, instance: Instance, name: str) -> Value | None:
        """The method that an attribute of the same name on the instance would hide."""
        from gblint.interp.evaluator import classes

        found = classes.find(self, instance.cls, name) if isinstance(instance.cls, Class) else None
        return None if found is None else BoundMethod(found, instance)

    def module_frame(self, module: Module) -> Frame:
        """The frame in which the top level of ``module`` is evaluated, eagerly."""
        frame = self.module_frames.get(module.name)
        if frame is None or frame.module is not module:
            from gblint.values.objects import Scope

            frame = Frame(module, Scope({}, None), FunctionSummary("<module>", module), TracingMode(tracing=False))
            self.module_frames[module.name] = frame
            if any(map(module.says, ("in_graph", "_dynamo", "torch.compiler"))):
                from gblint.interp.models.torch import compiler_decorators

                compiler_decorators.put_on(self, module, frame)
        return frame


def _no_call(m: Interpreter, function: Value, args: Args, frame: Frame, node: ast.AST) -> Value:
    """What calls give before the engine has put the parts together."""
    return UNKNOWN


def confidence_in(value: Value) -> Confidence:
    """How sure it is that ``value`` is the tensor (or the like) that an event is about."""
    best = Confidence.POSSIBLE
    others = False
    found = members(value)
    # A number or a text that is known to come here speaks against a tensor that is only guessed at.
    plain = any(_is_plain(v) for v in found)
    for member in found:
        if isinstance(member, Tensor):
            if member.sure or not plain:
                best = Confidence.CERTAIN if member.sure else max(best, Confidence.LIKELY, key=lambda c: c.rank)
        elif isinstance(member, Unknown):
            others = True
            if member.hint == "tensor" and best is Confidence.POSSIBLE:
                best = Confidence.LIKELY
        elif isinstance(member, Const) and member.value is None:
            continue
        elif (isinstance(member, Scalar) and member.origin in ("data", "drawn")) or not isinstance(value, Union):
            best = Confidence.CERTAIN
        else:
            others = True
    if others and best is Confidence.CERTAIN:
        return Confidence.LIKELY
    return best


def _is_plain(value: Value) -> bool:
    """Whether ``value`` is known to be a number, a text or a switch that no tensor gave.

    Any other truth value may have come of a comparison, where a tensor gives another tensor.
    """
    if isinstance(value, Const):
        return value.value is not None
    if not isinstance(value, Scalar) or value.origin != "python":
        return False
    return value.kind in ("int", "float", "str") or (value.kind == "bool" and value.usual is not None)


def describe(value: Value | None) -> str:
    """A word for the kind of a value."""
    if value is None:
        return ""
    for member in members(value):
        if isinstance(member, Tensor):
            return "ndarray" if member.ndarray else "Tensor"
        if isinstance(member, Instance):
            return member.class_name.rpartition(".")[2]
    if isinstance(value, Scalar):
        return value.kind
    return "unknown"
