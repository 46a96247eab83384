"""Type parameters and ``type`` statements (PEP 695, and PEP 696 for defaults), for the parser of an older Python.

A parameter list is replaced by spaces, and ``type X = int`` by an assignment to ``X``, so that lines and columns
stay as they are.
"""

from __future__ import annotations

import ast
import io
import keyword
import token
import tokenize
from collections.abc import Iterator

from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass

_BEGINS = frozenset((token.NEWLINE, token.INDENT, token.DEDENT))
_BETWEEN = frozenset((token.NL, token.COMMENT, token.ENCODING))
_Place = tuple[int, int]
# Start and end as line and column, the text that is kept, and the line and name of the function or class.
_Part = tuple[_Place, _Place, str, "tuple[int, str] | None"]


@dataclass(frozen=True, slots=True)
class TypeParameter:
    """A type parameter, with the names of the fields of ``ast.TypeVar``, which Python 3.11 lacks."""

    name: str
    bound: ast.expr | None


@dataclass(frozen=True, slots=True)
class OlderText:
    """A text without type parameters.

    lists: the text between the brackets, by the line of the ``def`` or ``class`` and the name after it.
    """

    text: str
    lists: dict[tuple[int, str], str]

    def parse(self) -> ast.Module:
        """Return the syntax tree, with the type parameters at their functions and classes; raises SyntaxError."""
        tree = ast.parse(self.text)
        for node in ast_walk.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                written = self.lists.get((node.lineno, node.name))
                if written is not None:
                    node.__dict__["type_params"] = _parsed(written)
        return tree


def without(source: str) -> OlderText | None:
    """Return ``source`` without type parameters and ``type`` keywords; None if it has none."""
    if "[" not in source and "type " not in source:
        return None
    lines = list(io.StringIO(source))
    try:
        parts = list(_parts(list(tokenize.generate_tokens(iter(lines).__next__))))
    except (tokenize.TokenError, SyntaxError, IndexError):
        return None
    lists: dict[tuple[int, str], str] = {}
    for start, stop, kept, owner in parts:
        if owner is not None:
            lists[owner] = _between(lines, start, stop)
        _replace(lines, start, stop, kept)
    return OlderText("".join(lines), lists) if parts else None


def _parsed(written: str) -> list[TypeParameter]:
    """Return the parameters of a list, which is written like the parameters of a function."""
    try:
        function = ast.parse(f"def _({written}): ...").body[0]
    except SyntaxError:
        return []
    assert isinstance(function, ast.FunctionDef)
    found = [*function.args.args, *filter(None, (function.args.vararg, function.args.kwarg))]
    return [TypeParameter(each.arg, each.annotation) for each in found]


def _parts(tokens: list[tokenize.TokenInfo]) -> Iterator[_Part]:
    """Yield the parts of a text to replace."""
    code = [each for each in tokens if each.type not in _BETWEEN]
    for index, each in enumerate(code[:-2]):
        name, after = code[index + 1], code[index + 2]
        if each.type != token.NAME or name.type != token.NAME:
            continue
        begins = index == 0 or code[index - 1].type in _BEGINS or code[index - 1].string in (";", ":")
        is_alias = each.string == "type" and begins and after.string in ("=", "[")
        if is_alias and not keyword.iskeyword(name.string):
            yield each.start, name.end, name.string, None
        elif each.string not in ("def", "class"):
            continue
        if after.string == "[":
            yield after.start, _closing(code, index + 2).end, "", None if is_alias else (each.start[0], name.string)


def _closing(code: list[tokenize.TokenInfo], index: int) -> tokenize.TokenInfo:
    """Return the bracket that closes the one at ``index``; raises IndexError if none does."""
    depth = 0
    while True:
        depth += {"[": 1, "(": 1, "{": 1, "]": -1, ")": -1, "}": -1}.get(code[index].string, 0)
        if depth == 0:
            return code[index]
        index += 1


def _between(lines: list[str], start: _Place, stop: _Place) -> str:
    """Return the text inside the brackets at ``start`` and before ``stop``."""
    if start[0] == stop[0]:
        return lines[start[0] - 1][start[1] + 1 : stop[1] - 1]
    inner = lines[start[0] : stop[0] - 1]
    return "".join((lines[start[0] - 1][start[1] + 1 :], *inner, lines[stop[0] - 1][: stop[1] - 1]))


def _replace(lines: list[str], start: _Place, stop: _Place, kept: str) -> None:
    """Replace a part of the lines by ``kept`` and spaces; a line that the part goes beyond ends with a backslash."""
    for number in range(start[0], stop[0] + 1):
        line = lines[number - 1]
        end = len(line.rstrip("\r\n"))
        first = start[1] if number == start[0] else 0
        last = stop[1] if number == stop[0] else end
        between = kept.ljust(last - first)
        if number < stop[0]:
            between = between[:-1] + "\\"
        lines[number - 1] = line[:first] + between + line[last:]
        kept = ""
