"""Checks of a project that need no trace: its configuration of Dynamo, and arguments that cause recompiles."""

from __future__ import annotations
