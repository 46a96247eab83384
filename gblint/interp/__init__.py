"""The abstract interpreter: a static Dynamo."""

from __future__ import annotations

from gblint.interp.engine import Entry, Progress, machine, trace
from gblint.interp.machine import Machine

__all__ = ["Entry", "Machine", "Progress", "machine", "trace"]
