"""Comments that silence findings.

The syntax is that of flake8.  ``# noqa`` silences all codes on its logical line, ``# noqa: GBL101`` only that code or
prefix.  ``# gblint: noqa``, ``# gblint: noqa: GBL1`` and the same with ``flake8`` apply to the whole file.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Sequence

from gblint.config.errors import suggestion
from gblint.runtime.lazy_dataclasses import dataclass

_CODES = r"[A-Za-z]+[0-9]*(?:[,\s]+(?:[A-Za-z]+[0-9]+|GBL\b))*"
# Patterns are compiled on first use: few files have such comments.
_LINE = rf"#\s*noqa(?::\s*(?P<codes>{_CODES}))?"
_FILE = rf"#\s*(?:gblint|flake8)\s*[:=]\s*noqa(?::\s*(?P<codes>{_CODES}))?\s*$"
_OURS = re.compile(r"GBL[0-9]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Comment:
    """A noqa comment.

    ``first`` and ``last``: its logical line, as physical lines; 0 and 0 for a comment on the whole file.
    ``codes``: the codes and prefixes that it silences; empty for all.
    """

    line: int
    first: int
    last: int
    codes: tuple[str, ...]

    def silences(self, code: str, first: int, last: int) -> bool:
        """Return whether it silences a finding with this code on the lines ``first`` to ``last``."""
        if self.codes and not code.startswith(self.codes):
            return False
        return self.first == 0 or (self.first <= first <= self.last) or (first <= self.line <= last)


def line_comment(text: str, start: int = 0) -> re.Match[str] | None:
    """Find the first noqa comment for a line in ``text`` from ``start`` on."""
    return re.compile(_LINE, re.IGNORECASE).search(text, start)


def noqa_comment(text: str, start: int = 0) -> re.Match[str] | None:
    """Find the first noqa comment, for a line or for the file, in ``text`` from ``start`` on."""
    return re.compile(_FILE, re.IGNORECASE).search(text, start) or line_comment(text, start)


def comments(text: str) -> list[Comment]:
    """Return the noqa comments of a file, in order."""
    if "noqa" not in text and not re.search("noqa", text, re.IGNORECASE):
        return []
    try:
        return list(_from_tokens(text))
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        # A file that does not tokenize is searched line by line.
        return [
            found
            for number, line in enumerate(text.splitlines(), 1)
            for found in _parse(line, number, (number, number))
        ]


def can_silence(text: str) -> bool:
    """Return whether a file may have a noqa comment for a code of gblint; most are for other linters.

    Quick: the file is not tokenized, so that text in strings counts, too.
    """
    # lower() is faster on bytes than on a text that is not ASCII.
    for line in text.split("\n") if b"noqa" in text.encode("utf-8", "surrogatepass").lower() else ():
        if "noqa" in line.lower():
            for found in (*re.finditer(_LINE, line, re.IGNORECASE), *re.finditer(_FILE, line, re.IGNORECASE)):
                codes = _codes(found.group("codes"))
                if not codes or any(code.startswith("GBL") for code in codes):
                    return True
    return False


def _from_tokens(text: str) -> Iterable[Comment]:
    start: int | None = None
    pending: list[tuple[str, int]] = []
    skipped = (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            pending.append((token.string, token.start[0]))
        elif token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            for comment, line in pending:
                inside = start is not None and start <= line
                yield from _parse(comment, line, (start or line, token.start[0]) if inside else (line, line))
            pending, start = [], None
        elif token.type not in skipped and start is None:
            start = token.start[0]


def _parse(comment: str, line: int, logical: tuple[int, int]) -> Iterable[Comment]:
    found = re.search(_FILE, comment, re.IGNORECASE)
    if found:
        yield Comment(line, 0, 0, _codes(found.group("codes")))
        return
    found = line_comment(comment)
    if found:
        yield Comment(line, *logical, _codes(found.group("codes")))


def _codes(listed: str | None) -> tuple[str, ...]:
    """Return the codes in upper case; other words (``# noqa: because``) make a bare noqa, as in flake8."""
    words = re.split(r"[,\s]+", listed.upper()) if listed else []
    return tuple(word for word in words if re.fullmatch(r"[A-Z]+[0-9]+", word) or word == "GBL")


def unknown_codes(found: Iterable[Comment], known: Sequence[str]) -> list[tuple[int, str]]:
    """Return the codes of gblint in noqa comments that no rule has, with their lines."""
    return [
        (comment.line, code)
        for comment in found
        for code in comment.codes
        if _OURS.fullmatch(code) and not any(rule.startswith(code) for rule in known)
    ]


def unused_codes(
    found: Iterable[Comment], findings: Iterable[tuple[str, int, int]], left_out: Sequence[str] = ()
) -> list[tuple[Comment, str]]:
    """Return the codes of gblint in noqa comments that silence no finding of the file, each with its comment.

    findings: the code, the first and the last line of each finding, silenced or not.
    left_out: the codes of rules that were not run, of which nothing is known.
    """
    known = list(findings)
    return [
        (comment, code)
        for comment in found
        for code in comment.codes
        if _OURS.fullmatch(code)
        and not any(rule.startswith(code) or code.startswith(rule) for rule in left_out)
        and not any(rule.startswith(code) and comment.silences(rule, first, last) for rule, first, last in known)
    ]


def no_such_code(code: str, known: Sequence[str]) -> str:
    """Return the error message for a code that no rule has."""
    # All codes are similar: only one that differs in a single character is suggested.
    similar = [
        each
        for each in known
        if len(each) == len(code) and sum(a != b for a, b in zip(each, code.upper(), strict=True)) == 1
    ]
    return f"no rule has the code {code!r}{suggestion(code.upper(), similar)}"
