"""Divergence: code that Dynamo traces without a break to something else than Python does."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable

from gblint.diagnostics.break_event import Category
from gblint.interp.domain.access_paths import access_path
from gblint.interp.state import trace_ir
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.events import Emission
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import INT, NONE, UNKNOWN, Bottom, Const, Scalar, Tensor, Unknown, Value, members
from gblint.values.containers import Iterator, Seq
from gblint.values.objects import Class, ExternalName, Function

CACHED = "cached"


def differs(interp: Interpreter, frame: Frame, node: ast.AST, subject: str, *, likely: bool = False) -> None:
    """Record that the traced code at ``node`` differs from Python."""
    interp.emit_event(frame, node, Emission("divergence", subject, likely=likely, category=Category.DIVERGENCE))


# -- generators and coroutines -----------------------------------------------------------------------------------------


def delegated(interp: Interpreter, source: Value, used: bool, frame: Frame, node: ast.AST) -> Value:
    """Return the value of ``yield from source``: the generator's return value, which Dynamo replaces by None."""
    returned = [v.returned for v in members(source) if isinstance(v, Iterator) and v.cls == "generator"]
    values = [v for each in returned for v in members(each) if v != NONE and not isinstance(v, Bottom)]
    if not values:
        return UNKNOWN if not returned else NONE
    if not frame.mode.tracing:
        return returned[0] if len(returned) == 1 else UNKNOWN
    if used:
        differs(interp, frame, node, "yield-from-value")
    return NONE


def check_endless(interp: Interpreter, value: Value, frame: Frame, node: ast.AST) -> None:
    """Report a generator that never ends and is run to its end."""
    for member in members(value):
        if isinstance(member, Iterator) and isinstance(member.returned, Bottom) and not member.pre_existing:
            interp.emit(frame, node, "generator", "endless", ("infinite-generator-detected",))


def check_coroutine(interp: Interpreter, function: Function, frame: Frame, node: ast.AST) -> None:
    """Report the call of a coroutine function, which Dynamo inlines and runs at the call."""
    written = function.node
    if not isinstance(written, ast.AsyncFunctionDef) or not isinstance(node, ast.Call) or node is interp.awaited:
        return
    stops = (ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Yield, ast.YieldFrom)
    if frame.mode.tracing and not any(isinstance(child, stops) for child in ast_walk.walk(written)):
        differs(interp, frame, node, "coroutine-call")


# -- attributes of classes ---------------------------------------------------------------------------------------------


def note_class_store(cls: Class, name: str, frame: Frame) -> None:
    """Note that the region stores an attribute that the body of the class, or of a base, binds."""
    if frame.mode.tracing and any(name in owner.module.binding_table(owner.node) for owner in cls.mro):
        frame.flow.class_stores[id(cls), name] = frame.conditions.path


def check_class_read(interp: Interpreter, cls: Class, name: str, frame: Frame, node: ast.AST) -> None:
    """Report ``self.name`` after the frame has stored ``Class.name``: Dynamo reads the class as it was before.

    It keeps the store for the end of the graph, and looks for attributes of an object in the class itself
    (``UserDefinedObjectVariable.lookup_class_mro_attr`` in torch/_dynamo/variables/user_defined.py).
    """
    for owner in cls.mro:
        path = frame.flow.class_stores.get((id(owner), name))
        if path is None:
            if name in owner.module.binding_table(owner.node):
                return  # it is found in this class
            continue
        known = {condition.node: condition.holds for condition in frame.conditions.path}
        if any(known.get(each.node, each.holds) is not each.holds for each in path):
            return  # the store is in another branch
        differs(interp, frame, node, "class-attribute", likely=any(each.node not in known for each in path))
        return


# -- modules that are mistaken for others -----------------------------------------------------------------------------


