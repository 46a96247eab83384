"""What the code in a file may do, as far as its text tells without being parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gblint.entrypoints.keywords import FORWARD, LIBRARIES, PATTERNS, is_pattern, is_question

# Other words that mean something in a file that speaks of compiling, wherever in it that stands.
_COUNTING = ("torch.export", "ightning", *LIBRARIES)
# Each way to go on begins with a letter, so that the rest of a text is passed over quickly.
_CODE = re.compile(
    r"compile|_on_graph_break|config\.patch\b|\.(?:export|optimize)|_dynamo\s+import"
    r"|allow(?<!\wallow)_in_graph|substitute(?<!\wsubstitute)_in_graph"
)
_MARK = re.compile(r"""\"(?:"")?|'(?:'')?|#""")
_FLAG = re.compile(r"[ \t]*=[ \t]*(?:True|False|None)\b")
# Neither what only reads other parts of ``torch._dynamo`` nor other variables of the environment sets anything.
_SETS = re.compile(r"_dynamo\b(?!\s*\.\s*(?!config\b)\w)|TORCH")
# What may follow a name that is bound; a parenthesis or a bracket does where it is defined.
_BOUND = re.compile(rf"{FORWARD}[ \t\f]*([(\[=:,)\]}};#|\\]|$|in\b|if\b)", re.MULTILINE)
_DEFINES = re.compile(r"\b(?:def|class)[\s\\]+\Z")
# Where a string ends, or is not understood.
_ENDS = {
    quote: re.compile(rf"\\.|{quote}" + ("" if len(quote) == 3 else r"|\n"), re.DOTALL)
    for quote in ('"', "'", '"""', "'''")
}


def compiles(text: str, more: Iterable[str] = ()) -> bool:
    """Whether code in a file may compile something: comments, strings, questions and regular expressions do not.

    True where that is not plain from the text, and where it has one of ``more`` words.
    """
    if any(word in text for word in (*_COUNTING, *more)):
        return True
    said = [found.start() for found in _CODE.finditer(text) if not _harmless(text, *found.span())]
    at = number = 0
    while number < len(said):
        found = _MARK.search(text, at)
        start = len(text) if found is None else found.start()
        if said[number] < start:
            return True
        assert found is not None  # something is said further on
        if found[0] == "#":
            end = text.find("\n", start)
        else:
            end = _end_of_string(text, found.end(), found[0])
            if end < 0 or (_is_formatted(text, start) and _may_hold_code(text[found.end() : end])):
                return True
        if end < 0:
            return False
        at = end
        while number < len(said) and said[number] < at:
            number += 1
    return False


def sets(text: str) -> bool:
    """Whether a file may set something in ``torch._dynamo.config``, or in the environment for it."""
    return _SETS.search(text) is not None


def has_forward(text: str) -> bool:
    """Whether a class in a file may have a ``forward`` of its own: those that only call one, or tell of one, do not."""
    for found in _BOUND.finditer(text):
        start = found.start()
        before = text[start - 1 : start]
        if before.isalnum() or before in ("_", "."):
            continue
        if found[1] not in ("(", "[") or _DEFINES.search(text, max(start - 40, 0), start):
            return True
    return False


def _end_of_string(text: str, at: int, quote: str) -> int:
    """Where the string that is open at ``at`` has ended; -1 where it does not."""
    while found := _ENDS[quote].search(text, at):
        at = found.end()
        if found[0] == quote:
            return at
        if found[0] == "\n":
            return -1
    return -1


def _is_formatted(text: str, start: int) -> bool:
    return any(letter in "fFtT" for letter in text[max(start - 2, 0) : start])


def _may_hold_code(inside: str) -> bool:
    """Whether a formatted string has something to look at in it, or seems to end within its braces."""
    return _CODE.search(inside) is not None or inside.count("{") != inside.count("}")


def _harmless(text: str, start: int, end: int) -> bool:
    """Whether a name asks something, is asked, makes a regular expression, or is a flag that is set."""
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    rest = _word(text, end)
    name = text[start:end] + rest
    end += len(rest)
    if "compile" not in name:
        return False
    if is_question(name) or _FLAG.match(text, end):
        return True
    if start == 0 or text[start - 1] != ".":
        return False
    if text[end : end + 1] == "." and is_question(_word(text, end + 1)):
        return True
    owner = text[: start - 1][-6:]
    return any(is_pattern(name, each) and _ends_with_name(owner, each) for each in PATTERNS)


def _word(text: str, start: int) -> str:
    end = start
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return text[start:end]


def _ends_with_name(text: str, name: str) -> bool:
    """Whether ``text`` ends with ``name`` alone, which is no part of another and no attribute."""
    before = text[: -len(name)][-1:]
    return text.endswith(name) and not (before.isalnum() or before in "_.")
