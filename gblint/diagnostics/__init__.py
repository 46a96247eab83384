"""The results as plain data: findings, fixes, entry points, break events, call trees, reports."""

from __future__ import annotations
