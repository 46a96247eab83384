"""The search for entry points: everything in a project that ``torch.compile`` is applied to."""

from __future__ import annotations
