"""A small classifier with experts."""

from __future__ import annotations
