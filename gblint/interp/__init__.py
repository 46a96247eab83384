"""The abstract interpreter: a static Dynamo."""

from __future__ import annotations

from gblint.interp.graphs.reachability import TraceResult, merge
from gblint.interp.state.frame import NoEffect
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.tracer import Entry, Progress, Tracer, assembled, new_interpreter, trace

__all__ = [
    "Entry",
    "Interpreter",
    "NoEffect",
    "Progress",
    "TraceResult",
    "Tracer",
    "assembled",
    "merge",
    "new_interpreter",
    "trace",
]
