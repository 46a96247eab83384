"""gblint: the linter for torch.compile."""

from __future__ import annotations

__version__ = "0.1.0"
