"""The interpreter: the state of one analysis, and the operations through which evaluators and models reach each other.

The operations correspond to those of Dynamo's ``InstructionTranslator`` and ``VariableTracker``
(torch/_dynamo/symbolic_convert.py, torch/_dynamo/variables/base.py and object_protocol.py).  They are implemented by
``gblint.interp.evaluator.evaluator.Evaluator``; everything below the evaluators calls them by way of this class.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager

from gblint.diagnostics.entry_point import EntryKind
from gblint.interp.state.branch_record import BranchRecord
from gblint.interp.state.budget import StepBudget
from gblint.interp.state.caches import Caches
from gblint.interp.state.call_args import Args
from gblint.interp.state.captured_function import CaptureState
from gblint.interp.state.compilation import Compilation, CompiledObject
from gblint.interp.state.events import Emission, record
from gblint.interp.state.frame import IS_GIVEN_UP, Frame, TracingMode
from gblint.interp.state.observer import Observer
from gblint.interp.state.path_conditions import PathCondition
from gblint.interp.state.settled_functions import SettledFunctions
from gblint.interp.state.summary_cache import SummaryCache
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.knowledge.catalog import Knowledge
from gblint.project.modules import Module
from gblint.project.project import Project
from gblint.project.symbols import Binding
from gblint.values import containers
from gblint.values.base import BOTTOM, TRUE, UNKNOWN, Const, Value, members
from gblint.values.lattice import join, open_ended
from gblint.values.objects import BoundMethod, Class, Function, Instance, Scope, is_nn_module

ExpressionHandler = Callable[["Interpreter", ast.expr, Frame], Value]
StatementHandler = Callable[["Interpreter", ast.stmt, Frame], bool]

# Operators whose output shape Dynamo cannot leave open, captured or not: they have no meta kernel.
_WITHOUT_SHAPES = ("linalg.lstsq", "functional.ctc_loss")
MAX_INLINE_DEPTH = 70
"""Calls inside each other."""
MAX_NESTING = 260
"""Expressions inside each other; a method call in a chain counts as two."""


class CallState:
    """The calls that are running.

    contexts: the number of summaries made of a function for the current entry point, by the identity of its node.
    active: the number of running calls of a function, by the identity of its node.
    in_progress: evaluations that must not start again before they end, such as that of a class body.
    callee: the expression of the function that a call expression is about to call.
    updates: argument values that the last call changed, each with its new value.
    made_by_name: the objects that class methods such as ``from_pretrained`` of a library have made, since the search
        began with the current function or statement; by the uid of what they are like, and the call.
    settled: the functions that the search need not evaluate again.
    """

    def __init__(self) -> None:
        self.contexts: dict[int, int] = {}
        self.active: dict[int, int] = {}
        self.in_progress: set[object] = set()
        self.callee: ast.AST | None = None
        self.updates: list[tuple[Value, Value]] = []
        self.made_by_name: dict[tuple[int, int], Instance] = {}
        self.settled = SettledFunctions()


class SideEffects:
    """The side effects so far (Dynamo: torch/_dynamo/side_effects.py).

    count: the number of changes of objects and variables that outlive the function that makes them; changes of objects
        whose uid is not below ``watermark`` are not counted.
    dict_changed: whether the ``__dict__`` of an object was changed in the region.
    left: the attributes of objects that the region changes, so that the next call finds another value; a global
        variable has no object.
    eager_since: objects whose uid is below this were made before the compiled call that the search is following; 0
        outside of such a call.
    made_outside: ranges of uids of objects that were made at the top level of a module during such a call.
    before_calls: the attributes, and variables of modules, that such calls have changed, with their values before.
    branch_path: the hardest condition of the branches outside of the region that are evaluated, if one is undecided.
    branch: what the running branch outside of the region does; None outside of such a branch.
    conditional: the conditions under which a module gets a hook or a ``forward`` of its own, by its uid and their name.
    used: the uids of the objects that the search has seen in a compiled call, with those that they hold.
    added_later: the attributes that such an object got only after the call, as its uid and their name.
    free_values: the key of the free variables that the compiled function has in the call that is traced.
    training: the modules whose ``training`` the region that is traced has set by ``eval()`` or ``train()``.
    """

    def __init__(self) -> None:
        self.count = 0
        self.watermark = 0
        self.dict_changed = False
        self.left: set[tuple[Instance | Class | None, str]] = set()
        self.eager_since = 0
        self.made_outside: list[tuple[int, int]] = []
        self.before_calls: dict[tuple[Instance | Class | str, str], Value] = {}
        self.branch_path: PathCondition = ()
        self.branch: BranchRecord | None = None
        self.conditional: dict[tuple[int, str], PathCondition] = {}
        self.used: set[int] = set()
        self.added_later: set[tuple[int, str]] = set()
        self.free_values: Hashable = ()
        self.training: dict[int, Instance] = {}

    @contextmanager
    def outside_of_branches(self) -> Iterator[None]:
        """Make an object that is kept for other branches: what is stored meanwhile belongs to none."""
        branch, self.branch = self.branch, None
        try:
            yield
        finally:
            self.branch = branch


class Interpreter(ABC):
    """The analysis of one project.

    observer: the object that follows the evaluation, if any.
    pins: values that the configuration sets for attributes and parameters.
    branch_id: the branch of the program that is evaluated; an object is updated strongly only in the branch in which it
        was made.
    entry_branch: the branch in which the entry point is called: what is evaluated in it runs in every call.
    is_usual_branch: whether the branch that is evaluated runs with all defaults; None if it is not known.
    discarded_expression: the expression whose value is discarded, at the moment.
    awaited: the operand of the ``await`` that is evaluated.
    instance_depth: the nesting of objects that are made to stand for any instance of a class.
    builds_call_tree: whether the trace of an entry point gets a call tree.
    """

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
        self.caches = Caches()
        self.calls = CallState()
        self.budget = StepBudget(len(project.files))
        self.summary_cache = SummaryCache()
        self.compilation = Compilation()
        self.capture = CaptureState()
        self.effects = SideEffects()
        self.branch_id = 0
        self.branch_count = 0
        self.entry_branch = 0
        self.is_usual_branch: bool | None = True
        self.discarded_expression: ast.AST | None = None
        self.awaited: ast.AST | None = None
        self.instance_depth = 0
        self.builds_call_tree = False

    def release(self) -> None:
        """Break all reference cycles, so that the memory is free at once."""
        self.caches.release()
        self.summary_cache = SummaryCache()

    def recover(self) -> None:
        """Restore a consistent state after an evaluation was given up."""
        self.calls.active.clear()
        self.budget.recover()

    def enter_branch(self) -> int:
        """Enter a new branch of the program; return the id of the branch that was left."""
        old = self.branch_id
        self.branch_count += 1
        self.branch_id = self.branch_count
        return old

    # -- operations: expressions and statements -------------------------------------------------------------------

    @abstractmethod
    def eval(self, node: ast.expr, frame: Frame) -> Value:
        """Evaluate an expression."""

    @abstractmethod
    def run(self, body: list[ast.stmt], frame: Frame) -> bool:
        """Run statements; return false if control never gets past them."""

    # -- operations: calls ----------------------------------------------------------------------------------------

    @abstractmethod
    def call(self, function: Value, args: Args, frame: Frame, node: ast.AST) -> Value:
        """Call any value."""

    @abstractmethod
    def call_instance(self, instance: Instance, args: Args, frame: Frame, node: ast.AST) -> Value:
        """Call an object: its ``__call__``, or the ``forward`` of a module with its hooks."""

    @abstractmethod
    def call_eagerly(self, function: Value, args: Args, frame: Frame, node: ast.AST) -> Value:
        """Call a value outside of the region, as Dynamo calls a function that it skips."""

    @abstractmethod
    def external_init(self, instance: Instance, args: Args, frame: Frame, node: ast.AST) -> None:
        """Run the ``__init__`` of the external base classes of an object."""

    # -- operations: attributes -----------------------------------------------------------------------------------

    @abstractmethod
    def get_attribute(self, base: Value, name: str, frame: Frame, node: ast.AST) -> Value:
        """Return ``base.name``."""

    @abstractmethod
    def set_attribute(self, instance: Instance, name: str, value: Value, frame: Frame, node: ast.AST) -> None:
        """Run ``instance.name = value``, with descriptors and ``__setattr__``."""

    @abstractmethod
    def has_attribute(self, base: Instance, name: str) -> bool | None:
        """Return ``hasattr(base, name)``; None if it is unknown."""

    @abstractmethod
    def instance_attribute(self, base: Instance, name: str, frame: Frame, node: ast.AST) -> Value:
        """Return the attribute of an instance, with pins and the ``__getattr__`` of its class."""

    @abstractmethod
    def class_attribute(self, cls: Class, name: str) -> Value | None:
        """Return the attribute of a class along its MRO, not bound; None if there is none."""

    @abstractmethod
    def any_instance(self, cls: Class) -> Value:
        """Return a value that stands for any instance of ``cls``."""

    @abstractmethod
    def instance_of_class(self, cls: Value) -> Value | None:
        """Return a value that stands for any instance of a class value, as after ``isinstance``; None if unknown."""

    # -- operations: items and operators --------------------------------------------------------------------------

    @abstractmethod
    def items_of(self, value: Value, frame: Frame, node: ast.AST) -> tuple[Value, ...] | None:
        """Return the items of an iterable, in order; None if their number is unknown."""

    @abstractmethod
    def item_of(self, value: Value, frame: Frame, node: ast.AST) -> Value:
        """Return the join of the items of an iterable."""

    @abstractmethod
    def get_item(self, base: Value, index: Value, frame: Frame, node: ast.AST) -> Value:
        """Return ``base[index]``."""

    @abstractmethod
    def binary(
        self, op: ast.operator, left: Value, right: Value, frame: Frame, node: ast.AST, in_place: bool = False
    ) -> Value:
        """Return ``left op right``."""

    @abstractmethod
    def compare(self, op: ast.cmpop, left: Value, right: Value, frame: Frame, node: ast.AST) -> Value:
        """Return the result of a comparison."""

    @abstractmethod
    def truth(self, value: Value) -> bool | None:
        """Return ``bool(value)``; None if it is unknown."""

    # -- operations: modules and names ----------------------------------------------------------------------------

    @abstractmethod
    def module_attribute(self, module: Module, name: str) -> Value | None:
        """Return the variable ``name`` of a module; None if there is none."""

    @abstractmethod
    def module_value(self, dotted: str, importer: Module | None = None) -> Value:
        """Return the module or package with a dotted name."""

    @abstractmethod
    def import_exists(self, module: str) -> bool:
        """Return whether a module with a dotted name can be found."""

    @abstractmethod
    def value_of_bindings(self, bindings: tuple[Binding, ...], frame: Frame, name: str) -> Value:
        """Return the value of a variable from the statements that bind it."""

    @abstractmethod
    def value_of_returns(self, text: str, receiver: Value | None, args: Args, frame: Frame) -> Value:
        """Return the result of an external call, as a fact describes it."""

    @abstractmethod
    def run_module_marks(self, module: Module, frame: Frame) -> None:
        """Run the top-level statements of a module that mark functions for the compiler."""

    # -- events ---------------------------------------------------------------------------------------------------

    def emit(
        self,
        frame: Frame,
        node: ast.AST,
        kind: str,
        subject: str,
        causes: tuple[str, ...] = (),
        *,
        about: Value | None = None,
        likely: bool = False,
    ) -> None:
        """Record a graph break at ``node``; see ``Emission``."""
        self.emit_event(frame, node, Emission(kind, subject, causes, about, likely))

    def emit_event(self, frame: Frame, node: ast.AST, event: Emission) -> None:
        """Record an event at ``node``, unless the linted torch traces the operation."""
        mode = frame.mode
        kind, subject = event.kind, event.subject
        if not mode.tracing or (kind == "call" and subject in mode.config.ignored):
            return
        if frame.scope.cells.get(IS_GIVEN_UP) == TRUE:
            return
        if kind == "dynamic-shape" and (mode.captures or mode.config.capture_shapes):
            return
        changed = self.knowledge.event(kind, subject, event.causes)
        if changed is not None:
            if not changed.breaks:
                return
            event.causes = changed.gb_ids
        if mode.config.capture_shapes and subject.endswith(_WITHOUT_SHAPES):
            event.causes = ("dynamic-shape-operator-without-meta-kernel",)
        event.gb_ids = self.knowledge.ids_of(event.causes)
        event.causes = self.knowledge.causes_of(event.gb_ids)
        if record(frame, node, event):
            self.budget.on_certain_break()

    def note_compiled(
        self,
        frame: Frame,
        node: ast.AST,
        value: Value,
        options: dict[str, Value],
        kind: EntryKind,
        owner: Class | None = None,
    ) -> CompiledObject | None:
        """Note that code outside of any region compiles ``value``."""
        self.calls.settled.events += 1
        before = len(self.compilation.objects)
        compiled = self.compilation.note(frame, node, value, options, kind, owner)
        if len(self.compilation.objects) > before:
            self.note_change(frame)
        if compiled is not None:
            compiled.in_other_branches.append((value, {}))
            if self.effects.branch is not None:
                self.effects.branch.compiled.append(compiled.in_other_branches[-1][1])
        return compiled

    def note_unknown(self, frame: Frame, node: ast.AST, target: ast.expr | None, value: Value, kind: EntryKind) -> None:
        """Note that code outside of any region compiles an expression of unknown value."""
        self.calls.settled.events += 1
        self.compilation.note_unknown(frame, node, target, value, kind)

    # -- side effects ---------------------------------------------------------------------------------------------

    def store_attribute(self, instance: Instance, name: str, value: Value) -> None:
        """Set an attribute; in another branch than that in which the object was made, join it with the old value.

        A constant that the search replaces after a compiled call was there in that call.
        """
        old = instance.attrs.get(name)
        if self.effects.branch is not None:
            self.effects.branch.stored(instance, name, old, self.is_usual_branch)
        if old is None and instance.branch_id != self.branch_id:
            if name in ("forward", "__call__") or isinstance(value, (Function, BoundMethod)):
                old = self._hidden_method(instance, name)
        seen = self._was_seen_by_call(instance, old, value)
        if old is None and seen:
            self.effects.added_later.add((instance.uid, name))
            default = self.class_attribute(instance.cls, name) if isinstance(instance.cls, Class) else None
            new = join(default, value) if isinstance(default, Const) else value
        elif old is None or (instance.branch_id == self.branch_id and not seen):
            new = value
        else:
            new = join(old, value)
        if old is None or new != old:
            if name != "__items__" and any(map(is_nn_module, members(value))):
                _register_part(instance, old, new)
            instance.attrs[name] = new
            instance.version += 1
            self.summary_cache.on_change(instance.uid, old, new)
            if instance.uid < self.effects.watermark and self.budget.counts_effects:
                self.effects.count += 1

    def _was_seen_by_call(self, instance: Instance, old: Value | None, value: Value) -> bool:
        """Return whether compiled calls run with the old and with the new value of an attribute: a flag, or None.

        A dict may hold flags. An attribute that was not there may have any value.
        """
        if instance.uid not in self.effects.used or not self._is_between_calls():
            return False
        is_flag = isinstance(old, Const) or isinstance(value, Const)
        is_flag = is_flag or (isinstance(old, containers.Mapping) and isinstance(value, containers.Mapping))
        return old is None or (is_flag and old != value)

    def _is_between_calls(self) -> bool:
        """Return whether the search evaluates code outside of compiled calls."""
        return self.budget.searching and self.effects.eager_since == 0

    def note_change(self, frame: Frame, old: Value = BOTTOM, new: Value = UNKNOWN) -> None:
        """Count a change of something outside of the function that ``frame`` runs.

        The top level of a module changes nothing; of a library call only the result counts.
        """
        if frame.function is not None and new != old:
            self.summary_cache.on_change(0, old, new)
            if self.budget.counts_effects:
                self.effects.count += 1

    def _hidden_method(self, instance: Instance, name: str) -> Value | None:
        """Return the method that an attribute of the same name on the instance would hide."""
        found = self.class_attribute(instance.cls, name) if isinstance(instance.cls, Class) else None
        if found is None or not (isinstance(found, Function) or name in ("forward", "__call__")):
            return None
        return BoundMethod(found, instance)

    def module_frame(self, module: Module) -> Frame:
        """Return the frame in which the top level of ``module`` is evaluated, eagerly."""
        frames = self.caches.module_frames
        frame = frames.get(module.name)
        if frame is None or frame.module is not module:
            frame = Frame(module, Scope({}, None), FunctionSummary("<module>", module), TracingMode(tracing=False))
            frames[module.name] = frame
            if any(map(module.contains, ("in_graph", "_dynamo", "torch.compiler"))):
                self.run_module_marks(module, frame)
        return frame


def _register_part(instance: Instance, old: Value | None, new: Value) -> None:
    """Add a module that is stored as an attribute to the items of the ``nn.Sequential`` or list that it belongs to."""
    items = instance.attrs.get("__items__")
    if not isinstance(items, containers.Seq) or not is_nn_module(instance):
        return
    if items.items is not None:
        others = tuple([each for each in items.items if each is not old])
        instance.attrs["__items__"] = containers.Seq(items.cls, (*others, new))
    else:
        later = items.later if items.first else items.rest
        instance.attrs["__items__"] = open_ended(items.cls, items.first, join(later, new))
