"""The pages about rules are written in a little Markdown: paragraphs, lists, code in backticks, words between stars."""

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
    """Paragraphs under a heading, which is a first word between stars; the first section has none."""

    title: str
    paragraphs: tuple[str, ...]


def sections(page: str) -> tuple[Section, ...]:
    """A page cut at the paragraphs that start with ``**Instead**`` and the like."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for paragraph in re.split(r"\n\s*\n", page.strip()):
        if headed := _HEADED.match(paragraph):
            found.append((headed["title"].strip(". :"), []))
            # What follows the heading went on from it, as in "**Instead** keep ...".
            paragraph = paragraph[headed.end() :]
            paragraph = paragraph[:1].upper() + paragraph[1:]
        if paragraph.strip():
            found[-1][1].append(paragraph.strip())
    return tuple(Section(title, tuple(paragraphs)) for title, paragraphs in found if paragraphs)


def plain(text: str) -> str:
    """``text`` in one line, without the stars."""
    return _STRONG.sub(r"\1", " ".join(text.split()))


def rendered(paragraph: str, style: Style, width: int, indent: str = "") -> Iterator[str]:
    """A paragraph or a list as lines for a terminal of that many columns."""
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


def is_item(text: str) -> int:
    """How many characters begin an item of a list; 0 if it is none."""
    item = _ITEM.match(text)
    return item.end() if item else 0


def blocks(paragraph: str) -> Iterator[str]:
    """The items of a list, or the paragraph whole."""
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
    """Colours are put in after wrapping, so that they take no columns; a run of code may go over a line's end."""
    text = "\n".join(lines)
    text = _STRONG.sub(lambda found: style.bold(found[1]), text)
    if style.color:
        text = _CODE.sub(lambda found: "\n".join(style.cyan(part) for part in found[1].split("\n")), text)
    yield from text.split("\n")
