"""Syntax that a supported version of Python has and the running one lacks, as a hint on a syntax error."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Callable
from typing import Final

_LONGEST: Final = 400  # characters of a line that is looked at: the time of the patterns grows with its square
_EXCEPT_STAR: Final = r"^(\s*except)\s*\*"
_TYPE_STATEMENT: Final = r"^(\s*)type\s+(\w+)\s*(\[.*\]\s*)?="
_TYPE_PARAMETERS: Final = r"^(\s*(?:async\s+)?(?:def|class)\s+\w+)\s*\[[^\]]*\]"
_DEFAULT: Final = r"^\s*(?:async\s+)?(?:type|def|class)\s+\w+\s*\[[^\]]*=[^\]]*\]"
_TYPES: Final = r"^(\s*except\s*\*?\s*)(\w[^()]*,[^()]*?)(\s*:\s*(?:#.*)?)$"
_PREFIX: Final = r"\b({kind}[rR]?|[rR]{kind})([\"'])(?!\2\2)"
_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}


def newer_version(source: str, line: int, parse: Callable[[str], ast.Module]) -> tuple[int, int] | None:
    """Return the version of Python whose syntax a line has that cannot be parsed; None if no version has it.

    The line is written in the syntax of older versions. It is newer syntax if this moves or removes the error that
    ``parse`` raises.
    """
    lines = source.split("\n")
    if not 0 < line <= len(lines) or len(lines[line - 1]) > _LONGEST:
        return None
    text = lines[line - 1]
    for since, rewrite in reversed(_REWRITES):
        if since <= sys.version_info[:2]:
            break
        older = rewrite(text)
        if older != text and _is_mended("\n".join([*lines[: line - 1], older, *lines[line:]]), line, parse):
            return since
    return None


def _is_mended(source: str, line: int, parse: Callable[[str], ast.Module] = ast.parse) -> bool:
    """Return whether the first syntax error of a text is behind a line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parse(source)
    except SyntaxError as error:
        return (error.lineno or 0) > line
    except (RecursionError, MemoryError, ValueError):
        return False
    return True


def _without_star(text: str) -> str:
    return re.sub(_EXCEPT_STAR, r"\1 ", text)


def _without_type_parameters(text: str) -> str:
    return re.sub(_TYPE_PARAMETERS, r"\1", re.sub(_TYPE_STATEMENT, r"\1\2 =", text))


def _without_defaults(text: str) -> str:
    return _without_type_parameters(text) if re.search(_DEFAULT, text) else text


def _in_parentheses(text: str) -> str:
    return re.sub(_TYPES, r"\1(\2)\3", text)


def _without_f_strings(text: str) -> str:
    return _without_strings(text, "[fF]")


def _without_t_strings(text: str) -> str:
    return _without_strings(text, "[tT]")


def _without_strings(text: str, kind: str) -> str:
    """Return a line with an empty string for each f-string or t-string whose expressions can be parsed."""
    pattern = re.compile(_PREFIX.format(kind=kind))
    found = pattern.search(text)
    while found is not None:
        end = _end(text, found.end(), found[2])
        if end is None:
            return text
        text = f'{text[: found.start()]}""{text[end:]}'
        found = pattern.search(text, found.start() + 2)
    return text


def _end(text: str, start: int, quote: str) -> int | None:
    """Return the end of a string with expressions, whose text begins at ``start``; None if it is not valid."""
    position = start
    while position < len(text):
        if text[position] == quote:
            return position + 1
        if text.startswith(("{{", "}}", "\\"), position):
            position += 2
        elif text[position] == "{":
            closed = _end_of_field(text, position + 1)
            if closed is None:
                return None
            position = closed
        else:
            position += 1
    return None


def _end_of_field(text: str, start: int) -> int | None:
    """Return the end of a replacement field, which begins at ``start``; None if it is not valid."""
    expected: list[str] = []
    position, expression_end = start, 0
    while position < len(text):
        character = text[position]
        if not expected and character == "}":
            expression = text[start : expression_end or position].rstrip().removesuffix("=")
            return position + 1 if _is_mended(f"({expression}\n)", 2) and expression.strip() else None
        if not expected and not expression_end and character in ":!" and text[position + 1 : position + 2] != "=":
            expression_end = position
        if character in _BRACKETS:
            expected.append(_BRACKETS[character])
        elif expected and character == expected[-1]:
            expected.pop()
        elif character in "\"'" and not expression_end:
            mark = character * (3 if text.startswith(character * 3, position) else 1)
            last = text.find(mark, position + len(mark))
            if last < 0:
                return None
            position = last + len(mark) - 1
        position += 1
    return None


# The syntax that a version has introduced, written as older versions have it, oldest first.
_REWRITES: Final[tuple[tuple[tuple[int, int], Callable[[str], str]], ...]] = (
    ((3, 11), _without_star),
    ((3, 12), _without_type_parameters),
    ((3, 12), _without_f_strings),
    ((3, 13), _without_defaults),
    ((3, 14), _without_t_strings),
    ((3, 14), _in_parentheses),
)
