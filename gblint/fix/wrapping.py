"""Long lines of fixes, wrapped at brackets as black and ruff do, at the line length of the project."""

from __future__ import annotations

import ast
import os
import re
import textwrap
import tokenize
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from io import StringIO
from itertools import pairwise

from gblint.project.source import SourceProblem
from gblint.runtime.files import MAX_SETTINGS, read_text
from gblint.runtime.quiet_parse import parse_module

_SETTINGS = ("pyproject.toml", "ruff.toml", ".ruff.toml", "setup.cfg", "tox.ini", ".flake8")
_LENGTH = re.compile(r"^\s*(?:max[-_])?line[-_]length\s*=\s*(\d+)", re.MULTILINE)
_DEFAULT, _LONGEST = 88, 120
_STEP = "    "
_SHORT = 10  # brackets with less than this in them are split only if no others help
_OPEN, _CLOSE = "([{", ")]}"
_OPENING, _CLOSING = tuple(_OPEN), tuple(_CLOSE)
_CONTINUED = (*_OPENING, ",")
# Operators at which a line is split, those that bind least first.
_PRIORITIES = {
    **dict.fromkeys(("if", "else"), -1),
    **dict.fromkeys(("or",), 0),
    **dict.fromkeys(("and",), 1),
    **dict.fromkeys(("|", "^", "&"), 3),
    **dict.fromkeys(("+", "-"), 4),
    **dict.fromkeys(("*", "/", "//", "%", "@"), 5),
}
_BETWEEN_STRINGS = 2
_QUOTES = ('"', "'")
_LONG_QUOTES = ('"""', "'''")
_IS_STRING = re.compile(r"[a-zA-Z]{0,2}[\"']")
_BRANCHES = ("if", "elif", "while")
_WORDS = ("and", "or", "not", "in", "is", "if", "else", "return", "lambda")
_COMPARISONS = ("==", "!=", "<=", ">=", ":=")
_SKIPPED = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


@lru_cache(maxsize=8)
def line_length(path: str, text: str) -> int:
    """Return the greatest length of a line in a file: that which the project sets, else that of its longest line."""
    found = _setting_above(os.path.dirname(os.path.abspath(path)))
    if found:
        return found
    lengths = (len(line) for line in text.splitlines() if not line.lstrip().startswith("#"))
    return max(_DEFAULT, max((n for n in lengths if n <= _LONGEST), default=0))


@lru_cache(maxsize=64)
def _setting_above(folder: str) -> int:
    """Return the line length that the nearest settings at or above a folder state; 0 if there are none."""
    while True:
        for name in _SETTINGS:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                try:
                    found = _LENGTH.search(read_text(path, errors="replace", limit=MAX_SETTINGS))
                except (OSError, SourceProblem):
                    continue
                if found:
                    return int(found.group(1))
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            return 0
        folder = parent


def wrapped(old: str, new: str, length: int) -> str:
    """Return the text ``new`` with its statements wrapped that are not in ``old``, and too long or oddly indented."""
    known = _lines_of(old)
    lines = new.splitlines(keepends=True)
    added = [n for n, line in enumerate(lines, 1) if line.rstrip("\r\n") not in known]
    long = {n for n in added if len(lines[n - 1].rstrip()) > length}
    continued = {n for n in added for each in lines[max(n - 2, 0) : n] if each.rstrip().endswith(_CONTINUED)}
    if not long and not continued:
        return new
    try:
        tree = parse_module(new)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return new
    end_of_line = "\r\n" if "\r\n" in lines[0] else "\n"
    stripped = _stripped_file(old)
    for first, last in sorted(_heads(tree), reverse=True):
        mine = range(first, last + 1)
        text = "".join(lines[first - 1 : last])
        rows = range(last - first + 1) if first in continued else {n - first for n in continued.intersection(mine)}
        if long.isdisjoint(mine) and not rows:
            continue
        if _stripped(text) in stripped:
            made = _moved_statement(text, old)
        elif not long.isdisjoint(mine) or _is_odd(text, rows):
            made = _wrapped_statement(text, length)
        else:
            continue
        if made is not None:
            lines[first - 1 : last] = [f"{line}{end_of_line}" for line in made]
    return "".join(lines)