def check_own_module(interp: Interpreter, function: Function, frame: Frame, node: ast.AST) -> bool:
    """Return whether Dynamo skips a function because its module has the name of a library on the skip list.

    The list is resolved along ``sys.path`` when torch is imported (``THIRDPARTY_SKIPLIST`` in
    torch/_dynamo/trace_rules.py), so that it may find the project's own ``tree.py``.  A call of the function breaks the
    graph; an entry point is not compiled at all, without a message.
    """
    module = function.module
    if module.origin == "library" or not frame.mode.tracing or not interp.knowledge.skipped_package(module.name):
        return False
    if module.name.partition(".")[0] in sys.stdlib_module_names:
        return False
    if isinstance(node, ast.Pass):
        differs(interp, frame, function.node, "own-module", likely=True)
    else:
        interp.emit(
            frame,
            node,
            "skipped-function",
            f"{module.name}.{function.name}",
            ("call-of-skipped-function",),
            likely=True,
        )
    return True


# -- handlers that never run -------------------------------------------------------------------------------------------

_OUT_OF_MEMORY = frozenset(("torch.OutOfMemoryError", "torch.cuda.OutOfMemoryError"))
_OF_OPERATORS = _OUT_OF_MEMORY | {"builtins.RuntimeError", "torch.linalg.LinAlgError", "torch._C._LinAlgError"}
_OF_ALL = frozenset(("builtins.Exception", "builtins.BaseException"))
# Errors that an operator raises for arguments that it does not take; other code may raise them as well.
_OF_ARGUMENTS = frozenset(
    ("builtins.TypeError", "builtins.ValueError", "builtins.IndexError", "builtins.NotImplementedError")
)


def check_handlers(
    interp: Interpreter, node: ast.Try, body: trace_ir.Body, frame: Frame
) -> frozenset[ast.ExceptHandler]:
    """Report handlers for errors of operators, and return those that Dynamo does not run.

    An operator fails while it is traced or when the graph runs, not in the ``try``. Nothing that is traced runs out of
    memory.
    """
    if not frame.mode.tracing:
        return frozenset()
    seen: set[str] = set()
    _look_through(body, seen, set())
    fails = "operator" in seen and "raise" not in seen
    idle: set[ast.ExceptHandler] = set()
    for handler in node.handlers:
        names = {v.name for v in _caught(interp, handler, frame)}
        everything = handler.type is None or bool(names & _OF_ALL)
        if not fails:
            idle.update([handler] if names and names <= _OUT_OF_MEMORY else ())
        elif names & _OF_OPERATORS or (everything and "other" not in seen and len(node.body) == 1):
            idle.add(handler)
            if not isinstance(handler.body[-1], ast.Raise):
                differs(interp, frame, handler, "operator-error", likely=everything)
        elif names and names <= _OF_ARGUMENTS and "other" not in seen and _only_calls_torch(interp, node.body, frame):
            idle.add(handler)
    return frozenset(idle)


def _only_calls_torch(interp: Interpreter, body: list[ast.stmt], frame: Frame) -> bool:
    """Return whether statements only store results of functions of torch and of methods of tensors."""
    for statement in body:
        if not isinstance(statement, (ast.Assign, ast.Expr, ast.Return)) or statement.value is None:
            return False
        for each in ast_walk.walk(statement):
            if isinstance(each, (ast.Subscript, ast.BinOp, ast.Compare, ast.Await, ast.Starred)):
                return False
            if isinstance(each, ast.Call) and not _is_of_torch(interp, each.func, frame):
                return False
    return True


def _is_of_torch(interp: Interpreter, function: ast.expr, frame: Frame) -> bool:
    """Return whether a function is a method of a tensor, or in torch."""
    if not isinstance(function, ast.Attribute):
        return False
    owner = function.value
    if isinstance(owner, ast.Call):
        return _is_of_torch(interp, owner.func, frame)
    return access_path(owner) is not None and all(
        isinstance(each, Tensor) or (isinstance(each, ExternalName) and each.name.partition(".")[0] == "torch")
        for each in members(interp.eval(owner, frame))
    )


