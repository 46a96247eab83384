"""Models of numpy."""

from __future__ import annotations
