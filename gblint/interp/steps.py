"""What a run of a function does, in order, as far as it matters for splitting the function into graphs.

While a frame is interpreted it keeps a *body*: operators, breaks and calls by the node at which they happen, so that
looking at an expression twice notes it once.  Branches, loops and regions hold bodies of their own.
``consequences.py`` goes through them afterwards as Dynamo goes through the bytecode.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from gblint.values.base import Tensor, Value, members
from gblint.values.containers import Seq

if TYPE_CHECKING:
    from gblint.interp.frames import Frame, Summary

Place = tuple[int, int, str, str]
Site = tuple[int, int]
Body = dict[object, "Step"]
RegionKind = Literal["try", "with", "manager", "enter", "comprehension", "generator"]


class Step:
    """One thing that happens."""

    __slots__ = ()


@dataclass(slots=True)
class Break(Step):
    """A place where Dynamo gives up, and the kind of operation that it is."""

    place: Place
    operation: str
    node: ast.AST


@dataclass(slots=True)
class Call(Step):
    """A call of a function that is inlined."""

    site: Site
    callee: Summary
    operation: str
    node: ast.AST


@dataclass(slots=True)
class Branch(Step):
    """The ways that a condition leaves open."""

    bodies: list[Body] = field(default_factory=list)


@dataclass(slots=True)
class Loop(Step):
    """A loop: the bodies of its iterations, or one body that runs ``times`` times (None: nobody knows)."""

    node: ast.AST
    unrolled: bool
    times: int | None
    bodies: list[Body] = field(default_factory=list)


@dataclass(slots=True)
class Region(Step):
    """Code under something that decides whether Dynamo can resume; ``handlers`` run instead of it or not at all."""

    kind: RegionKind
    node: ast.AST
    body: Body = field(default_factory=dict)
    handlers: list[Body] = field(default_factory=list)


@dataclass(slots=True)
class Exit(Step):
    """Control leaves: by "return", "raise", "break" or "continue"."""

    how: str


@dataclass(slots=True)
class Mark(Step):
    """A statement begins."""

    line: int


class _Operator(Step):
    __slots__ = ()


OPERATOR = _Operator()
_EXITS = {how: Exit(how) for how in ("return", "raise", "break", "continue")}


def statement(frame: Frame, node: ast.stmt) -> None:
    """A statement begins."""
    if frame.mode.tracing:
        frame.body[node] = Mark(node.lineno)


def operator(frame: Frame, node: ast.AST, result: Value) -> None:
    """An operator that goes into the graph, if a tensor comes out of it."""
    if frame.mode.tracing and node not in frame.body and _is_tensor(result):
        frame.body[node] = OPERATOR


def _is_tensor(value: Value) -> bool:
    kind = type(value)
    if kind is Tensor:
        return not value.constant  # type: ignore[attr-defined]
    if kind is Seq:
        items = value.items or (value.rest,)  # type: ignore[attr-defined]
        return any(type(item) is Tensor for item in items)
    return any(type(member) is Tensor for member in members(value))


def broke(frame: Frame, node: ast.AST, place: Place, gb_ids: tuple[str, ...]) -> None:
    """A break at ``node``; what breaks is no operator of the graph."""
    key = ("break", place)
    if key not in frame.body:
        frame.body[key] = Break(place, operation_of(node, place[2], place[3], gb_ids), node)
        frame.body[node] = frame.body.get(node, _NOTHING)


_NOTHING = Step()


def called(frame: Frame, node: ast.AST, site: Site, callee: Summary) -> None:
    """A call of a function with its source."""
    if frame.mode.tracing:
        frame.body[(node, id(callee))] = Call(site, callee, operation_of(node), node)


def leaves(frame: Frame, node: ast.AST, how: str) -> None:
    """Control leaves the body."""
    if frame.mode.tracing:
        frame.body[("exit", node)] = _EXITS[how]


@contextmanager
def region(frame: Frame, kind: RegionKind, node: ast.AST) -> Iterator[Region]:
    """What happens within goes into a region of this kind."""
    outer = frame.body
    new = Region(kind, node)
    outer[(kind, node)] = new
    frame.body = new.body
    try:
        yield new
    finally:
        frame.body = outer


@contextmanager
def aside(frame: Frame, bodies: list[Body]) -> Iterator[None]:
    """What happens within goes into a body of its own, the next of ``bodies``."""
    outer = frame.body
    frame.body = {}
    bodies.append(frame.body)
    try:
        yield
    finally:
        frame.body = outer


def branch(frame: Frame, node: ast.AST) -> Branch:
    """A condition that is not decided."""
    new = Branch()
    frame.body[("branch", node)] = new
    return new


def loop(frame: Frame, node: ast.AST, times: int | None, *, unrolled: bool) -> Loop:
    """A loop."""
    new = Loop(node, unrolled, times)
    frame.body[("loop", node)] = new
    return new


_JUMPS = frozenset("if elif while ternary and or assert comprehension-if match compare-chain".split())
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
    ast.With: "with",
    ast.For: "iteration",
    ast.Await: "await",
    ast.Return: "return",
}


def operation_of(node: ast.AST, kind: str = "", subject: str = "", gb_ids: tuple[str, ...] = ()) -> str:
    """The kind of operation, as the bytecode has it, that an event at ``node`` belongs to."""
    if kind == "data-dependent-branch" and subject in _JUMPS:
        return "jump"
    if kind == "explicit-break" and subject.endswith("skip_frame"):
        return "skip"
    if kind == "context-manager" and "GB0142" in gb_ids:
        return "with"
    if kind == "module-call" and "GB0014" in gb_ids:
        return "attribute"
    if subject in ("format", "slice-bound", "not", "in"):
        return {"not": "operator", "in": "membership", "slice-bound": "slice"}.get(subject, subject)
    if isinstance(node, ast.Attribute):
        return _BY_CONTEXT.get(type(node.ctx), "attribute")
    if isinstance(node, ast.Subscript):
        return _BY_CONTEXT.get(type(node.ctx), "subscript")
    if isinstance(node, ast.Compare):
        return "membership" if isinstance(node.ops[0], (ast.In, ast.NotIn)) else "compare"
    if kind == "iterator" and not isinstance(node, ast.Call):
        return "iteration"
    return _BY_NODE.get(type(node), "call")


_BY_CONTEXT: dict[type, str] = {ast.Store: "store", ast.Del: "delete"}
