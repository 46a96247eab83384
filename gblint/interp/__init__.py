"""The abstract interpreter: a static Dynamo."""

from __future__ import annotations

from gblint.interp.engine import Entry, Progress, assembled, machine, trace
from gblint.interp.machine import Machine

__all__ = ["Entry", "Machine", "Progress", "assembled", "machine", "trace"]
