"""Context managers: entering them."""

from __future__ import annotations

import ast

from gblint.interp.domain.access_paths import last_name
from gblint.interp.models.python import configuration_files, divergence, exceptions
from gblint.interp.models.torch import compiler_decorators, dynamo_config, error_on_graph_break, hard_errors
from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import FALSE, NONE, TRUE, UNKNOWN, Value, members
from gblint.values.containers import Iterator
from gblint.values.lattice import join_all
from gblint.values.objects import (
    Class,
    ExternalName,
    ExternalObject,
    FileObject,
    Function,
    Instance,
    Partial,
    SettingsPatch,
    Toggle,
)
from gblint.values.wrapped import GeneratorContextManager, Wrapped

Leaving = tuple[Function | Wrapped, Instance, ast.AST]
"""An ``__exit__``, its manager, and the expression of that."""
# Managers that Dynamo enters even if they were made outside of the region (torch/_dynamo/variables/builder.py).
_CARRIED = (
    "torch.amp",
    "torch.autocast",
    "torch.cuda.amp",
    "torch.cpu.amp",
    "contextlib.nullcontext",
    "torch.profiler.",
    "torch.autograd.profiler.",
)
_WITHOUT_GRADIENTS = ("torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad")
_NO_GRAD = ("torch.no_grad", "torch.autograd.no_grad")
_WITH_GRADIENTS = ("torch.enable_grad", "torch.autograd.enable_grad")
# Managers whose code Dynamo inlines: it cannot resume within them.
_GENERIC = ("contextlib.", "warnings.", "torch.fx.traceback.")

_DECORATORS = frozenset(("contextmanager", "asynccontextmanager"))

THROUGH = "manager"
_WORST_FIRST = ("with", THROUGH)
_ENTERED = {"builtins.open": "io.TextIOWrapper", "contextlib.ExitStack": "contextlib.ExitStack"}


def enter(interp: Interpreter, node: ast.expr, frame: Frame, leaving: list[Leaving]) -> tuple[Value, str]:
    """Enter the manager that ``node`` makes; return the value for ``as`` and the kind of its block.

    The kind is empty if Dynamo can resume within it, else THROUGH if an exception leaves it for sure, else "with".
    leaving: gets the calls of ``__exit__`` to run after the block; in a region they run before it.
    """
    if isinstance(node, ast.Call):
        function = interp.eval(node.func, frame)
        if isinstance(function, ExternalName) and (frame.mode.tracing or function != dynamo_config.PATCH):
            known = _external(interp, function.name, node, frame)
            if known is not None:
                return known
    before = set(frame.summary.events)
    value = interp.eval(node, frame)
    broke = any(p not in before and frame.summary.events[p].event.kind == "call" for p in frame.summary.events)
    if broke:
        trace_builder.record_failed_entry(frame, node)
    results: list[Value] = []
    kinds: list[str] = []
    for member in members(value):
        if member == NONE:
            continue
        with trace_builder.InBlock(frame, "enter", node):
            result, kind = _enter_value(interp, member, node, frame, broke, leaving)
        results.append(result)
        kinds.append(kind)
    return (join_all(results) if results else UNKNOWN), next((kind for kind in _WORST_FIRST if kind in kinds), "")


def is_file(value: Value) -> bool:
    """Return whether ``value`` is an open file."""
    return isinstance(value, ExternalObject) and value.cls.startswith("io.")


def _set_gradients(frame: Frame, name: str) -> None:
    """Set in ``frame`` whether gradients are recorded below the manager ``name``, if that decides it."""
    if name in _WITHOUT_GRADIENTS or name in _WITH_GRADIENTS:
        frame.mode = replace(frame.mode, grad=name in _WITH_GRADIENTS, grad_is_set=True)


