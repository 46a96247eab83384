"""Models of torch."""

from __future__ import annotations
