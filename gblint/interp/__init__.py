"""The abstract interpreter: a static Dynamo."""

from __future__ import annotations

from gblint.interp.graphs.reachability import TraceResult, merge
from gblint.interp.state.entry import Entry
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.observer import Observer
from gblint.interp.state.trace_ir import NoEffect, UnseenCall
from gblint.interp.tracer import Progress, Tracer, new_interpreter, trace

__all__ = [
    "Entry",
    "Interpreter",
    "NoEffect",
    "Observer",
    "Progress",
    "TraceResult",
    "Tracer",
    "UnseenCall",
    "merge",
    "new_interpreter",
    "trace",
]
