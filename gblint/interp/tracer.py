"""The tracer: it makes interpreters and traces entry points."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from gblint.diagnostics.break_event import ReachedBreak
from gblint.interp.domain import branch_stores, call_state, free_variables, passed_items
from gblint.interp.evaluator import input_values, late_attributes
from gblint.interp.evaluator.evaluator import Evaluator
from gblint.interp.graphs import reachability
from gblint.interp.graphs.partitioner import Partitioner
from gblint.interp.graphs.reachability import TraceResult
from gblint.interp.models.python import divergence
from gblint.interp.models.torch import strict_export, training_mode
from gblint.interp.models.torch.dynamo_config import entered, exported, with_settings
from gblint.interp.state.budget import MAX_STEPS_TO_CALL_AGAIN
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.compilation import own_forward
from gblint.interp.state.entry import Entry, SingleCall
from gblint.interp.state.frame import Frame, TracingMode
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.observer import Observer
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.knowledge.catalog import Knowledge
from gblint.project.project import Project
from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import BOTTOM, UNKNOWN, Tensor, Union, Value
from gblint.values.objects import (
    METHODLESS,
    BoundMethod,
    BuiltinMethod,
    Class,
    ExternalObject,
    Function,
    Instance,
    Partial,
    Scope,
    is_nn_module,
)
from gblint.values.wrapped import CompiledFunction, StaticMethod, Wrapped

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# Python's recursion limit below the trace of an entry point.
MAX_PYTHON_FRAMES = 2_000
Progress = Callable[[int, int, str], None]


def new_interpreter(
    project: Project, knowledge: Knowledge, pins: Mapping[str, tuple[str, ...]], observer: Observer | None = None
) -> Interpreter:
    """Return an interpreter for a project."""
    return Evaluator(project, knowledge, pins, observer)


def fresh_copy_of(known: Interpreter, *, observed: bool = True) -> Interpreter:
    """Return an interpreter for the same project without any results, with the same observer if ``observed``."""
    interp = new_interpreter(known.project, known.knowledge, known.pins, known.observer if observed else None)
    interp.compilation.compilers = known.compilation.compilers
    interp.compilation.has_compile_method = known.compilation.has_compile_method
    interp.caches.facts = known.caches.facts
    interp.builds_call_tree = known.builds_call_tree
    return interp


def trace(interp: Interpreter, entries: Sequence[Entry]) -> list[ReachedBreak]:
    """Return the breaks that the entry points reach, each once, with all entry points that reach it."""
    tracer = Tracer(interp)
    return reachability.merge([tracer.trace(entry) for entry in entries])


class Tracer:
    """Traces entry points with one interpreter."""

    def __init__(self, interp: Interpreter) -> None:
        self.interpreter = interp
        self._partitioner = Partitioner()
        # Partitions are cached by the id of their summary, so summaries must stay alive.
        self._roots: list[FunctionSummary] = []

    def trace(self, entry: Entry, limit: int | None = None) -> TraceResult:
        """Trace one entry point; each of its calls takes at most ``limit`` steps, by default those of a whole file."""
        limit = self.interpreter.budget.most if limit is None else limit
        interp = self.interpreter
        with same_depth():
            first = self._trace_call(entry, limit, again=False)
            if first.cut:
                return first
            is_short = interp.budget.spent <= MAX_STEPS_TO_CALL_AGAIN
            each = [first]
            if interp.effects.left and is_short:
                each.append(self._trace_call(entry, limit, again=True))
            elif interp.effects.left:
                each[0] = replace(
                    first, cut=f"a second call is not followed after {MAX_STEPS_TO_CALL_AGAIN:,} steps in the first"
                )
            shown = each[-1]
            if is_short:
                each += [self._trace_alone(entry, call, limit) for call in entry.apart]
        if len(each) == 1:
            return shown
        return replace(
            shown,
            reached=tuple(reachability.merge(each)),
            notes=tuple(dict.fromkeys([note for traced in each for note in traced.notes])),
            files=frozenset().union(*[traced.files for traced in each]),
            cut=next(filter(None, [traced.cut for traced in each]), ""),
            unseen=tuple(dict.fromkeys([call for traced in each for call in traced.unseen])),
            unknown=tuple(dict.fromkeys([call for traced in each for call in traced.unknown])),
        )

    def _trace_alone(self, entry: Entry, call: SingleCall, limit: int) -> TraceResult:
        """Trace one of several calls of an entry point."""
        alone = replace(entry, args=call.args, receiver=call.receiver)
        with free_variables.as_called(self.interpreter, entry.target, call.free):
            traced = self._trace_call(alone, limit, again=False, spent=self.interpreter.budget.spent)
        return reachability.in_call(self.interpreter, traced, call)

    def _trace_call(self, entry: Entry, limit: int, *, again: bool, spent: int = 0) -> TraceResult:
        """Trace a call of an entry point, or one ``again`` in the state that it leaves, after ``spent`` steps."""
        with branch_stores.as_compiled(self.interpreter, entry.other_values):
            root = run_entry(self.interpreter, entry, limit, again=again, spent=spent)
        self._roots.append(root)
        return reachability.collect(self.interpreter, entry, root, self._partitioner)


@contextmanager
def same_depth() -> Iterator[None]:
    """Count the recursion limit from here, so that results do not depend on the caller or the process."""
    old, depth = sys.getrecursionlimit(), 0
    frame = sys._getframe()
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    sys.setrecursionlimit(depth + MAX_PYTHON_FRAMES)
    try:
        yield
    finally:
        sys.setrecursionlimit(old)


def run_entry(interp: Interpreter, entry: Entry, limit: int, *, again: bool = False, spent: int = 0) -> FunctionSummary:
    """Interpret the compiled callable of an entry point; the summary stands for the call itself.

    again: it is called in the state that the call before, traced last, has left.
    spent: the steps that other calls of the entry point have taken.
    """
    region = entry.point.region
    # Before torch 2.10 fullgraph captures neither scalars nor shapes that depend on data.
    captures = region.fullgraph and interp.knowledge.event("fullgraph", "captures") is None
    mode = TracingMode(captures=captures, error_on_break=region.error_on_graph_break, dynamic=region.dynamic)
    option_source = None if region.error_on_graph_break is None else region.option_source
    mode = replace(mode, export=region.export, fullgraph=region.fullgraph, option_source=option_source, again=again)
    mode = mode if entry.grad else replace(mode, grad=False)
    mode = exported(mode, region)
    mode = entered(with_settings(interp, mode, (entry.module, entry.point.line), entry.called), entry.settings)
    root = FunctionSummary(entry.point.name, entry.module)
    frame = Frame(entry.module, Scope({}, None), root, mode)
    frame.conditions.path = () if entry.chosen is None else (entry.chosen,)
    interp.budget.restart(limit, interp.budget.spent if again else spent)
    interp.compilation.entry_module = entry.module
    interp.calls.contexts = {}
    interp.effects.dict_changed = False
    training_mode.forget(interp)
    interp.enter_branch()
    interp.entry_branch = interp.branch_id
    if again:
        call_state.forget_numbers(interp)
    else:
        call_state.restore(interp)
    interp.effects.left = set()
    node = ast.Pass(lineno=entry.point.line, col_offset=0, end_lineno=entry.point.line, end_col_offset=0)
    try:
        _call_entry(interp, entry, frame, node)
        interp.budget.end_entry()
    except RecursionError:
        interp.recover()
        interp.budget.truncated_because = "it is nested too deeply"
    root.running = False
    root.body = frame.body
    return root


def _call_entry(interp: Interpreter, entry: Entry, frame: Frame, node: ast.AST) -> None:
    target = entry.target
    if isinstance(target, CompiledFunction):
        target = target.function
    if isinstance(target, Class) and _stands_for_instances(interp, target):
        target = input_values.of_class(interp, target)
    function, receiver, cls = underlying(interp, target)
    if function is None:
        if isinstance(target, BuiltinMethod) and isinstance(target.receiver, ExternalObject):
            interp.call(target, entry.args or Args(), frame, node)  # the ``step`` of an optimizer of torch
        if isinstance(target, Instance) and is_nn_module(target):
            # A container of torch, such as ``nn.Sequential``, calls the modules in it.
            interp.call(target, entry.args or Args((Tensor(is_input=True),)), frame, node)
        elif isinstance(target, Class):
            frame.give_up(node, f"`{target.name}` is no module, and its instances cannot be called")
        return
    generator = any("yield" in line for line in _lines(function)) and is_generator(function.node)
    if frame.mode.captures and generator:
        # Dynamo reports the first line of the function's code, which is its first decorator.
        first = min([function.node.lineno, *(d.lineno for d in getattr(function.node, "decorator_list", []))])
        column = function.node.col_offset
        place = ast.Pass(lineno=first, col_offset=column, end_lineno=first, end_col_offset=column)
        interp.emit(frame, place, "generator", "entry", ("traced-generator",))
    elif generator and function not in interp.caches.undecorated.values():
        divergence.differs(interp, frame, function.node, "compiled-generator")
    if isinstance(target, Instance) and isinstance(target.cls, Class) and not is_nn_module(target):
        if interp.class_attribute(target.cls, "__call__") is None and "forward" not in target.attrs:
            target = BoundMethod(interp.class_attribute(target.cls, "forward") or target, target)
    if receiver is None and entry.cls is not None and not is_static(target):
        made = entry.receiver or input_values.of_class(interp, entry.cls)
        receiver, cls = late_attributes.in_use(interp, made, function), entry.cls
        target = BoundMethod(target, receiver)
    elif isinstance(target, BoundMethod) and isinstance(target.receiver, Instance):
        receiver = late_attributes.in_use(interp, target.receiver, function)
        target = BoundMethod(target.function, receiver)
    late_attributes.count(interp, receiver, function)
    args = entry.args
    if args is None:
        args = input_values.unknown_arguments(interp, function, cls, soft=False, bound=receiver is not None)
        if receiver is not None:
            args = passed_items.with_items(interp, function, receiver, args)
        if takes_keywords(interp, target):
            args = by_keyword(args, function, bound=receiver is not None)
    if frame.mode.export:
        strict_export.check_signature(CallContext(interp, entry.args or Args(), frame, node), function)
    result = interp.call(target, args, frame, node)
    if result == UNKNOWN and entry.args is None and not interp.budget.is_truncated:
        _note_dead_end(interp, function, frame, node)
    if frame.mode.export:
        strict_export.check_result(interp, result, frame, node)


def _note_dead_end(interp: Interpreter, function: Function, frame: Frame, node: ast.AST) -> None:
    """Note that no path through a function returns with the arguments that are assumed.

    A method that only raises, for subclasses to implement, has nothing that could be missed.
    """
    code = function.node.body
    if not isinstance(code, list) or len(code) < 3:
        return
    start = id(function.node)
    traced = [summary for place, summary in interp.caches.summaries.items() if place[0] == start]  # type: ignore[index]
    if traced and all(summary.result == BOTTOM and not summary.is_generator for summary in traced):
        frame.give_up(node, "every path through it ends in an exception, with the arguments that are assumed")


def takes_keywords(interp: Interpreter, target: Value) -> bool:
    """Return whether the outermost callable takes any keyword argument, as a forwarding wrapper does."""

    if isinstance(target, Instance) and isinstance(target.cls, Class):
        name = "forward" if is_nn_module(target) else "__call__"
        target = own_forward(target) or interp.class_attribute(target.cls, name) or target
    while isinstance(target, (BoundMethod, Wrapped)):
        target = target.function
    return isinstance(target, Function) and target.node.args.kwarg is not None


def by_keyword(args: Args, function: Function, *, bound: bool) -> Args:
    """Return the arguments with those that have a default passed by keyword, as callers mostly do."""
    spec = function.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)][int(bound) :]
    first = max(len(spec.posonlyargs) - int(bound), len(names) - len(spec.defaults), 0)
    named = dict(zip(names[first:], args.pos[first:]))
    return Args(args.pos[:first], {**named, **args.kw}, None if named else args.star, args.kwstar)


def _lines(function: Function) -> list[str]:
    return function.module.lines[function.node.lineno - 1 : function.node.end_lineno]


def is_generator(node: ast.AST) -> bool:
    """Return whether a function has a ``yield`` of its own."""
    inner = [child for child in ast_walk.children(node) if not isinstance(child, (*_FUNCTIONS, ast.ClassDef))]
    return any(isinstance(child, (ast.Yield, ast.YieldFrom)) or is_generator(child) for child in inner)


def is_static(target: Value) -> bool:
    """Return whether a method takes no receiver; what decorates it may be below ``@staticmethod``."""
    decorators = getattr(target.node, "decorator_list", ()) if isinstance(target, Function) else ()
    return isinstance(target, StaticMethod) or any(is_name(each, "staticmethod") for each in decorators)


def is_nn_module_target(cls: Class) -> bool:
    """Return whether a compiled class stands for the ``forward`` of its instances."""
    return cls.inherits("torch.nn.Module")


def _stands_for_instances(interp: Interpreter, cls: Class) -> bool:
    """Return whether a compiled class stands for the calls of its instances, as in ``torch._dynamo.eval_frame``."""
    called = is_nn_module_target(cls) or interp.class_attribute(cls, "__call__") is not None
    return called or _may_be_module(interp, cls)


def _may_be_module(interp: Interpreter, cls: Class) -> bool:
    """Return whether a class has a ``forward``, and a base class without source, so that it may be a module."""
    unknown = not cls.complete or any(name not in METHODLESS for name in cls.externals)
    return unknown and interp.class_attribute(cls, "forward") is not None


def _forward_below(interp: Interpreter, target: Instance) -> Value | None:
    """Return the ``forward`` of an object that may be a module."""
    cls = target.cls
    known = isinstance(cls, Class) and _may_be_module(interp, cls)
    return interp.class_attribute(cls, "forward") if isinstance(cls, Class) and known else None


def underlying(interp: Interpreter, target: Value) -> tuple[Function | None, Value | None, Class | None]:
    """Return the function as written behind a callable, its receiver, and its class; the first of several."""

    if isinstance(target, Union):
        found = [underlying(interp, member) for member in target.members]
        return next((each for each in found if each[0] is not None), found[0])
    if isinstance(target, Function):
        original = interp.caches.undecorated.get(target, target)
        return original, None, original.owner
    if isinstance(target, BuiltinMethod) and isinstance(target.receiver, Class) and target.name == "apply":
        forward = interp.class_attribute(target.receiver, "forward")
        function, _, _ = (None, None, None) if forward is None else underlying(interp, forward)
        return function, target.receiver, target.receiver  # ``apply`` gives ``forward`` its first argument
    if isinstance(target, BoundMethod):
        function, _, _ = underlying(interp, target.function)
        cls = target.receiver.cls if isinstance(target.receiver, Instance) else target.receiver
        return function, target.receiver, cls if isinstance(cls, Class) else None
    if isinstance(target, (Wrapped, Partial)):
        return underlying(interp, target.function)
    if isinstance(target, Instance) and isinstance(target.cls, Class):
        own = own_forward(target)
        if own is not None:
            return underlying(interp, own)
        method = interp.class_attribute(target.cls, "forward" if is_nn_module(target) else "__call__")
        method = method or _forward_below(interp, target)
        if method is None:
            return None, None, None
        function, _, _ = underlying(interp, method)
        return function, target, target.cls
    return None, None, None
