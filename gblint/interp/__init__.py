"""The abstract interpreter: a static Dynamo."""

from __future__ import annotations

from gblint.interp.graphs.reachability import Traced, merge
from gblint.interp.state.frame import Note
from gblint.interp.state.interpreter import Machine
from gblint.interp.tracer import Entry, Progress, Tracer, assembled, new_interpreter, trace

__all__ = ["Entry", "Machine", "Note", "Progress", "Traced", "Tracer", "assembled", "merge", "new_interpreter", "trace"]