def _is_odd(text: str, rows: Collection[int]) -> bool:
    """Return whether one of these rows of a statement, from 0, is not indented by the depth of its brackets."""
    tokens = _tokens(text) if rows else None
    if tokens is None:
        return False
    depth = above = 0
    for before, token in pairwise(tokens):
        depth += (before.string in _OPENING) - (before.string in _CLOSING)
        if token.start[0] == before.end[0]:
            continue
        indent = len(_STEP) * (depth - (token.string in _CLOSING))
        if token.start[0] - 1 in rows and (token.start[1] != indent or depth > above + 1):
            return True
        above = depth
    return False


@lru_cache(maxsize=8)
def _lines_of(text: str) -> frozenset[str]:
    return frozenset(text.splitlines())


def _stripped(text: str) -> str:
    """Return the lines of a text without their indents."""
    return "".join(f"{line.strip()}\n" for line in text.splitlines())


@lru_cache(maxsize=8)
def _stripped_file(text: str) -> str:
    return _stripped(text)


def _heads(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of each simple statement, of the head of each other one, and of decorators."""
    found: dict[int, list[tuple[int, int]]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        last = (body[0].lineno - 1 if isinstance(body, list) else node.end_lineno) or node.lineno
        found.setdefault(node.lineno, []).append((node.lineno, last))
        for each in getattr(node, "decorator_list", ()):
            found.setdefault(each.lineno, []).append((each.lineno, each.end_lineno))
    yield from (spans[0] for spans in found.values() if len(spans) == 1 and spans[0][1] >= spans[0][0])


def _wrapped_statement(text: str, length: int) -> list[str] | None:
    """Return the lines of a statement, or of the head of one, after wrapping; None if that is not possible."""
    tokens = _tokens(text)
    if tokens is None:
        return None
    indent = text[: len(text) - len(text.lstrip())]
    made = _split(_joined(tokens), indent, length, inside=False)
    before, after = _parsed(text), _parsed("\n".join(made))
    return made if before is not None and before == after else None


def _moved_statement(text: str, old: str) -> list[str] | None:
    """Return the lines of a statement of the text ``old``, formatted as there, at the indent that it has now.

    None if it may contain a string over several lines.
    """
    if any(each in text for each in (*_LONG_QUOTES, "\\\n")):
        return None
    lines, before = text.splitlines(), old.splitlines()
    plain = [line.strip() for line in lines]
    for start, line in enumerate(before):
        if line.strip() != plain[0] or [each.strip() for each in before[start : start + len(plain)]] != plain:
            continue
        there, here = (each[: len(each) - len(each.lstrip())] for each in (line, lines[0]))
        rows = before[start : start + len(plain)]
        return [f"{here}{row[len(there) :]}" if row.startswith(there) else row for row in rows]
    return None


def _parsed(text: str) -> str | None:
    """Return the syntax of a statement, or of the head of one, as text."""
    text = textwrap.dedent(text)
    for form in ("{}", "{}\n    pass", "if x:\n    pass\n{}\n    pass", "{}\ndef f():\n    pass"):
        try:
            return ast.dump(parse_module(form.format(text.rstrip())))
        except SyntaxError:
            continue
    return None


def _tokens(text: str) -> list[tokenize.TokenInfo] | None:
    """Return the tokens of a statement; None if it contains a comment or a string over several lines."""
    try:
        tokens = list(tokenize.generate_tokens(StringIO(textwrap.dedent(text)).readline))
    except (tokenize.TokenError, SyntaxError):
        return None
    found = [each for each in tokens if each.type not in _SKIPPED]
    plain = all(each.type != tokenize.COMMENT and each.start[0] == each.end[0] for each in found)
    return found if plain and found else None


def _joined(tokens: Sequence[tokenize.TokenInfo]) -> str:
    """Return the text of a statement as one line."""
    text = tokens[0].string
    for before, token in pairwise(tokens):
        if before.end[0] == token.start[0]:
            text += " " * (token.start[1] - before.end[1])
        elif token.string in _CLOSE and before.string == ",":
            text = text[:-1]
        elif before.string not in _OPEN and token.string not in _CLOSE:
            text += " "
        text += token.string
    return text


def _split(text: str, indent: str, length: int, *, inside: bool) -> list[str]:
    """Return ``text`` in lines; ``inside`` brackets it may also be split at operators."""
    if len(indent) + len(text) <= length:
        return [f"{indent}{text}"]
    parts = _at_operators(text) if inside else []
    if len(parts) > 1:
        return [line for part in parts for line in _split(part, indent, length, inside=False)]
    made = _parenthesized(text, indent, length, operators=2)
    if made:
        return made
    for start, end in sorted(_pairs(text), key=lambda pair: (pair[1] - pair[0] > _SHORT, pair[0]), reverse=True):
        head, body, tail = text[: start + 1], text[start + 1 : end], text[end:]
        if not body.strip() or len(indent) + max(len(head), len(tail)) > length:
            continue
        inner = indent + _STEP
        if len(inner) + len(body) <= length:
            return [f"{indent}{head}", f"{inner}{body}", f"{indent}{tail}"]
        elements = _elements(body)
        if len(elements) == 1:
            return [f"{indent}{head}", *_split(body, inner, length, inside=True), f"{indent}{tail}"]
        parts_in_lines = [_split(each, inner, length - 1, inside=True) for each in elements]
        rows = [[*lines[:-1], f"{lines[-1]},"] for lines in parts_in_lines]
        return [f"{indent}{head}", *(line for lines in rows for line in lines), f"{indent}{tail}"]
    return _parenthesized(text, indent, length) or [f"{indent}{text}"]


def _parenthesized(text: str, indent: str, length: int, operators: int = 1) -> list[str]:
    """Return a statement with its value in parentheses, split at operators if there are at least so many."""
    start = _value_of(text)
    tail = ":" if text.split(" ", 1)[0] in _BRANCHES else ""
    value = text[start:].removesuffix(tail).strip()
    if not start or len(_at_operators(value)) <= operators:
        return []
    return [f"{indent}{text[:start]} (", *_split(value, indent + _STEP, length, inside=True), f"{indent}){tail}"]


def _places(text: str) -> Iterator[tuple[int, str, int]]:
    """Yield offset, string and depth of brackets of each token of one line; parameters of a lambda are one deeper."""
    depth, lambdas = 0, list[int]()
    for token in tokenize.generate_tokens(StringIO(f"({text}\n)").readline):
        string = token.string
        if token.start[0] != 1 or token.start[1] == 0:
            continue
        if string in _CLOSE and token.type == tokenize.OP:
            depth -= 1
        elif string == ":" and lambdas and lambdas[-1] == depth - 1:
            depth = lambdas.pop()
        yield token.start[1] - 1, string, depth
        if string in _OPEN and token.type == tokenize.OP:
            depth += 1
        elif string == "lambda":
            lambdas.append(depth)
            depth += 1


def _pairs(text: str) -> list[tuple[int, int]]:
    """Return the offsets of the outermost brackets."""
    found: list[tuple[int, int]] = []
    start = 0
    for offset, string, depth in _places(text):
        if depth == 0 and string in ("(", "[", "{"):
            start = offset
        elif depth == 0 and string in (")", "]", "}"):
            found.append((start, offset))
    return found


def _elements(text: str) -> list[str]:
    """Return the parts between the outermost commas; the whole text if it is a comprehension."""
    places = list(_places(text))
    if any(string == "for" and depth == 0 for _, string, depth in places):
        return [text]
    commas = [offset for offset, string, depth in places if string == "," and depth == 0]
    bounds = zip([-1, *commas], [*commas, len(text)])
    return [part for start, end in bounds if (part := text[start + 1 : end].strip())]


def _at_operators(text: str) -> list[str]:
    """Return the parts between those of the outermost operators that bind least, each with its operator in front."""
    found: dict[int, list[int]] = {}
    before = ""
    places = [*_places(text)]
    if any(string == "for" and depth == 0 for _, string, depth in places):
        return [text]
    for offset, string, depth in places:
        is_operand = bool(before) and (before[-1] in ")]}\"'_" or before[-1].isalnum()) and before not in _WORDS
        if depth == 0 and is_operand and string in _PRIORITIES:
            found.setdefault(_PRIORITIES[string], []).append(offset)
        elif depth == 0 and before[-1:] in _QUOTES and _IS_STRING.match(string):
            found.setdefault(_BETWEEN_STRINGS, []).append(offset)
        before = string
    starts = found[min(found)] if found else []
    return [text[start:end].strip() for start, end in zip([0, *starts], [*starts, len(text)])]


def _value_of(text: str) -> int:
    """Return the offset of the value in an assignment, a ``return`` or the head of a branch; 0 for anything else."""
    word = text.split(" ", 1)[0]
    if word in _BRANCHES:
        return len(word) if text.endswith(":") else 0
    for offset, string, depth in _places(text):
        if depth == 0 and (string == "return" or (string.endswith("=") and string not in _COMPARISONS)):
            return offset + len(string)
    return 0
