"""Models of the builtins, the data model and the standard library of Python."""

from __future__ import annotations
