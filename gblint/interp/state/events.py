"""Break events: how sure an event is, and the record of it in the summary of a function."""

from __future__ import annotations

import ast
from typing import Final

from gblint.diagnostics.break_event import BreakEvent, Category, Confidence
from gblint.diagnostics.span import Span
from gblint.interp.state import resumption, trace_builder
from gblint.interp.state.frame import Frame
from gblint.interp.state.path_conditions import easier
from gblint.interp.state.trace_ir import EventInMode
from gblint.project.modules import Module
from gblint.runtime.lazy_dataclasses import dataclass, replace
from gblint.values.base import Const, Scalar, Tensor, Union, Unknown, Value, members
from gblint.values.objects import Instance


def confidence_in(value: Value) -> Confidence:
    """Return how certain it is that ``value`` is of the kind that causes the event: mostly a tensor."""
    best = Confidence.POSSIBLE
    others = False
    found = members(value)
    # A number or a string among the alternatives makes a guessed tensor less likely.
    plain = any(_is_plain(v) for v in found)
    for member in found:
        if isinstance(member, Tensor):
            if member.proven or not plain:
                best = Confidence.CERTAIN if member.proven else max(best, Confidence.LIKELY, key=lambda c: c.rank)
        elif isinstance(member, Unknown):
            others = True
            if member.hint == "tensor" and best is Confidence.POSSIBLE:
                best = Confidence.LIKELY
        elif isinstance(member, Const) and member.value is None:
            continue
        elif (isinstance(member, Scalar) and member.origin in ("data", "random")) or not isinstance(value, Union):
            best = Confidence.CERTAIN
        else:
            others = True
    if others and best is Confidence.CERTAIN:
        return Confidence.LIKELY
    return best


# Operations that want an integer: a tensor that was only guessed is more likely one.
_WANT_INTEGERS: Final = ("range", "size-arg", "list-index", "slice-bound")


def _is_guessed(value: Value | None) -> bool:
    """Return whether ``value`` is taken for a tensor by a guess alone."""
    return value is not None and all(v.is_input and not v.proven for v in members(value) if isinstance(v, Tensor))


def _is_plain(value: Value) -> bool:
    """Return whether ``value`` is a number, a string or a flag that was not computed from a tensor.

    Other bools may be results of a comparison, which for a tensor would be a tensor.
    """
    if isinstance(value, Const):
        return value.value is not None
    if not isinstance(value, Scalar) or value.origin != "python":
        return False
    return value.kind in ("int", "float", "str") or (value.kind == "bool" and value.likely is not None)


def describe(value: Value | None) -> str:
    """Return a word for the kind of a value; empty for None."""
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
    """Return the span of ``node`` as reports show it: lines and columns from 1."""
    line = getattr(node, "lineno", 1)
    return Span(
        module.display,
        line,
        getattr(node, "col_offset", 0) + 1,
        getattr(node, "end_lineno", line) or line,
        (getattr(node, "end_col_offset", 0) or 0) + 1,
    )


@dataclass(slots=True)
class Emission:
    """An event as the interpreter emits it.

    kind, subject: what the rules match; see ``gblint.rules.events``.
    causes: causes (``gblint.knowledge``), or ids of Dynamo's registry if they come from a fact.
    about: the value that causes the event; its kind decides how certain the event is.
    likely: whether the event is less than certain for another reason.
    gb_ids: the ids that the linted torch gives for the causes; set where the event is recorded.
    """

    kind: str
    subject: str
    causes: tuple[str, ...] = ()
    about: Value | None = None
    likely: bool = False
    category: Category = Category.GRAPH_BREAK
    gb_ids: tuple[str, ...] = ()

    @property
    def confidence(self) -> Confidence:
        """The certainty of the event, apart from the path on which it stands."""
        found = Confidence.CERTAIN if self.about is None else confidence_in(self.about)
        if found is Confidence.LIKELY and self.kind == "tensor-to-python" and self.subject in _WANT_INTEGERS:
            return Confidence.POSSIBLE if _is_guessed(self.about) else found
        return Confidence.LIKELY if self.likely and found is Confidence.CERTAIN else found


def record(frame: Frame, node: ast.AST, emission: Emission) -> bool:
    """Add an event to the summary of the function; return whether it is a certain break."""
    mode, kind, category = frame.mode, emission.kind, emission.category
    if not mode.tracing:
        return False
    confidence = emission.confidence
    if mode.unlikely_branch:
        confidence = Confidence.POSSIBLE
    else:
        guarded = frame.guarded and confidence is Confidence.CERTAIN
        confidence = _less_sure(confidence, guarded, mode.non_default_branch)
    place = (getattr(node, "lineno", 1), getattr(node, "col_offset", 0), kind, emission.subject)
    context = frame.context
    if mode.in_higher_order_op and category is Category.GRAPH_BREAK:
        category = Category.COMPILE_ERROR
        if kind != "higher-order":
            context = [*context, "hop"]
    if category is Category.GRAPH_BREAK:
        trace_builder.record_break(frame, node, place, emission.causes)
    old = frame.summary.events.get(place)
    path = frame.conditions.path if old is None else easier(old.path, frame.conditions.path)
    certain = confidence is Confidence.CERTAIN and category is Category.GRAPH_BREAK
    if old is not None and old.event.confidence.rank >= confidence.rank:
        if path is not old.path:
            frame.summary.events[place] = replace(old, path=path)
        _note_break(frame, node, emission, confidence, certain=certain)
        return certain
    event = BreakEvent(
        kind,
        emission.subject,
        span_of(frame.module, node),
        frame.summary.function,
        emission.gb_ids,
        confidence,
        describe(emission.about),
        "",
        frozenset(context),
        category,
    )
    frame.summary.events[place] = EventInMode(event, mode.error_on_break, mode.option_source, path)
    _note_break(frame, node, emission, confidence, certain=certain)
    return certain


def _note_break(frame: Frame, node: ast.AST, emission: Emission, confidence: Confidence, *, certain: bool) -> None:
    """Note a break after which the frame resumes; that about a guessed tensor changes guessed tensors only."""
    about = emission.about
    if certain:
        resumption.note_break(frame, node, emission.kind, emission.subject, emission.causes)
    elif confidence is emission.confidence and isinstance(about, Tensor) and not about.proven and not emission.likely:
        resumption.note_guess(frame, node, emission.kind, emission.subject, emission.causes)


def _less_sure(confidence: Confidence, *doubts: bool) -> Confidence:
    """Return ``confidence``, lowered by one level for each doubt."""
    levels = (Confidence.POSSIBLE, Confidence.LIKELY, Confidence.CERTAIN)
    return levels[max(levels.index(confidence) - sum(doubts), 0)]
