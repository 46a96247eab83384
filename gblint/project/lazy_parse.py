"""Syntax trees in which the bodies of classes and functions are parsed on first access.

A trace uses only a small part of the library files that it reads.  This is for files known to have no syntax error,
since errors in a body would not be noticed until it is parsed.  A body whose start and end cannot be determined
reliably from the text is parsed at once.
"""

from __future__ import annotations

import ast
import re
import sys
from bisect import bisect_right
from collections.abc import Callable

from gblint.project import lazy_nodes
from gblint.runtime.lazy_dataclasses import dataclass

Parse = Callable[[str], ast.Module]

# Lazy parsing does not pay off for files and bodies with fewer characters.
SHORTEST_FILE = 4_000
SHORTEST_BODY = 250
# The time to parse a body grows with its line number, because empty lines before it keep the line numbers right.
MOST_LINES = 20_000
_TRIPLE = re.compile(r"\"\"\"|'''")
_STRING = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_CODE = re.compile(rf"[^\"'#]*(?:(?:{_STRING})[^\"'#]*)*")
_COMMENT_OR_STRING = re.compile(rf"#[^\n]*|{_STRING}")
_NO_QUOTE = re.compile(r"[^\"']*")
_HEAD = re.compile(r"\n *(?:def|class) ")
_COLON = re.compile(r": *(?:#[^\n]*)?\n")
_LESS: dict[int, re.Pattern[str]] = {}
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
# From Python 3.12 on, an f-string may contain expressions with the same quotes as the string itself.
_WITH_CODE = re.compile(r"[fFtT][rR]?[\"']|[rR][fFtT][\"']|(?:[fFtT][rR]?|[rR][fFtT])$")
_CODE_HAS_QUOTES = sys.version_info >= (3, 12)


@dataclass(frozen=True, slots=True)
class UnparsedBody:
    """The position of a class or function body in the text, and the bodies inside it that can be left out.

    ``line`` is the line of ``def`` or ``class`` and ``colon`` the line on which the header ends. ``mark`` is the end
    column of the ``...`` that replaces the body on that line. ``last`` is the line and column at which the body ends.
    Columns are counted in bytes.
    """

    start: int
    end: int
    line: int
    colon: int
    mark: int
    last: tuple[int, int]
    inner: tuple[UnparsedBody, ...]


def outline(text: str, parse: Parse) -> ast.Module | None:
    """Parse a text without syntax errors, leaving out bodies; None if it has to be parsed as a whole."""
    if len(text) < SHORTEST_FILE or "\t" in text or "\f" in text or text.count("\n") > MOST_LINES:
        return None
    strings = _strings(text)
    if strings is None:
        return None
    bodies = _Scan(text, *strings).bodies(0, len(text))
    return _partly(text, 0, len(text), 0, bodies, parse) if bodies else None


def parse_body(text: str, body: UnparsedBody, parse: Parse) -> list[ast.stmt]:
    """Parse the statements of a body that was left out."""
    tree = _partly(text, body.start, body.end, body.colon, body.inner, parse) if body.inner else None
    if tree is None:
        tree = parse(_below(body.colon) + text[body.start : body.end])
    block = tree.body[0]
    assert isinstance(block, ast.If)
    return block.body


def _below(line: int) -> str:
    return "\n" * (line - 1) + "if 1:"


def _partly(
    text: str, start: int, end: int, line: int, bodies: tuple[UnparsedBody, ...], parse: Parse
) -> ast.Module | None:
    parts = [_below(line) if line else ""]
    for body in bodies:
        parts += (text[start : body.start], " ...", "\n" * (body.last[0] - body.colon))
        start = body.end
    parts.append(text[start:end])
    try:
        tree = parse("".join(parts))
    except Exception:
        return None  # the error is reported when the whole text is parsed
    hung = _Hang(text, bodies)
    hung.block(tree.body)
    return tree if hung.done == len(bodies) else None


def _strings(text: str) -> tuple[list[int], list[int]] | None:
    """Return the start and end offsets of triple-quoted strings; None if they cannot be found reliably."""
    begins: list[int] = []
    ends: list[int] = []
    done = 0
    while True:
        found = _TRIPLE.search(text, done)
        if found is None:
            return begins, ends
        start = found.start()
        line = max(text.rfind("\n", 0, start) + 1, done)
        before = text[line:start]
        if _continues_string(text, line) or (_CODE_HAS_QUOTES and _WITH_CODE.search(before)):
            return None
        code = _CODE.match(before)
        assert code is not None
        rest = before[code.end() :]
        if rest:
            # The quotes are in a comment or in a single-quoted string.
            within = _COMMENT_OR_STRING.match(text, line + code.end())
            if within is None:
                return None
            done = within.end()
            continue
        end = text.find(found.group(), start + 3)
        if end < 0 or text[end - 1] == "\\":
            return None
        done = end + 3
        begins.append(start)
        ends.append(done)


