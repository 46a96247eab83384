"""The filters between findings and report: selected codes, noqa comments, per-file ignores, the baseline."""

from __future__ import annotations
