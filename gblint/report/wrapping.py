"""Lines of a report that end between words where a terminal would cut a word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from gblint.project.source_text import width

NARROWEST: Final = 40  # columns of a terminal below which lines are left as they are
_STYLES = re.compile(r"\x1b\[[\d;]*m")
_CODE = re.compile(r" *\d* \|")
_HEADS = re.compile(r"  = [\w-]+: | +-> |    (?=\S)|  (?=\S)")  # text after which the other lines of a paragraph begin


def wrapped(lines: Iterable[str], columns: int) -> Iterator[str]:
    """Yield lines of at most ``columns`` columns, except code and words that are longer; all lines if that is 0."""
    for line in lines:
        visible = _STYLES.sub("", line)
        if columns < NARROWEST or width(visible) <= columns or _CODE.match(visible):
            yield line
        else:
            yield from _parts(line, columns, _indent(visible))


def _indent(visible: str) -> int:
    head = _HEADS.match(visible)
    if head is None:
        return 2
    return len(head[0]) + 2 if head[0].isspace() else len(head[0])


def _parts(line: str, columns: int, indent: int) -> Iterator[str]:
    first, *words = line.lstrip(" ").split(" ")
    part = line[: len(line) - len(line.lstrip(" "))] + first
    used = width(_STYLES.sub("", part))
    for word in words:
        size = width(_STYLES.sub("", word))
        if used + 1 + size > columns and used > indent:
            yield part
            part, used = " " * indent + word, indent + size
        else:
            part, used = f"{part} {word}", used + 1 + size
    yield part
