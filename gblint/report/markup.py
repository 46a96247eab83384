"""The subset of Markdown in the pages of rules: paragraphs, lists, `code` and **strong** words."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from gblint.project.source_text import Style
from gblint.runtime.lazy_dataclasses import dataclass

_CODE = re.compile(r"`([^`]+)`")
_STRONG = re.compile(r"\*\*(?=\S)([^*]+)(?<=\S)\*\*")
_ITEM = re.compile(r"(?:[-*]|\d+\.)\s+")
_HEADED = re.compile(r"\*\*(?P<title>[^*]+)\*\*:?\s*")


@dataclass(frozen=True, slots=True)
class Section:
    """Paragraphs under a heading, which is the ``**words**`` that start them; the first section has no heading."""

    title: str
    paragraphs: tuple[str, ...]


def sections(page: str) -> tuple[Section, ...]:
    """Split a page at the paragraphs that start with a heading such as ``**Instead**``."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for paragraph in re.split(r"\n\s*\n", page.strip()):
        if headed := _HEADED.match(paragraph):
            found.append((headed["title"].strip(". :"), []))
            # The text continues the heading, as in "**Instead** keep ...".
            paragraph = paragraph[headed.end() :]
            paragraph = paragraph[:1].upper() + paragraph[1:]
        if paragraph.strip():
            found[-1][1].append(paragraph.strip())
    return tuple(Section(title, tuple(paragraphs)) for title, paragraphs in found if paragraphs)


def plain(text: str) -> str:
    """Return ``text`` in one line, without the stars."""
    return _STRONG.sub(r"\1", " ".join(text.split()))


def rendered(paragraph: str, style: Style, width: int, indent: str = "") -> Iterator[str]:
    """Yield a paragraph or a list as lines for a terminal of ``width`` columns."""
    for block in blocks(paragraph):
        item = _ITEM.match(block)
        first = indent + ("- " if item else "")
        text = " ".join((block[item.end() :] if item else block).split())
        hanging = indent + ("  " if item else "")
        lines = textwrap.wrap(
            text,
            width,
            initial_indent=first,
            subsequent_indent=hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
        yield from _coloured(lines, style)


def marker_length(text: str) -> int:
    """Return the length of the marker of a list item; 0 if there is none."""
    item = _ITEM.match(text)
    return item.end() if item else 0


def blocks(paragraph: str) -> Iterator[str]:
    """Yield the items of a list, or the paragraph as a whole."""
    lines = paragraph.splitlines()
    block: list[str] = []
    for line in lines:
        if _ITEM.match(line.strip()) and (block or line is lines[0]):
            if block:
                yield "\n".join(block)
            block = [line.strip()]
        else:
            block.append(line.strip())
    if block:
        yield "\n".join(block)


def _coloured(lines: list[str], style: Style) -> Iterator[str]:
    """Add colours after wrapping, so that they take no columns; code can continue on the next line."""
    text = "\n".join(lines)
    text = _STRONG.sub(lambda found: style.bold(found[1]), text)
    if style.color:
        text = _CODE.sub(lambda found: "\n".join(style.cyan(part) for part in found[1].split("\n")), text)
    yield from text.split("\n")
