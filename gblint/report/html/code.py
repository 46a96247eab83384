"""Source code as HTML: coloured, with breaks marked, as whole files or as excerpts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup, escape
from pygments.lexers.python import PythonLexer
from pygments.token import Token, _TokenType

from gblint.project.source_text import Source, neutral
from gblint.runtime.lazy_dataclasses import dataclass, field

AROUND = 3  # lines of context in a finding
LONGEST = 400  # characters of a line
_CLASSES = {
    Token.Keyword: "k",
    Token.Operator.Word: "k",
    Token.Comment: "c",
    Token.Literal.String: "s",
    Token.Literal.Number: "n",
    Token.Keyword.Constant: "n",
    Token.Name.Function: "f",
    Token.Name.Class: "f",
    Token.Name.Decorator: "d",
}
_SHOWN = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4})")
Stretch = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on a line: a part of it, as offsets, and the finding; the rule code on the first line only."""

    start: int
    end: int
    target: str
    code: str


@dataclass(slots=True)
class Colours:
    """The lines of source files as parts of one colour each, computed once per file."""

    source: Source
    _known: dict[str, list[list[Stretch]]] = field(default_factory=dict)

    def lines(self, path: str) -> list[list[Stretch]]:
        """Return the lines of a file."""
        if path not in self._known:
            self._known[path] = list(_coloured(self.source.lines(path)))
        return self._known[path]


def _coloured(lines: Sequence[str]) -> Iterator[list[Stretch]]:
    line: list[Stretch] = []
    for _, token, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens_unprocessed("\n".join(lines)):
        name = _class_of(token)
        for number, part in enumerate(value.split("\n")):
            if number:
                yield line
                line = []
            if part:
                if line and line[-1][0] == name:
                    line[-1] = (name, line[-1][1] + part)
                else:
                    line.append((name, part))
    yield line


def _class_of(token: _TokenType) -> str:
    while token is not Token and token.parent is not None:
        if token in _CLASSES:
            return _CLASSES[token]
        token = token.parent
    return ""


def line(stretches: Sequence[Stretch], marks: Sequence[Mark] = ()) -> Markup:
    """Return one line with its marks."""
    out: list[str] = []
    offset = 0
    edges = sorted({edge for mark in marks for edge in (mark.start, mark.end)})
    for name, text in stretches:
        start = offset
        offset += len(text)
        if start >= LONGEST and not any(mark.end > start for mark in marks):
            out.append('<span class="cut">…</span>')
            break
        for first, last in _pieces(start, offset, edges):
            inner = _visible(text[first - start : min(last - start, 4 * LONGEST)])
            if name:
                inner = f"<i class={name}>{inner}</i>"
            marked = any(mark.start <= first < mark.end for mark in marks)
            out.append(f"<mark>{inner}</mark>" if marked else inner)
    return Markup("".join(out).replace("</mark><mark>", ""))


def _pieces(start: int, end: int, edges: Sequence[int]) -> Iterator[tuple[int, int]]:
    inner = [edge for edge in edges if start < edge < end]
    return zip([start, *inner], [*inner, end])


def _visible(text: str) -> str:
    """Return escaped text; control characters are shown as escapes that differ from those in the code."""
    shown = neutral(text)
    if shown == text or ("\t" in text and shown == text.replace("\t", "    ")):
        return str(escape(shown))
    return "".join(
        f"<i class=u>{escape(neutral(each))}</i>" if neutral(each) != each and each != "\t" else escape(neutral(each))
        for each in text
    )


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the page; the number 0 stands for lines that are left out."""

    number: int
    html: Markup
    marks: tuple[Mark, ...] = ()
    left_out: int = 0


def excerpt(colours: Colours, path: str, wanted: Iterable[int], marks: Mapping[int, Sequence[Mark]]) -> list[Row]:
    """Return the ``wanted`` lines of a file in order, with a row for each gap."""
    lines = colours.lines(path)
    rows: list[Row] = []
    last = 0
    for number in sorted(number for number in set(wanted) if 1 <= number <= len(lines)):
        if last and number > last + 1:
            rows.append(Row(0, Markup(), left_out=number - last - 1))
        found = tuple(marks.get(number, ()))
        rows.append(Row(number, line(lines[number - 1], found), found))
        last = number
    return rows


def around(first: int, last: int, context: int = AROUND) -> range:
    """Return the numbers of some lines and their neighbours."""
    return range(max(first - context, 1), last + context + 1)
