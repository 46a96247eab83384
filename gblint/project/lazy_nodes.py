"""Syntax tree nodes whose bodies are parsed on first access.  Not compiled, since they subclass nodes of ``ast``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

BodyParser = Callable[[str, Any], list[ast.stmt]]
"""A function that parses a body, given the text of the file and an ``UnparsedBody``."""
_parsers: list[BodyParser] = []


def set_body_parser(parse: BodyParser) -> None:
    """Set the function that parses bodies on first access."""
    _parsers[:] = [parse]


def leave_out(node: ast.FunctionDef | ast.ClassDef, text: str, body: object) -> None:
    """Remove the body of ``node``; the first access to it parses ``body``, an ``UnparsedBody`` of ``text``."""
    del node.body
    node.left_out = text, body  # type: ignore[union-attr]
    node.__class__ = UnparsedClass if isinstance(node, ast.ClassDef) else UnparsedFunction


def _fetch(node: ast.FunctionDef | ast.ClassDef, name: str, kind: type[ast.AST]) -> list[ast.stmt]:
    if name != "body" or "left_out" not in node.__dict__:
        raise AttributeError(name)
    text, body = node.__dict__.pop("left_out")
    node.body = _parsers[0](text, body)
    node.__class__ = kind  # type: ignore[assignment]
    return node.body


def _whole(node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
    """Return the node with its body parsed, to copy it: Python 3.13 would copy a missing list as an empty one."""
    _ = node.body
    return node


# No common base class: it would change the object layout and prevent assignment to ``__class__`` (Python 3.11).
class UnparsedFunction(ast.FunctionDef):
    """A function with an unparsed body; the first access turns it into an ``ast.FunctionDef``."""

    __slots__ = ()

    def __getattr__(self, name: str) -> list[ast.stmt]:
        return _fetch(self, name, ast.FunctionDef)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _whole(self).__reduce_ex__(protocol)


class UnparsedClass(ast.ClassDef):
    """A class with an unparsed body; the first access turns it into an ``ast.ClassDef``."""

    __slots__ = ()

    def __getattr__(self, name: str) -> list[ast.stmt]:
        return _fetch(self, name, ast.ClassDef)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _whole(self).__reduce_ex__(protocol)
