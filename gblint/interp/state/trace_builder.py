"""Functions that record the steps of a frame in its trace."""

from __future__ import annotations

import ast

from gblint.interp.state.frame import Frame
from gblint.interp.state.trace_ir import (
    OPERATOR,
    BlockKind,
    BlockStep,
    Body,
    BranchStep,
    BreakStep,
    CallStep,
    ExitStep,
    FunctionSummary,
    LoopStep,
    Place,
    Site,
    StuckManagerStep,
    TraceStep,
)
from gblint.values.base import TENSOR, Tensor, Unknown, Value, members
from gblint.values.containers import Seq

_ON_TENSORS = frozenset(f"builtins.{name}" for name in ("abs", "divmod", "max", "min", "pow", "sum"))
_EXITS = {how: ExitStep(how) for how in ("return", "raise", "break", "continue")}
_NOTHING = TraceStep()
_JUMPS = frozenset("if elif while ternary and or assert comprehension-if match compare-chain".split())
# The causes of breaks where a module is read, not where it is called.
_LOADED_MODULES = frozenset(("recurrent-module", "torch-jit-scripted-module"))
_BY_NODE: dict[type, str] = {
    ast.BinOp: "operator",
    ast.UnaryOp: "operator",
    ast.AugAssign: "operator",
    ast.JoinedStr: "format",
    ast.FormattedValue: "format",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.Raise: "raise",
    ast.Delete: "delete",
    ast.With: "enter",
    ast.For: "iteration",
    ast.Await: "await",
    ast.Return: "return",
}
# The operations after which Dynamo resumes the frame (``break_graph_if_unsupported``).
RESUMABLE = frozenset(("call", "jump", "subscript", "compare", "store"))
_BY_CONTEXT: dict[type, str] = {ast.Store: "store", ast.Del: "delete"}


def record_operator(frame: Frame, node: ast.AST, result: Value) -> None:
    """Record an operator of the graph, if its result is a tensor."""
    if frame.mode.tracing and node not in frame.body and is_tensor_result(result):
        frame.body[node] = OPERATOR


def record_outside_call(frame: Frame, node: ast.AST, name: str, arguments: tuple[Value, ...], result: Value) -> None:
    """Record a call without source as an operator, if it is one of torch or numpy, or a builtin on tensors."""
    if name.startswith(("torch.", "numpy.")):
        if type(result) is Unknown and any(type(value) is Tensor for value in arguments):
            result = TENSOR
        record_operator(frame, node, result)
    elif name in _ON_TENSORS:
        record_operator(frame, node, result)


def is_tensor_result(value: Value) -> bool:
    kind = type(value)
    if kind is Tensor:
        return not value.constant  # type: ignore[attr-defined]
    if kind is Seq:
        items = value.items or (value.rest,)  # type: ignore[attr-defined]
        return any(type(item) is Tensor for item in items)
    return any(type(member) is Tensor for member in members(value))


def record_break(frame: Frame, node: ast.AST, place: Place, causes: tuple[str, ...]) -> None:
    """Record a break at ``node``; the breaking operation is not an operator of the graph."""
    key = ("break", place)
    if key not in frame.body:
        frame.body[key] = BreakStep(place, operation_of(node, place[2], place[3], causes), node)
        frame.body[node] = frame.body.get(node, _NOTHING)


def record_failed_entry(frame: Frame, node: ast.AST) -> None:
    """Record that a context manager, made at ``node`` by a breaking operation, is entered next."""
    places = tuple(step.place for step in frame.body.values() if isinstance(step, BreakStep) and step.node is node)
    if places:
        frame.body[("stuck", node)] = StuckManagerStep(node, places)


def record_call(frame: Frame, node: ast.AST, site: Site, callee: FunctionSummary) -> None:
    """Record a call of a function with source."""
    if frame.mode.tracing:
        frame.body[(node, id(callee))] = CallStep(site, callee, node)