def _external(interp: Interpreter, name: str, node: ast.Call, frame: Frame) -> tuple[Value, str] | None:
    fact = interp.knowledge.context_manager(name)
    if (
        fact is None
        or name in hard_errors.HANDLERS
        or name in compiler_decorators.HANDLERS
        or name == error_on_graph_break.NAME
    ):
        return None
    first: Value | None = None
    for argument in (*node.args, *(k.value for k in node.keywords)):
        value = interp.eval(argument, frame)
        first = value if first is None else first
    if fact.breaks:
        interp.emit(frame, node, "context-manager", name, fact.gb_ids)
        if "unsupported-context-manager" not in interp.knowledge.causes_of(fact.gb_ids):
            trace_builder.record_failed_entry(frame, node)
    _set_gradients(frame, name)
    if name == "torch.set_grad_enabled" and first is not None:
        frame.mode = replace(frame.mode, grad=first != FALSE, grad_is_set=first in (TRUE, FALSE))
    if name == "contextlib.nullcontext" and node.args:
        return interp.eval(node.args[0], frame), ""
    entered: Value = ExternalObject(_ENTERED[name]) if name in _ENTERED else UNKNOWN
    if name == "builtins.open" and node.args and not frame.mode.tracing:
        entered = configuration_files.opened(first) or entered
    if name.startswith("tqdm."):
        entered = Iterator(name, UNKNOWN if first is None else interp.item_of(first, frame, node))
    return entered, "with" if name.startswith(_GENERIC) and name != "contextlib.nullcontext" else ""


def leave(interp: Interpreter, leaving: list[Leaving], frame: Frame) -> None:
    """Run the calls of ``__exit__`` after a block."""
    for exit_, value, node in reversed(leaving):
        interp.call(exit_, Args((value, NONE, NONE, NONE)), frame, node)


def _leave_in_branch(interp: Interpreter, leaving: list[Leaving], frame: Frame) -> None:
    """Run the calls of ``__exit__`` before the block, which still sees what ``__enter__`` has stored."""
    branch = interp.enter_branch()
    leave(interp, leaving, frame)
    interp.branch_id = branch


def _enter_value(
    interp: Interpreter, value: Value, node: ast.AST, frame: Frame, broke: bool, leaving: list[Leaving]
) -> tuple[Value, str]:
    if isinstance(value, GeneratorContextManager):
        inner = value.function
        if isinstance(inner, Iterator) and inner.pre_existing:
            interp.emit(frame, node, "context-manager", "instance", ("unsupported-context-manager",))
        return (inner.item if isinstance(inner, Iterator) else inner), "with"
    if isinstance(value, Toggle):
        error_on_graph_break.enter(interp, value, frame)
        return NONE, ""
    if isinstance(value, SettingsPatch) and not frame.mode.tracing:
        frame.mode = dynamo_config.entered(frame.mode, value.settings)
        return NONE, ""
    if isinstance(value, Instance):
        return _enter_instance(interp, value, node, frame, leaving)
    if isinstance(value, FileObject) and not frame.mode.tracing:
        return value, "with"
    if isinstance(value, Iterator) and value.cls.startswith("tqdm"):
        interp.emit(frame, node, "context-manager", value.cls, ("unsupported-context-manager",))
        return value, ""
    if isinstance(value, ExternalObject):
        if value.cls in _NO_GRAD and _is_resumed_with(value, node, frame):
            # GradModeVariable.reconstruct in torch/_dynamo/variables/ctx_manager.py calls set_grad_enabled(False).
            divergence.differs(interp, frame, node, "no-grad-before-break")
        _set_gradients(frame, value.cls)
        fact = interp.knowledge.context_manager(value.cls)
        if fact is None or fact.breaks:
            causes = fact.gb_ids if fact is not None and fact.gb_ids else ("unsupported-context-manager",)
            interp.emit(
                frame, node, "context-manager", value.cls, causes, likely=fact is None and not value.pre_existing
            )
        elif value.pre_existing and not value.cls.startswith(_CARRIED):
            interp.emit(frame, node, "context-manager", "instance", ("unsupported-context-manager",))
        return value, ""
    if isinstance(value, Partial) and value.function == compiler_decorators.STANCED:
        hard_errors.refuse(interp, frame, node, compiler_decorators.STANCE, ("unsupported-context-manager",))
        if not frame.mode.tracing:
            frame.mode = compiler_decorators.in_stance(frame, node, dict(value.kwargs)["stance"])
    return UNKNOWN, "with"


