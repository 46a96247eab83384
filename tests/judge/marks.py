"""What an example says of itself: the lines marked ``# breaks: GB0124``."""

from __future__ import annotations

from gblint.rules.coverage import Breaks, marked

__all__ = ["Breaks", "marked"]
