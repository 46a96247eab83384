"""Insertion of ``# noqa`` comments: on the right line of a long statement, or into an existing comment."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Sequence
from pathlib import Path

from gblint.diagnostics.finding import Finding
from gblint.filters.noqa import comments, line_comment, noqa_comment
from gblint.filters.unused_noqa import UnusedCodes
from gblint.fix.edits import split_lines
from gblint.fix.writer import Original, WriteProblem, replace_file
from gblint.project.source import SourceProblem
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.runtime.quiet_parse import parse_module

_STRING_STARTS = {getattr(tokenize, name, -1) for name in ("FSTRING_START", "TSTRING_START")} - {-1}
_STRING_ENDS = {getattr(tokenize, name, -1) for name in ("FSTRING_END", "TSTRING_END")} - {-1}


def add_noqa_comments(path: Path, findings: Sequence[Finding], within: Sequence[Path]) -> tuple[int, str | None]:
    """Suppress ``findings``, all of the file ``path``, by comments, if the file lies below ``within``.

    Returns the number of suppressed findings, and an error message or None.
    """
    try:
        original = Original.read(path)
        text = insert_noqa_comments(
            original.text, [(each.code, each.span.line, each.span.end_line) for each in findings]
        )
        if text is None:
            return 0, "not changed: a comment cannot be inserted there"
        if text != original.text:
            replace_file(original, text, within)
    except SourceProblem as problem:
        return 0, problem.message
    except WriteProblem as problem:
        return 0, f"not changed: {problem}"
    return len(findings), None


def insert_noqa_comments(text: str, wanted: Iterable[tuple[str, int, int]]) -> str | None:
    """Return ``text`` with comments for ``wanted``: triples of code, first line and last line.

    Returns None if that is not possible, for example if the text is not valid Python.
    """
    wanted = list(wanted)
    try:
        statements = list(_statements(text))
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        return None
    codes: dict[tuple[int, int | None], list[str]] = {}
    for code, line, _ in sorted(wanted):
        statement = next((each for each in statements if each.first <= line <= each.last), None)
        place = None if statement is None else statement.place(line)
        if place is None:
            return None
        listed = codes.setdefault(place, [])
        if code not in listed:
            listed.append(code)
    lines = split_lines(text)
    for (number, column), listed in codes.items():
        lines[number - 1] = _with_codes(lines[number - 1], column, listed)
    new = "".join(lines)
    return new if _is_correct(text, new, wanted) else None


def remove_unused_codes(path: Path, unused: Sequence[UnusedCodes], within: Sequence[Path]) -> tuple[int, str | None]:
    """Remove codes from the noqa comments of the file ``path``, if it lies below ``within``.

    Returns the number of removed codes, and an error message or None.
    """
    try:
        original = Original.read(path)
        text = without_codes(original.text, [(each.comment.line, each.codes) for each in unused])
        if text is None:
            return 0, "not changed: the comments cannot be separated from the code"
        replace_file(original, text, within)
    except SourceProblem as problem:
        return 0, problem.message
    except WriteProblem as problem:
        return 0, f"not changed: {problem}"
    return sum(len(each.codes) for each in unused), None


def without_codes(text: str, unwanted: Iterable[tuple[int, Sequence[str]]]) -> str | None:
    """Return ``text`` without some codes in its noqa comments; ``unwanted`` has lines, each with codes.

    A comment without codes would silence everything, so it is removed with its last code; other words in it stay.
    Returns None if the program would change.
    """
    try:
        tokens = tokenize.generate_tokens(io.StringIO(text, newline="").readline)
        columns = {token.start[0]: token.start[1] for token in tokens if token.type == tokenize.COMMENT}
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        return None
    lines = split_lines(text)
    for number, codes in unwanted:
        if number not in columns:
            return None
        lines[number - 1] = _without(lines[number - 1], columns[number], codes)
    new = "".join(lines)
    return new if _is_correct(text, new, ()) else None


def _without(line: str, column: int, codes: Sequence[str]) -> str:
    """Return ``line`` without ``codes`` in the noqa comment that begins at ``column`` or behind it."""
    body = line.rstrip("\r\n")
    end = line[len(body) :]
    found = noqa_comment(body, column)
    if found is None or not found.group("codes"):
        return line
    listed = found.group("codes")
    kept = [word for word in re.split(r"[,\s]+", listed) if word and word.upper() not in codes]
    if kept:
        separator = "," if "," in listed and ", " not in listed else ", "
        return body[: found.start("codes")] + separator.join(kept) + body[found.end("codes") :] + end
    before, after = body[: found.start()].rstrip(), body[found.end() :].strip(" \t:;,-")
    if after and not after.startswith("#"):
        after = f"# {after}"
    rest = f"{before}  {after}" if before and after else before or after
    return rest + end if rest else ""


@dataclass(slots=True)
class _Statement:
    """The lines of a logical line.

    * ``open``: the lines that may end with a comment.
    * ``marked``: the positions of existing noqa comments, columns from 0.
    """

    first: int
    last: int
    open: list[int]
    marked: list[tuple[int, int]]

    def place(self, line: int) -> tuple[int, int | None] | None:
        """Return the line for a comment on ``line``, and the column of the existing comment or None.

        flake8 reads only the first noqa comment of a statement.
        """
        if self.marked:
            return self.marked[0]
        return next(((each, None) for each in self.open if each >= line), None)


def _statements(text: str) -> Iterable[_Statement]:
    """Yield the logical lines of a text."""
    start: int | None = None
    free: list[int] = []
    marked: list[tuple[int, int]] = []
    depth = 0
    layout = (tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        line = token.start[0]
        depth += (token.type in _STRING_STARTS) - (token.type in _STRING_ENDS)
        if token.type == tokenize.COMMENT and line_comment(token.string):
            marked.append(token.start)
        elif token.type in (tokenize.NL, tokenize.NEWLINE) and not depth:
            free.append(line)
        if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            if start is not None:
                inside = [each for each in marked if each[0] >= start]
                yield _Statement(start, line, [each for each in free if each >= start], inside)
            start, free, marked = None, [], []
        elif start is None and token.type not in (*layout, tokenize.COMMENT, tokenize.NL):
            start = line


def _with_codes(line: str, column: int | None, codes: Sequence[str]) -> str:
    """Return ``line`` with the codes in a new comment, or in the existing comment at ``column``."""
    body = line.rstrip("\r\n")
    end = line[len(body) :]
    if column is None:
        return f"{body.rstrip()}  # noqa: {', '.join(codes)}{end}"
    found = line_comment(body, column)
    if found is None or found.group("codes") is None:  # a comment without codes suppresses everything
        return line
    listed = found.group("codes").rstrip(", \t")
    there = {word.upper() for word in re.split(r"[,\s]+", listed)}
    separator = "," if "," in listed and ", " not in listed else ", "
    more = [code for code in codes if code not in there]
    start = found.start("codes")
    return body[:start] + separator.join([listed, *more]) + body[start + len(listed) :] + end


def _is_correct(old: str, new: str, wanted: Iterable[tuple[str, int, int]]) -> bool:
    """Return whether the program is unchanged and everything is suppressed."""
    try:
        same = ast.dump(parse_module(old)) == ast.dump(parse_module(new))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    found = comments(new)
    return same and all(
        any(comment.silences(code, line, max(line, last)) for comment in found) for code, line, last in wanted
    )