def _enter_instance(
    interp: Interpreter, value: Instance, node: ast.AST, frame: Frame, leaving: list[Leaving]
) -> tuple[Value, str]:
    if not isinstance(value.cls, Class):
        return value, ""
    if value.cls.inherits("torch.utils._python_dispatch.TorchDispatchMode"):
        interp.emit(
            frame,
            node,
            "context-manager",
            "torch.utils._python_dispatch.TorchDispatchMode",
            ("call-of-skipped-function",),
        )
        return value, "with"
    method = interp.class_attribute(value.cls, "__enter__")
    refused = interp.knowledge.event("context-manager", "user-instance")
    is_input = value.pre_existing or _is_resumed_with(value, node, frame)
    is_refused = method is not None and (not refused or refused.breaks)
    if is_input and is_refused and frame.mode.tracing and not value.from_defaults:
        subject = "instance" if value.pre_existing else "made-before-break"
        interp.emit(frame, node, "context-manager", subject, ("unsupported-context-manager",))
    result: Value = value
    if isinstance(method, (Function, Wrapped)):
        result = interp.call(method, Args((value,)), frame, node)
    exit_ = interp.class_attribute(value.cls, "__exit__")
    if not isinstance(exit_, (Function, Wrapped)):
        return result, "with"
    if frame.mode.tracing:
        _leave_in_branch(interp, [(exit_, value, node)], frame)
    else:
        leaving.append((exit_, value, node))
    return result, THROUGH if _lets_through(exit_) else "with"


def _is_resumed_with(value: Value, node: ast.AST, frame: Frame) -> bool:
    """Return whether the frame has broken since the variable got its object, which is an input from there on."""
    known = frame.flow.objects.get(node.id) if isinstance(node, ast.Name) and not frame.mode.fullgraph else None
    return known is not None and any(each is value for each in members(known))


def _lets_through(exit_: Function | Wrapped) -> bool:
    """Return whether every ``return`` of an ``__exit__`` is one of None or False, so that an exception goes on."""
    function = exit_.function if isinstance(exit_, Wrapped) else exit_
    if not isinstance(function, Function) or isinstance(function.node, ast.Lambda):
        return False
    returned = [node.value for node in ast_walk.walk(function.node) if isinstance(node, ast.Return)]
    return all(value is None or (isinstance(value, ast.Constant) and not value.value) for value in returned)


def entered(ctx: CallContext, manager: Value) -> Value:
    """Return the result of ``__enter__`` of a manager that an ``ExitStack`` enters; it may be left at any time."""
    leaving: list[Leaving] = []
    results = [
        _enter_value(ctx.interp, member, ctx.node, ctx.frame, broke=False, leaving=leaving)[0]
        for member in members(manager)
        if not isinstance(member, ExternalObject)
    ]
    _leave_in_branch(ctx.interp, leaving, ctx.frame)
    return join_all(results) if results else UNKNOWN


def suspended(interp: Interpreter, frame: Frame) -> None:
    """Enter a new branch after the ``yield`` of a manager: the block sees what the code before it has stored.

    The code after the ``yield``, which restores what was there, is evaluated before the block.
    """
    function = None if frame.function is None else frame.function.node
    if isinstance(function, ast.FunctionDef) and any(last_name(d) in _DECORATORS for d in function.decorator_list):
        interp.enter_branch()


def called(ctx: CallContext, manager: ExternalObject, name: str) -> None:
    """Report ``manager.__enter__()`` and ``manager.__exit__(...)`` of what Dynamo supports in ``with`` only."""
    if name in ("__enter__", "__exit__") and ctx.interp.knowledge.context_manager(manager.cls) is not None:
        if manager.cls != "contextlib.ExitStack":
            ctx.emit("context-manager", name, ("unsupported-method-call",))


def call_decorated(ctx: CallContext, function: Wrapped) -> Value:
    """Return the result of a call of a function decorated with ``contextlib.contextmanager``."""
    check_made(ctx.interp, function.function, ctx.frame, ctx.node)
    result = ctx.call(function.function, ctx.args)
    return GeneratorContextManager(result) if isinstance(result, Iterator) else UNKNOWN


def check_made(interp: Interpreter, function: Value, frame: Frame, node: ast.AST) -> None:
    """Report a call of a function decorated with ``contextlib.contextmanager``."""
    if not frame.mode.tracing or not isinstance(function, Function):
        return
    if not frame.mode.config.trace_contextlib:
        interp.emit(
            frame,
            node,
            "context-manager",
            "contextlib.contextmanager",
            ("unsupported-context-manager", "traced-contextmanager"),
        )
    elif not any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast_walk.walk(function.node)):
        if exceptions.is_caught(frame, node, "TypeError"):
            interp.emit(
                frame,
                node,
                "context-manager",
                "contextlib.contextmanager",
                ("non-generator-contextlib-contextmanager",),
            )
