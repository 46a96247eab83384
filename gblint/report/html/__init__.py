"""The report as one page of HTML that needs nothing else: no network, no files beside it, no server.

Whatever comes from the scanned code is escaped where it is put in; scripts and styles are let in by their hashes only.
"""

from __future__ import annotations

from gblint.report.html.page import render

__all__ = ["render"]
