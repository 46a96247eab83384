"""The marks in the source of an example: ``# breaks: GB0124``, ``# diverges``, ``# recompiles`` and ``# advises``."""

from __future__ import annotations

import re

# The ids of Dynamo's breaks, by line number counted from 1.
Breaks = dict[int, tuple[str, ...]]

_BREAK = re.compile(r"#\s*breaks(?::\s*(?P<ids>GB\d{4}(?:\s*,\s*GB\d{4})*))?\s*$")
_OTHER = re.compile(r"#\s*(?:diverges|recompiles|advises)\s*$")


def marked(source: str) -> Breaks:
    """Return the lines of ``source`` that are marked ``# breaks``, each with the ids of its mark."""
    found: Breaks = {}
    for number, line in enumerate(source.splitlines(), 1):
        mark = _BREAK.search(line)
        if mark is not None:
            found[number] = tuple(sorted(re.findall(r"GB\d{4}", mark["ids"] or "")))
    return found


def flagged(source: str) -> set[int]:
    """Return the lines of ``source`` that have any mark, counted from 1."""
    return {*marked(source), *(n for n, line in enumerate(source.splitlines(), 1) if _OTHER.search(line))}


def without_mark(line: str) -> str:
    """Return a line of an example without its mark ``# breaks``."""
    return _BREAK.sub("", line).strip()