def _caught(interp: Interpreter, handler: ast.ExceptHandler, frame: Frame) -> list[ExternalName]:
    if handler.type is None:
        return []
    value = interp.eval(handler.type, frame)
    values = value.items or () if isinstance(value, Seq) else members(value)
    return [v for v in values if isinstance(v, ExternalName)]


def _look_through(body: trace_ir.Body, seen: set[str], visited: set[int]) -> None:
    """Add the kinds of code in ``body`` to ``seen``, up to a "raise": "operator" for a graph operator, or "other"."""
    for step in body.values():
        if "raise" in seen:
            return
        if step is trace_ir.OPERATOR:
            seen.add("operator")
        elif isinstance(step, trace_ir.ExitStep):
            seen.add(step.how)
        elif not isinstance(step, int):
            seen.add("other")
        for inner in _inside(step, visited):
            _look_through(inner, seen, visited)


def _inside(step: trace_ir.TraceStep | int, visited: set[int]) -> Iterable[trace_ir.Body]:
    if isinstance(step, trace_ir.CallStep):
        if id(step.callee) in visited:
            return ()
        visited.add(id(step.callee))
        return (step.callee.body,)
    if isinstance(step, (trace_ir.BranchStep, trace_ir.LoopStep)):
        return step.bodies
    return (step.body,) if isinstance(step, trace_ir.BlockStep) else ()


# -- functions ---------------------------------------------------------------------------------------------------------

_DRAWN = frozenset("rand randn randint randperm normal bernoulli multinomial rand_like randn_like randint_like".split())


def check_cached(interp: Interpreter, function: Function, frame: Frame, node: ast.AST) -> None:
    """Report an impure function under ``functools.lru_cache``: Dynamo ignores the cache, so that the function runs each
    time.
    """
    if CACHED not in function.marks or not frame.mode.tracing:
        return
    if function.node not in interp.caches.impure_functions:
        interp.caches.impure_functions[function.node] = _is_impure(interp, function)
    if interp.caches.impure_functions[function.node]:
        differs(interp, frame, node, "cached-function")


def _is_impure(interp: Interpreter, function: Function) -> bool:
    """Return whether a function draws random numbers or changes outer variables."""
    outer = interp.module_frame(function.module)
    for child in ast_walk.walk(function.node):
        if isinstance(child, (ast.Global, ast.Nonlocal)):
            return True
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute) and child.func.attr in _DRAWN:
            called = interp.eval(child.func, outer)
            if isinstance(called, ExternalName) and called.name.partition(".")[0] == "torch":
                return True
    return False


def seed(ctx: CallContext) -> Value:
    """``torch.seed()``: the number drawn while tracing is a constant of the graph."""
    differs(ctx.interp, ctx.frame, ctx.node, "torch.seed")
    return INT


_DRAWS = frozenset("rand randn random random_sample sample normal uniform randint choice shuffle permutation".split())


def check_draw(ctx: CallContext, name: str) -> None:
    """Report ``numpy.random.rand`` and others, which draw from torch's generator; ``numpy.random.seed`` does not set
    it.
    """
    if name.rpartition(".")[2] in _DRAWS:
        differs(ctx.interp, ctx.frame, ctx.node, "numpy-random")


def check_division(interp: Interpreter, op: ast.operator, a: Value, b: Value, frame: Frame, node: ast.AST) -> None:
    """Report an integer array divided by a Python integer: float64 in NumPy, torch's default dtype when traced."""
    if not isinstance(op, ast.Div) or not isinstance(a, Tensor) or not a.ndarray or (a.constant and a.rank == 0):
        return
    if a.dtype == "int" and ((isinstance(b, Scalar) and b.kind == "int") or _is_int(b)) and not isinstance(b, Unknown):
        differs(interp, frame, node, "numpy-division")


def _is_int(value: Value) -> bool:
    return isinstance(value, Const) and type(value.value) is int


HANDLERS: dict[str, Handler] = {"torch.seed": seed, "torch.random.seed": seed}
