"""Observers of the interpreter; they record, and change nothing."""

from __future__ import annotations
