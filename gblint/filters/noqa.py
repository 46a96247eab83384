"""What the author of a file does not want to be told: noqa comments, and ignores configured per file.

Comments follow flake8: ``# noqa`` silences its logical line, ``# noqa: GBL101`` (or a prefix such as ``GBL``) only
those codes on it; ``# gblint: noqa``, ``# gblint: noqa: GBL1`` and the same with ``flake8`` are for the whole file.
"""

from __future__ import annotations

import io
import os
import re
import tokenize
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gblint.config.settings import suggestion
from gblint.runtime.lazy_dataclasses import dataclass

if TYPE_CHECKING:
    import pathspec

_CODES = r"[A-Za-z]+[0-9]*(?:[,\s]+(?:[A-Za-z]+[0-9]+|GBL\b))*"
# Compiled when a file has one of them.
_LINE = rf"#\s*noqa(?::\s*(?P<codes>{_CODES}))?"
_FILE = rf"#\s*(?:gblint|flake8)\s*[:=]\s*noqa(?::\s*(?P<codes>{_CODES}))?\s*$"
_OURS = re.compile(r"GBL[0-9]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Comment:
    """A noqa comment: the logical lines first to last that it speaks for (0 to 0: the file) and its codes ((): all)."""

    line: int
    first: int
    last: int
    codes: tuple[str, ...]

    def silences(self, code: str, first: int, last: int) -> bool:
        """Whether it covers a finding with this code that is reported on the lines ``first`` to ``last``."""
        if self.codes and not code.startswith(self.codes):
            return False
        return self.first == 0 or (self.first <= first <= self.last) or (first <= self.line <= last)


def line_comment(text: str, start: int = 0) -> re.Match[str] | None:
    """The first noqa comment for its line in ``text`` from ``start`` on."""
    return re.compile(_LINE, re.IGNORECASE).search(text, start)


def comments(text: str) -> list[Comment]:
    """The noqa comments of a file, in order."""
    if "noqa" not in text and not re.search("noqa", text, re.IGNORECASE):
        return []
    try:
        return list(_from_tokens(text))
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        # A file that does not tokenize: line by line is the best that can be done.
        return [
            found
            for number, line in enumerate(text.splitlines(), 1)
            for found in _parse(line, number, (number, number))
        ]


def can_silence(text: str) -> bool:
    """Whether a noqa comment of a file may be for one of our codes: most are for those of other linters.

    Which lines it speaks for is known only once the file is taken apart.
    """
    # Bytes are made lower letter by letter; texts by tables, unless they are plain.
    for line in text.split("\n") if b"noqa" in text.encode("utf-8", "surrogatepass").lower() else ():
        if "noqa" in line.lower():
            for found in (*re.finditer(_LINE, line, re.IGNORECASE), *re.finditer(_FILE, line, re.IGNORECASE)):
                codes = _codes(found.group("codes"))
                if not codes or any(code.startswith("GBL") for code in codes):
                    return True
    return False


def _from_tokens(text: str) -> Iterable[Comment]:
    start: int | None = None
    held: list[tuple[str, int]] = []
    skipped = (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            held.append((token.string, token.start[0]))
        elif token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            for comment, line in held:
                inside = start is not None and start <= line
                yield from _parse(comment, line, (start or line, token.start[0]) if inside else (line, line))
            held, start = [], None
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
    """The codes, in capitals; words that are no code (``# noqa: because``) leave a bare noqa, as in flake8."""
    words = re.split(r"[,\s]+", listed.upper()) if listed else []
    return tuple(word for word in words if re.fullmatch(r"[A-Z]+[0-9]+", word) or word == "GBL")


def unknown_codes(found: Iterable[Comment], known: Sequence[str]) -> list[tuple[int, str]]:
    """The codes of ours in noqa comments that no rule has, with their lines."""
    return [
        (comment.line, code)
        for comment in found
        for code in comment.codes
        if _OURS.fullmatch(code) and not any(rule.startswith(code) for rule in known)
    ]


class PerFileIgnores:
    """The per-file-ignores of a configuration: .gitignore-style patterns below ``root``, each with its codes."""

    def __init__(self, table: Iterable[tuple[str, tuple[str, ...]]], root: Path) -> None:
        self._root = root
        self._specs = [(_spec(pattern), codes) for pattern, codes in table if codes]

    def silences(self, code: str, path: str) -> bool:
        """Whether ``code`` is ignored in the file ``path``."""
        if not self._specs:
            return False
        relative = os.path.relpath(path, self._root).replace(os.sep, "/")
        return any(code.startswith(codes) and spec.match_file(relative) for spec, codes in self._specs)


def _spec(pattern: str) -> pathspec.GitIgnoreSpec:
    import pathspec  # it takes a while, and few ask for it

    return pathspec.GitIgnoreSpec.from_lines([pattern])


def no_such_code(code: str, known: Sequence[str]) -> str:
    """What is said of a code that no rule has."""
    # All codes look alike: only one that differs in a single character is worth mentioning.
    similar = [
        each
        for each in known
        if len(each) == len(code) and sum(a != b for a, b in zip(each, code.upper(), strict=True)) == 1
    ]
    return f"no rule has the code {code!r}{suggestion(code.upper(), similar)}"
