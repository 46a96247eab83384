"""The evaluator: one module for each kind of expression, statement and operation."""

from __future__ import annotations
