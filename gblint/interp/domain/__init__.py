"""Questions about abstract values that need no evaluation."""

from __future__ import annotations
