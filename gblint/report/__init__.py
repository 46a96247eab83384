"""How findings are shown: one module a format."""

from __future__ import annotations
