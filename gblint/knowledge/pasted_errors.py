"""Cleaning of a pasted error message: prefixes of loggers are removed, and the line of the user's code is found.

The text around a message comes from ``torch/_dynamo/exc.py`` (``from user code:``), from
``InstructionTranslatorBase.log_graph_break`` (``Graph break in user code at``) and from ``torch/_logging``.
"""

from __future__ import annotations

import re

from gblint.runtime.lazy_dataclasses import dataclass

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
# The prefix of a line: the rank of torchrun, the E of pytest, the time, place and artifact of a log.
_PREFIX = re.compile(
    r"""\s*(?:
        \[?rank\d+\]?:\s?
      | E\s{2,}
      | (?:\d+\s*)?[|>]\s(?=\s*\S)
      | [VDIWEC]\d{4,8}\s\d\d:\d\d:\d\d\.\d+\s+(?:\d+\s+)?\S+?:\d+\]\s?
      | \[\d{4}-\d\d-\d\d\s\d\d:\d\d:\d\d,\d+\]\s+(?:\[\d+/\d+\]\s+)?\S+:\s+\[[A-Z]+\]\s?
      | \[\d+/\d+(?:_\d+)?\]\s?
      | \[__\w+\]\s?
    )""",
    re.VERBOSE,
)
_FRAME = re.compile(
    r'^\s*(?:# )?File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>[^\s,]+))?(?P<rest>.*)$'
)
_AT = re.compile(r"^\s*Graph break\b.*?\bin user code at (?P<path>.+):(?P<line>\d+)\s*$")
_CODE_AFTER = re.compile(r", code: (?P<code>.+)$")
_FROM_USER = re.compile(r"\bfrom user code\b|^\s*User (?:code traceback|stack trace)", re.IGNORECASE)
_LIBRARY = re.compile(
    r"[/\\](?:site-packages|dist-packages)[/\\]|[/\\]lib[/\\]python\d|^<(?!ipython|stdin)|[/\\]torch[/\\](?:_|nn[/\\]modules)"
)


def is_library(path: str) -> bool:
    """Return whether a path belongs to an installed package, the standard library or torch, judged only by the path."""
    return _LIBRARY.search(path) is not None


@dataclass(frozen=True, slots=True)
class PastedPlace:
    """A line that a traceback names; ``code`` is its text where the traceback shows it."""

    path: str
    line: int
    function: str = ""
    code: str = ""

    @property
    def is_own(self) -> bool:
        """Whether it belongs to the user's own code, judged only by the path."""
        return not is_library(self.path)


@dataclass(frozen=True, slots=True)
class Pasted:
    """A pasted text, cleaned: ``lines`` as torch wrote them, ``place`` the line of the user's that it is about."""

    lines: tuple[str, ...]
    place: PastedPlace | None

    @property
    def flat(self) -> str:
        """The whole text in one line with single spaces, in lower case, to search for messages."""
        return flatten("\n".join(self.lines))


def flatten(text: str) -> str:
    """``text`` with every run of white space made one space, in lower case."""
    return " ".join(text.split()).casefold()


def clean(text: str) -> Pasted:
    """Remove the text that terminals, loggers and test runners add to a message."""
    text = _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    if "\n" not in text and "\\n" in text:
        text = text.replace("\\n", "\n")
    lines = tuple(_without_prefix(line).rstrip() for line in text.split("\n"))
    return Pasted(lines, _place(lines))


def _without_prefix(line: str) -> str:
    while True:
        found = _PREFIX.match(line)
        if found is None:
            return line
        line = line[found.end() :]


def _place(lines: tuple[str, ...]) -> PastedPlace | None:
    """Return the innermost line of the user's own code: of the user code that is shown, else of any traceback."""
    sections = [number for number, line in enumerate(lines) if _FROM_USER.search(line)]
    starts = [*sections[-1:], 0] if sections else [0]
    for start in starts:
        places = [place for number in range(start, len(lines)) if (place := _frame(lines, number)) is not None]
        own = [place for place in places if place.is_own]
        if own:
            return own[-1]
    return None


def _frame(lines: tuple[str, ...], number: int) -> PastedPlace | None:
    line = lines[number]
    if found := _FRAME.match(line):
        shown = _CODE_AFTER.search(found["rest"])
        after = lines[number + 1].strip() if number + 1 < len(lines) else ""
        code = shown["code"].strip() if shown else after
        if not shown and (_FRAME.match(code) or not lines[number + 1 : number + 2] or not _indented(lines[number + 1])):
            code = ""
        return PastedPlace(found["path"], int(found["line"]), found["function"] or "", code)
    if found := _AT.match(line):
        return PastedPlace(found["path"], int(found["line"]))
    return None


def _indented(line: str) -> bool:
    return line[:1].isspace()
