"""Conversion of positions between gblint and the client.

gblint counts lines and columns from 1, and columns in characters. The client counts from 0, and columns in the units
negotiated when it connected (by default UTF-16).
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from gblint.diagnostics.span import Span

_UNITS = {types.PositionEncodingKind.Utf8: "utf-8", types.PositionEncodingKind.Utf16: "utf-16-le"}
_WIDTH = {"utf-8": 1, "utf-16-le": 2}


class Encoding:
    """The units in which a client counts columns."""

    def __init__(self, kind: str | None = None) -> None:
        chosen = types.PositionEncodingKind.Utf16 if kind is None else types.PositionEncodingKind(kind)
        self._codec = _UNITS.get(chosen)

    def units(self, text: str) -> int:
        """Return the length of ``text`` in units of the client."""
        if self._codec is None or text.isascii():
            return len(text)
        return len(text.encode(self._codec, "surrogatepass")) // _WIDTH[self._codec]

    def characters(self, text: str, units: int) -> int:
        """Return the number of whole characters of ``text`` in ``units``."""
        units = max(units, 0)
        if self._codec is None or text.isascii():
            return min(units, len(text))
        data = text.encode(self._codec, "surrogatepass")[: units * _WIDTH[self._codec]]
        return len(data.decode(self._codec, "ignore"))

    def range(self, span: Span, lines: Sequence[str]) -> types.Range:
        """Return the range of a span in a text with these lines; it is empty only if the line is."""
        last = max(span.end_line, span.line)
        start = self.position(span.line, span.column, lines)
        if span.end_column:
            end = self.position(last, span.end_column, lines)
        else:
            end = types.Position(start.line, self.units(_line(lines, span.line)))
        return types.Range(start, end if (end.line, end.character) >= (start.line, start.character) else start)

    def position(self, line: int, column: int, lines: Sequence[str]) -> types.Position:
        """Return the position of a place in a text with these lines."""
        return types.Position(max(line, 1) - 1, self.units(_line(lines, line)[: max(column, 1) - 1]))

    def place(self, position: types.Position, lines: Sequence[str]) -> tuple[int, int]:
        """Return the line and the column of a position of the client."""
        line = position.line + 1
        return line, self.characters(_line(lines, line), position.character) + 1

    def line(self, line: int, lines: Sequence[str]) -> types.Range:
        """Return the range of the code in a line, without the blanks around it."""
        text = _line(lines, line)
        start = len(text) - len(text.lstrip())
        return types.Range(
            types.Position(max(line, 1) - 1, self.units(text[:start])),
            types.Position(max(line, 1) - 1, self.units(text.rstrip())),
        )


def _line(lines: Sequence[str], line: int) -> str:
    return lines[line - 1] if 1 <= line <= len(lines) else ""
