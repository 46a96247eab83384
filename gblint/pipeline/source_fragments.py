"""Fragments of source code as people copy them out of a file, completed so that they parse."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator

from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass

_LONGEST = 100_000  # characters
_PROMPT = re.compile(r"^(?:>>>|\.\.\.) ?", re.MULTILINE)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}
# A clause that continues a statement, and the beginning of that statement.
_CONTINUATIONS = (
    (re.compile(r"elif\b"), "if unknown_condition:\n    pass\n"),
    (re.compile(r"else\s*:"), "if unknown_condition:\n    pass\n"),
    (re.compile(r"(except|finally)\b"), "try:\n    pass\n"),
)
_CASE = re.compile(r"case\b.*:", re.DOTALL)
UNKNOWN_NAMES = ("unknown_condition", "unknown_call")  # that the completion adds


@dataclass(frozen=True, slots=True)
class Fragment:
    """A text that parses, with its syntax tree; ``is_complete`` if nothing had to be added to it."""

    text: str
    tree: ast.Module
    is_complete: bool


def fragment_of(text: str) -> Fragment | None:
    """Return ``text`` as source code; None if it is none.

    It may be statements, an expression, the head of a compound statement, or a line of a longer statement.
    """
    if not text.strip() or len(text) > _LONGEST or "\0" in text:
        return None
    code = _without_margin(text)
    for number, candidate in enumerate(_candidates(code) if code else ()):
        tree = parsed(candidate)
        if tree is not None and any(map(_does_something, tree.body)):
            return Fragment(candidate, tree, number == 0)
    return None


def _does_something(node: ast.stmt) -> bool:
    """Return whether a statement is more than constants."""
    names = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
    return not isinstance(node, ast.Expr) or any(name not in UNKNOWN_NAMES for name in names)


def is_plainly_source(text: str) -> bool:
    """Return whether ``text`` parses as it stands, and is not a name, string or ``name: words``."""
    tree = parsed(_without_margin(text)) if len(text) <= _LONGEST else None
    if tree is None or not tree.body:
        return False
    node = tree.body[0]
    if isinstance(node, ast.AnnAssign):
        return node.value is not None
    return not (isinstance(node, ast.Expr) and isinstance(node.value, (ast.Constant, ast.Name)))


def parsed(text: str) -> ast.Module | None:
    """Return the syntax tree of ``text``; None if it does not parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes in strings
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def statement_at(text: str, line: int) -> str | None:
    """Return the statement on a line of a file; of a compound statement its head alone; None without code there."""
    lines = text.split("\n")
    own = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    if not own or own.startswith("#"):
        return None
    tree = parsed(text)
    for node in ast_walk.walk(tree) if tree is not None else ():
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0) and not hasattr(node, "body"):
            return ast.get_source_segment(text, node)
    return own


def _without_margin(text: str) -> str:
    lines = _PROMPT.sub("", text.expandtabs()).strip("\n").rstrip().splitlines()
    return textwrap.dedent("\n".join(line for line in lines if line.strip()))


def _candidates(text: str) -> Iterator[str]:
    """Yield the text, then the text completed in each way, the likeliest first."""
    yield text
    yield from _completed(text)
    balanced = _balanced(text)
    if balanced != text:
        yield balanced
        yield from _completed(balanced)


def _completed(text: str) -> Iterator[str]:
    indent = " " * (len(text) - len(text.lstrip()) + 4)
    for pattern, before in _CONTINUATIONS:
        if pattern.match(text):
            yield f"{before}{text}\n{indent}pass"
            yield f"{before}{text}"
    if _CASE.match(text):
        yield f"match subject:\n{textwrap.indent(text, '    ')}\n        pass"
    last = text.splitlines()[-1]
    inner = " " * (len(last) - len(last.lstrip()) + 4)
    yield f"{text}\n{inner}pass"
    if text.startswith("@"):
        yield f"{text}\ndef decorated(value):\n    return value"
    if text.startswith("try:"):
        yield f"{text}\n    pass\nfinally:\n    pass"
        yield f"{text}\nfinally:\n    pass"
    bare = text.rstrip().removesuffix(",")
    yield bare
    yield f"({bare})"
    yield f"{{{bare}}}"
    yield f"unknown_call({bare})"


def _balanced(text: str) -> str:
    """Return the text with its missing opening and closing brackets."""
    opened: list[str] = []
    missing: list[str] = []
    quote = ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in _CLOSING:
            opened.append(character)
        elif character in _OPENING:
            if opened and opened[-1] == _OPENING[character]:
                opened.pop()
            elif not opened:
                missing.append(_OPENING[character])
    before = "".join(("unknown_call(" if bracket == "(" else bracket) for bracket in reversed(missing))
    return before + text + "".join(_CLOSING[bracket] for bracket in reversed(opened))