def _continues_string(text: str, line: int) -> bool:
    """Return whether the line before the one at offset ``line`` may leave a string open by a backslash."""
    if text[max(line - 2, 0) : line] != "\\\n":
        return False
    before = text.rfind("\n", 0, line - 2) + 1
    return not _NO_QUOTE.fullmatch(text, before, line) or text[max(before - 2, 0) : before] == "\\\n"


class _Scan:
    """Finds the bodies in a text whose triple-quoted strings are known."""

    def __init__(self, text: str, begins: list[int], ends: list[int]) -> None:
        self.text = text
        self.begins = begins
        self.ends = ends
        self.number = 1
        self.counted = 0

    def line_of(self, place: int) -> int:
        """Return the line number of an offset; calls must be in order of increasing offsets."""
        self.number += self.text.count("\n", self.counted, place)
        self.counted = place
        return self.number

    def string_end(self, place: int) -> int:
        """Return the end of the string that contains an offset; 0 if it is not in a string."""
        inside = bisect_right(self.begins, place) - 1
        return self.ends[inside] if inside >= 0 and place < self.ends[inside] else 0

    def bodies(self, start: int, stop: int) -> tuple[UnparsedBody, ...]:
        """Return the bodies between two offsets that can be left out."""
        found: list[UnparsedBody] = []
        while True:
            match = _HEAD.search(self.text, start, stop)
            if match is None:
                return tuple(found)
            begin = match.start() + 1
            word = match.end()
            start = self.string_end(begin)
            if start:
                continue
            start = word
            colon, head = self.end_of_head(word)
            if not head or self.text[begin - 2] == "\\":
                continue
            is_class = self.text[word - 2] == "s"
            end, last = self.end_of_body(word - begin - (6 if is_class else 4), head)
            if end - head < SHORTEST_BODY:
                continue
            width = self.width(last, end)
            if width:
                line = self.line_of(word)
                head_ends = line + self.text.count("\n", word, head)
                final = head_ends + self.text.count("\n", head, end)
                inner = self.bodies(head, end) if is_class else ()
                mark = _width(self.text[self.text.rfind("\n", 0, head) + 1 : colon]) + len(": ...")
                found.append(UnparsedBody(colon + 1, end, line, head_ends, mark, (final, width), inner))
                start = end

    def end_of_head(self, place: int) -> tuple[int, int]:
        """Return the offsets of the colon and of the end of its line; zeros if the header has an unusual form."""
        text = self.text
        end = text.find("\n", place)
        found = _COLON.search(text, place)
        if found is None or end < 0 or (found.end() - 1 != end and text[end - 1] not in "(,["):
            return 0, 0
        return found.start(), found.end() - 1

    def end_of_body(self, indent: int, head: int) -> tuple[int, int]:
        """Return the end and the start of the last line with code in the body below ``head``."""
        text = self.text
        less = _LESS.get(indent)
        if less is None:
            less = _LESS[indent] = re.compile(rf"\n {{0,{indent}}}[^\s#]")
        at = head
        while at:
            found = less.search(text, at)
            end = len(text) if found is None else found.start()
            at = self.string_end(end)
        while end > head:
            line = text.rfind("\n", 0, end) + 1
            content = text[line:end].strip()
            if content and (content[0] != "#" or self.string_end(line)):
                return line + len(text[line:end].rstrip()), line
            end = line - 1
        return head, head

    def width(self, line: int, end: int) -> int:
        """Return the end column of the code on a line, in bytes; 0 if it cannot be determined reliably."""
        code = self.text[line:end]
        if "#" in code:
            if '"' in code or "'" in code or self.string_end(line):
                return 0
            code = code[: code.index("#")].rstrip()
        return 0 if code[-1] in ";\\" else _width(code)


def _width(line: str) -> int:
    return len(line) if line.isascii() else len(line.encode("utf-8", "surrogatepass"))


class _Hang:
    """Attaches the bodies that were left out to their nodes, to be parsed later."""

    def __init__(self, text: str, bodies: tuple[UnparsedBody, ...]) -> None:
        self.text = text
        self.by_line = {body.line: body for body in bodies}
        self.ends = {(body.colon, body.mark): body.last for body in bodies}
        self.done = 0

    def block(self, statements: list[ast.stmt]) -> None:
        """Process statements and the statements nested in them."""
        for node in statements:
            if isinstance(node, ast.Expr):
                continue
            left_out = isinstance(node, (ast.FunctionDef, ast.ClassDef)) and self.take(node)
            for name in () if left_out else _BLOCKS:
                inner = node.__dict__.get(name)
                if isinstance(inner, list):
                    self.block(inner)
            place = (getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0))
            last = self.ends.get(place)
            if last is not None:
                node.end_lineno, node.end_col_offset = last

    def take(self, node: ast.FunctionDef | ast.ClassDef) -> bool:
        """Attach the left-out body to ``node`` if the node has the ``...`` that replaces it."""
        body = self.by_line.get(node.lineno)
        if body is None or len(node.body) != 1:
            return False
        stand_in = node.body[0]
        if (stand_in.end_lineno, stand_in.end_col_offset) != (body.colon, body.mark):
            return False
        lazy_nodes.leave_out(node, self.text, body)
        self.done += 1
        return True
