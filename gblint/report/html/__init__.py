"""The report as one self-contained page of HTML: it needs no network, no other files, no server.

All text from the linted code is escaped; scripts and styles are allowed by their hashes only.
"""

from __future__ import annotations

from gblint.report.html.page import render

__all__ = ["render"]
