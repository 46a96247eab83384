"""Prefilters: conservative checks of the text of a file, to avoid parsing it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gblint.entrypoints.keywords import FORWARD, PATTERNS, is_pattern, is_query
from gblint.knowledge.compiling_libraries import COMPILE_OPTIONS

# Words that may compile something anywhere in a file that has one of the keywords, even in a comment.
_ANYWHERE = ("torch.export", "ightning", *COMPILE_OPTIONS)
# Each alternative begins with a literal, which makes the search fast.
_CODE = re.compile(
    r"compile|_on_graph_break|config\.patch\b|\.(?:export|optimize)|_dynamo\s*(?:import|\.(?:explain|testing)\b)"
    r"|allow(?<!\wallow)_in_graph|substitute(?<!\wsubstitute)_in_graph"
)
_MARK = re.compile(r"""\"(?:"")?|'(?:'')?|#""")
_FLAG = re.compile(r"[ \t]*=[ \t]*(?:True|False|None)\b")
# Uses of other parts of ``torch._dynamo``, and other environment variables, set nothing.
_SETS = re.compile(r"_dynamo\b(?!\s*\.\s*(?!config\b)\w)|TORCH")
# The characters that may follow a bound name; a parenthesis or a bracket only in a definition.
_BOUND = re.compile(rf"{FORWARD}[ \t\f]*([(\[=:,)\]}};#|\\]|$|in\b|if\b)", re.MULTILINE)
_DEFINES = re.compile(r"\b(?:def|class)[\s\\]+\Z")
_COMPILE_METHOD = re.compile(r"\bdef\s+compile\b")
# The end of a string, by its quotes; a single-quoted one does not end if it reaches a newline.
_ENDS = {
    quote: re.compile(rf"\\.|{quote}" + ("" if len(quote) == 3 else r"|\n"), re.DOTALL)
    for quote in ('"', "'", '"""', "'''")
}


def compiles(text: str, more: Iterable[str] = ()) -> bool:
    """Return whether code in a file may compile something.

    Comments, strings, queries (``is_compiling``) and regular expressions are excluded.  In doubt the answer is true; it
    is true if the text has one of ``more`` words.
    """
    if any(word in text for word in (*_ANYWHERE, *more)):
        return True
    places = [found.start() for found in _CODE.finditer(text) if not _harmless(text, *found.span())]
    at = number = 0
    while number < len(places):
        found = _MARK.search(text, at)
        start = len(text) if found is None else found.start()
        if places[number] < start:
            return True
        assert found is not None  # there is a keyword further on
        if found[0] == "#":
            end = text.find("\n", start)
        else:
            end = _end_of_string(text, found.end(), found[0])
            if end < 0 or (_is_formatted(text, start) and _may_hold_code(text[found.end() : end])):
                return True
        if end < 0:
            return False
        at = end
        while number < len(places) and places[number] < at:
            number += 1
    return False


def sets(text: str) -> bool:
    """Return whether a file may set an option of ``torch._dynamo.config`` or an environment variable of torch."""
    return _SETS.search(text) is not None


def defines_compile(text: str) -> bool:
    """Return whether a file may define a function or method named ``compile``."""
    return _COMPILE_METHOD.search(text) is not None


def has_forward(text: str) -> bool:
    """Return whether a class in a file may define ``forward``; calls and mentions of it do not count."""
    for found in _BOUND.finditer(text):
        start = found.start()
        before = text[start - 1 : start]
        if before.isalnum() or before in ("_", "."):
            continue
        if found[1] not in ("(", "[") or _DEFINES.search(text, max(start - 40, 0), start):
            return True
    return False


def _end_of_string(text: str, at: int, quote: str) -> int:
    """Return the end of the string that is open at ``at``, -1 if it does not end."""
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
    """Return whether a formatted string contains a keyword, or seems to end inside of braces."""
    return _CODE.search(inside) is not None or inside.count("{") != inside.count("}")


def _harmless(text: str, start: int, end: int) -> bool:
    """Return whether a name is a query, is queried, compiles a regular expression, or is a flag being set."""
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    rest = _word(text, end)
    name = text[start:end] + rest
    end += len(rest)
    if "compile" not in name:
        return False
    if is_query(name) or _FLAG.match(text, end):
        return True
    if start == 0 or text[start - 1] != ".":
        return False
    if text[end : end + 1] == "." and is_query(_word(text, end + 1)):
        return True
    owner = text[: start - 1][-6:]
    return any(is_pattern(name, each) and _ends_with_name(owner, each) for each in PATTERNS)


def _word(text: str, start: int) -> str:
    end = start
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return text[start:end]


def _ends_with_name(text: str, name: str) -> bool:
    """Return whether ``text`` ends with exactly ``name``: neither a part of another name nor an attribute."""
    before = text[: -len(name)][-1:]
    return text.endswith(name) and not (before.isalnum() or before in "_.")
