"""Break events: how sure an event is, and the record of it in the summary of a function."""

from __future__ import annotations

import ast

from gblint.diagnostics.break_event import BreakEvent, Category, Confidence
from gblint.diagnostics.span import Span
from gblint.interp.state import trace_builder
from gblint.interp.state.frame import Frame
from gblint.interp.state.trace_ir import EventInMode
from gblint.project.modules import Module
from gblint.values.base import Const, Scalar, Tensor, Union, Unknown, Value, members
from gblint.values.objects import Instance


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


def span_of(module: Module, node: ast.AST) -> Span:
    """Where ``node`` stands, in the terms of the reports."""
    line = getattr(node, "lineno", 1)
    return Span(
        module.display,
        line,
        getattr(node, "col_offset", 0) + 1,
        getattr(node, "end_lineno", line) or line,
        (getattr(node, "end_col_offset", 0) or 0) + 1,
    )


def record(
    frame: Frame,
    node: ast.AST,
    kind: str,
    subject: str,
    gb_ids: tuple[str, ...],
    confidence: Confidence,
    *,
    operand: str = "Tensor",
    extra: tuple[str, ...] = (),
    category: Category = Category.GRAPH_BREAK,
) -> bool:
    """Notes a break event at ``node``, unless this code is not traced; tells whether it is a certain break."""
    if not frame.mode.tracing:
        return False
    if frame.mode.rare:
        confidence = Confidence.POSSIBLE
    else:
        confidence = _less_sure(confidence, frame.guarded and confidence is Confidence.CERTAIN, frame.mode.unusual)
    place = (getattr(node, "lineno", 1), getattr(node, "col_offset", 0), kind, subject)
    if frame.mode.hop and category is Category.GRAPH_BREAK:
        category = Category.COMPILE_ERROR
        if kind != "higher-order":
            extra = (*extra, "hop")
    if category is Category.GRAPH_BREAK:
        trace_builder.broke(frame, node, place, gb_ids)
    old = frame.summary.events.get(place)
    certain = confidence is Confidence.CERTAIN and category is Category.GRAPH_BREAK
    if old is not None and old.event.confidence.rank >= confidence.rank:
        return certain
    event = BreakEvent(
        kind,
        subject,
        span_of(frame.module, node),
        frame.summary.function,
        gb_ids,
        confidence,
        operand,
        "",
        frozenset((*frame.context, *extra)),
        category,
    )
    frame.summary.events[place] = EventInMode(event, frame.mode.error_on_break, frame.mode.said)
    return certain


def _less_sure(confidence: Confidence, *doubts: bool) -> Confidence:
    """``confidence``, lower by one step for each doubt."""
    levels = (Confidence.POSSIBLE, Confidence.LIKELY, Confidence.CERTAIN)
    return levels[max(levels.index(confidence) - sum(doubts), 0)]
