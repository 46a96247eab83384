"""``torch._dynamo.error_on_graph_break``: as a context manager, a decorator, and applied from outside."""

from __future__ import annotations

from gblint.diagnostics.entry_point import OptionSource
from gblint.diagnostics.span import Span
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.compilation import CompiledRef
from gblint.interp.state.frame import Frame, TracingMode
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import NoEffect
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import FALSE, TRUE, UNKNOWN, Const, Value
from gblint.values.objects import Toggle
from gblint.values.wrapped import CompiledFunction, ErrorOnGraphBreak, Wrapped

NAME = "torch._dynamo.error_on_graph_break"
KIND = "error_on_graph_break"


def make(ctx: CallContext) -> Value:
    """``error_on_graph_break(True)``: a context manager or decorator."""
    value = ctx.args.get(0, "error_on_graph_break")
    known = value if isinstance(value, Const) else UNKNOWN
    return Toggle(known, OptionSource(ctx.frame.module.display, getattr(ctx.node, "lineno", 1), KIND))


def enter(interp: Interpreter, toggle: Toggle, frame: Frame) -> None:
    """Apply ``toggle`` to the frame."""
    if frame.mode.tracing and isinstance(toggle.on, Const):
        place = Span(toggle.source.path, toggle.source.line)
        frame.summary.notes[NoEffect("toggle", place, _effect(toggle, frame.mode))] = None
    frame.mode = under(frame.mode, toggle)


def under(mode: TracingMode, toggle: Toggle) -> TracingMode:
    """Return ``mode`` with ``toggle`` applied."""
    if not isinstance(toggle.on, Const):
        return mode
    return replace(mode, error_on_break=bool(toggle.on.value), option_source=toggle.source)


def wrap(toggle: Toggle, function: Value) -> Value:
    """``error_on_graph_break(True)(f)``; around a compiled callable it holds for every call of it."""
    inner = function
    while isinstance(inner, Wrapped):
        if (
            isinstance(inner, CompiledFunction)
            and isinstance(inner.reference, CompiledRef)
            and isinstance(toggle.on, Const)
        ):
            inner.reference.compiled.under.append((bool(toggle.on.value), toggle.source))
        inner = inner.function
    return ErrorOnGraphBreak(function, toggle)


def _effect(toggle: Toggle, mode: TracingMode) -> str:
    """Return the effect of a toggle: ``fullgraph=True`` raises in any case, and nothing raises twice."""
    if mode.fullgraph:
        return "allows-nothing" if toggle.on == FALSE else "fullgraph"
    return "twice" if toggle.on == TRUE and mode.error_on_break else ""
