"""The exit statuses of the command."""

from __future__ import annotations

CLEAN, FOUND, ERROR = 0, 1, 2
INTERRUPTED = 130
