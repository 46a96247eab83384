"""What an example says of itself: the lines marked ``# breaks: GB0124``."""

from __future__ import annotations

import re

Breaks = dict[int, tuple[str, ...]]

_MARK = re.compile(r"#\s*breaks(?::\s*(?P<ids>GB\d{4}(?:\s*,\s*GB\d{4})*))?\s*$")


def marked(source: str) -> Breaks:
    """The marked lines of ``source``, counted from 1, each with the ids that it names."""
    found: Breaks = {}
    for number, line in enumerate(source.splitlines(), 1):
        mark = _MARK.search(line)
        if mark is not None:
            found[number] = tuple(sorted(re.findall(r"GB\d{4}", mark["ids"] or "")))
    return found
