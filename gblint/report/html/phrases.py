"""Text as HTML: escaped, without invisible and reordering characters; and the subset of Markdown in use."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from markupsafe import Markup, escape

from gblint.project.source_text import display_path, neutral, place, shown_path
from gblint.report.markup import blocks, marker_length, sections

_WORDS = re.compile(r"\*\*(?=\S)(?P<strong>[^*]+)(?<=\S)\*\*|(?<![\w*])\*(?=\S)(?P<em>[^*]+)(?<=\S)\*(?![\w*])")
_BRACKETS = {")": "(", "]": "[", "}": "{"}


def plain(text: object) -> Markup:
    """Return any text on one line."""
    return escape(neutral(str(text)))


class Paths:
    """Paths relative to the working directory, or, if all are outside of it, to the ``folder`` that they share."""

    def __init__(self, paths: Iterable[str]) -> None:
        outside = {display_path(path) for path in paths}
        self.folder = ""
        if len(outside) > 1 and all(map(os.path.isabs, outside)):
            try:
                self.folder = os.path.commonpath([os.path.dirname(path) for path in outside])
            except ValueError:  # on several drives
                return
            if len(self.folder) <= 1:
                self.folder = ""

    def shown(self, path: str) -> str:
        """Return a path as text."""
        whole = display_path(path)
        return whole[len(self.folder) + 1 :] if self.folder and whole.startswith(self.folder + os.sep) else whole

    def text(self, path: str, line: int) -> str:
        """Return a place as text, in a notebook with its cell."""
        return neutral(self.shown(path)) + self.line(path, line)

    @staticmethod
    def line(path: str, line: int) -> str:
        """Return what follows the path of a place: its line, in a notebook the cell and the line in it."""
        return place(path, line)[len(shown_path(path)) :]

    def place(self, path: str, line: int = 0) -> Markup:
        """Return a path, which can wrap after its slashes, and a line."""
        return self.wrappable(self.text(path, line))

    @staticmethod
    def wrappable(text: str) -> Markup:
        """Return text with places, which can wrap after the slashes of their paths."""
        return Markup(plain(text).replace("/", Markup("/<wbr>")))

    def split(self, path: str) -> tuple[str, str]:
        """Return the folder of a path with its slash, and the name in it."""
        folder, slash, name = self.shown(path).rpartition("/")
        return folder + slash, name


def inline(text: str) -> Markup:
    """Return a line of Markdown as HTML: `code` and **strong** words."""
    out, last = Markup(), 0
    start = text.find("`")
    while start >= 0:
        end = _closing(text, start)
        if end < 0:
            break
        out += _stressed(text[last:start]) + Markup("<code>{}</code>").format(plain(text[start + 1 : end]))
        last = end + 1
        start = text.find("`", last)
    return out + _stressed(text[last:])


def _closing(text: str, start: int) -> int:
    """Return the end of the code that begins at ``start``: the first backtick that can close it."""
    ends = [found.start() for found in re.finditer(r"(?<=\S)`(?!\w)", text) if found.start() > start + 1]
    return next((end for end in ends if _is_whole(text[start + 1 : end])), ends[0] if ends else -1)


def _is_whole(code: str) -> bool:
    """Return whether code is closed, or was cut off."""
    counts = Counter(code)
    return code.endswith("...") or all(counts[end] == counts[begin] for end, begin in _BRACKETS.items())


def _stressed(text: str) -> Markup:
    out, last = Markup(), 0
    for found in _WORDS.finditer(text):
        kind = found.lastgroup or "em"
        out += plain(text[last : found.start()]) + Markup("<{0}>{1}</{0}>").format(Markup(kind), plain(found[kind]))
        last = found.end()
    return out + plain(text[last:])


def page(text: str) -> Markup:
    """Return the page of a rule as HTML."""
    out = Markup()
    for section in sections(text):
        if section.title:
            out += Markup("<h4>{}</h4>\n").format(plain(section.title))
        for paragraph in section.paragraphs:
            out += Markup().join(_paragraph(paragraph))
    return out


def _paragraph(paragraph: str) -> Iterator[Markup]:
    items: list[Markup] = []
    for block in blocks(paragraph):
        text = " ".join(block.split())
        start = marker_length(text)
        if start:
            items.append(inline(text[start:]))
            continue
        yield from _listed(items)
        items = []
        yield Markup("<p>{}</p>\n").format(inline(text))
    yield from _listed(items)


def _listed(items: Iterable[Markup]) -> Iterator[Markup]:
    inner = Markup().join(Markup("<li>{}</li>\n").format(item) for item in items)
    if inner:
        yield Markup("<ul>\n{}</ul>\n").format(inner)