def record_method_on_stack(frame: Frame, node: ast.AST) -> None:
    """Record that the method called at ``node`` cannot be passed to a resumed frame, as the last break there says."""
    places = [step.place for step in frame.body.values() if isinstance(step, BreakStep) and step.node is node]
    for step in frame.body.values():
        if places and isinstance(step, CallStep) and step.node is node:
            step.stuck = places[-1]


def record_exit(frame: Frame, node: ast.AST, how: str) -> None:
    """Record that control leaves the body."""
    if frame.mode.tracing:
        frame.body[("exit", node)] = _EXITS[how]


class InBlock:
    """A ``with`` block whose steps are recorded in a block of this kind."""

    __slots__ = ("frame", "new", "outer")

    def __init__(self, frame: Frame, kind: BlockKind, node: ast.AST) -> None:
        self.frame = frame
        self.outer = frame.body
        self.new = BlockStep(kind, node)
        if frame.mode.tracing:
            self.outer[(kind, node)] = self.new

    def __enter__(self) -> BlockStep:
        self.frame.body = self.new.body
        return self.new

    def __exit__(self, *_: object) -> None:
        self.frame.body = self.outer


class InBranch:
    """A ``with`` block whose steps are recorded in a new body, appended to ``bodies``."""

    __slots__ = ("body", "frame", "outer")

    def __init__(self, frame: Frame, bodies: list[Body]) -> None:
        self.frame = frame
        self.outer = frame.body
        self.body: Body = {}
        bodies.append(self.body)

    def __enter__(self) -> None:
        self.frame.body = self.body

    def __exit__(self, *_: object) -> None:
        self.frame.body = self.outer


def record_branch(frame: Frame, node: ast.AST) -> BranchStep:
    """Record an undecided condition."""
    new = BranchStep()
    frame.body[("branch", node)] = new
    return new


def record_optional_end(frame: Frame, node: ast.AST) -> None:
    """Record the following steps as optional, as after the first operand of ``and``; the caller restores the body."""
    rest: Body = {}
    record_branch(frame, node).bodies += [{}, rest]
    frame.body = rest


def record_loop(frame: Frame, node: ast.AST, times: int | None, *, unrolled: bool, layers: bool = False) -> LoopStep:
    """Record a loop."""
    new = LoopStep(node, unrolled, times, layers)
    frame.body[("loop", node)] = new
    return new


# Functions that Python calls where they stand as decorators, without a call in the source.
_CALLED_DECORATORS = ("functools.cache", "functools.lru_cache")


def resumes_after(node: ast.AST, kind: str = "", subject: str = "", causes: tuple[str, ...] = ()) -> bool:
    """Return whether Dynamo can resume a frame after a break at ``node``."""
    return operation_of(node, kind, subject, causes) in RESUMABLE


def operation_of(node: ast.AST, kind: str = "", subject: str = "", causes: tuple[str, ...] = ()) -> str:
    """The kind of operation, as the bytecode has it, that an event at ``node`` belongs to."""
    if kind == "data-dependent-branch" and subject in _JUMPS:
        return "jump"
    if kind == "assertion":
        return "assert"
    if subject == "method-in-variable":
        return "method"
    if subject == "torch._dynamo.skip_frame":
        return "skip"
    if kind == "context-manager" and subject != "decorator" and "unsupported-context-manager" in causes:
        return "enter"
    if kind == "module-call" and not _LOADED_MODULES.isdisjoint(causes):
        return "attribute"
    if subject in ("builtins.format", "builtins.repr"):
        return "format"
    if subject in ("format", "slice-bound", "not", "in"):
        return {"not": "operator", "in": "membership", "slice-bound": "slice"}.get(subject, subject)
    if subject in _CALLED_DECORATORS:
        return "call"
    if isinstance(node, ast.Attribute):
        return _BY_CONTEXT.get(type(node.ctx), "attribute")
    if isinstance(node, ast.Subscript):
        return _BY_CONTEXT.get(type(node.ctx), "subscript")
    if isinstance(node, ast.Compare):
        return "membership" if isinstance(node.ops[0], (ast.In, ast.NotIn)) else "compare"
    if kind == "iterator" and not isinstance(node, ast.Call):
        return "iteration"
    return _BY_NODE.get(type(node), "call")
