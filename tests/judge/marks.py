"""What an example says of itself: the lines marked ``# breaks: GB0124``, ``# diverges`` and so on."""

from __future__ import annotations

import re

from gblint.rules.coverage import Breaks, marked

__all__ = ["Breaks", "flagged", "marked"]

_OTHER = re.compile(r"#\s*(?:diverges|recompiles|advises)\s*$")


def flagged(source: str) -> set[int]:
    """The lines of ``source`` that are marked in any way, counted from 1."""
    return {*marked(source), *(n for n, line in enumerate(source.splitlines(), 1) if _OTHER.search(line))}
