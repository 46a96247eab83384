"""The state of an analysis: the interpreter, frames, events, summaries and budgets."""

from __future__ import annotations
