"""The names at certain places of a file's text, which tell without a parse that a file need not be looked at."""

from __future__ import annotations

import re
from typing import Final, Literal

NamePlace = Literal["start", "base", "stored"]
"""start: the beginning of a line without an indent, also after the ``@`` of a decorator; base: the parentheses of a
``class`` statement; stored: an attribute before ``=`` or ``:``, as in ``x.name = 1``.
"""
# Each pattern begins with fixed characters: to look for these first takes a fraction of the time.
_PATTERNS: Final[dict[NamePlace, re.Pattern[str]]] = {
    "start": re.compile(r"\n@?([^\W\d]\w*)"),
    "base": re.compile(r"class\s+\w+\s*(?:\[[^()\n]{0,200}\])?\(([^:]*)"),
    "stored": re.compile(r"\.(\w+)(?: = |: )"),
}
_NAME = re.compile(r"\w+")


def names_at(text: str, place: NamePlace) -> frozenset[str]:
    """Return the names that stand at one kind of place; it may be in a string or a comment."""
    found = _PATTERNS[place].findall("\n" + text)
    return frozenset(_NAME.findall(" ".join(found)) if place == "base" else found)
