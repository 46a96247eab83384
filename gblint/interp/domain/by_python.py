"""Breaks at ``self`` or ``super()`` in functions that Python calls, rather than code that Dynamo traces."""

from __future__ import annotations

import ast

from gblint.diagnostics.break_event import BreakEvent, Confidence
from gblint.interp.state.events import span_of
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import EventInMode


def note(interp: Interpreter, frame: Frame, node: ast.expr, kind: str, causes: tuple[str, ...]) -> None:
    """Note the break at ``node``; it happens in any case if the function has another break, so that Python calls it."""
    event = BreakEvent(
        kind,
        "super",
        span_of(frame.module, node),
        frame.summary.function,
        interp.knowledge.ids_of(causes),
        Confidence.CERTAIN,
    )
    frame.summary.break_by_python = EventInMode(event, frame.mode.error_on_break, frame.mode.option_source)
    if frame.summary.breaks:
        interp.emit(frame, node, kind, event.subject, causes)
