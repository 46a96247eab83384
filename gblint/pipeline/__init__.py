"""The pipeline of ``gblint check``: resolve, find entry points, trace, judge, filter, report."""

from __future__ import annotations
