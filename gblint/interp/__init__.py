"""The abstract interpreter: a static Dynamo."""

from __future__ import annotations

from gblint.interp.engine import Entry, Progress, Tracer, assembled, machine, trace
from gblint.interp.frames import Note
from gblint.interp.machine import Machine
from gblint.interp.reach import Traced, merge

__all__ = ["Entry", "Machine", "Note", "Progress", "Traced", "Tracer", "assembled", "machine", "merge", "trace"]
