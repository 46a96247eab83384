"""Nodes of a syntax tree whose bodies are parsed when somebody asks for them.  Not compiled: classes of ``ast``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gblint.project.lazy_parse import UnparsedBody


def leave_out(node: ast.FunctionDef | ast.ClassDef, text: str, body: UnparsedBody) -> None:
    """Drop the body of ``node``: the first who asks for it has the one in ``text`` parsed."""
    del node.body
    node.left_out = text, body  # type: ignore[union-attr]
    node.__class__ = UnparsedClass if isinstance(node, ast.ClassDef) else UnparsedFunction


def _fetch(node: ast.FunctionDef | ast.ClassDef, name: str, kind: type[ast.AST]) -> list[ast.stmt]:
    from gblint.project.source import parse_left_out

    if name != "body" or "left_out" not in node.__dict__:
        raise AttributeError(name)
    text, body = node.__dict__.pop("left_out")
    node.body = parse_left_out(text, body)
    node.__class__ = kind  # type: ignore[assignment]
    return node.body


def _whole(node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
    """The node with its body: for who copies it, since Python 3.13 takes a list that is missing for an empty one."""
    _ = node.body
    return node


# With a base in common an object would be laid out another way, and could not become what it stands for (Python 3.11).
class UnparsedFunction(ast.FunctionDef):
    """A function that was not looked into; after that it is an ``ast.FunctionDef``."""

    __slots__ = ()

    def __getattr__(self, name: str) -> list[ast.stmt]:
        return _fetch(self, name, ast.FunctionDef)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _whole(self).__reduce_ex__(protocol)


class UnparsedClass(ast.ClassDef):
    """A class that was not looked into; after that it is an ``ast.ClassDef``."""

    __slots__ = ()

    def __getattr__(self, name: str) -> list[ast.stmt]:
        return _fetch(self, name, ast.ClassDef)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _whole(self).__reduce_ex__(protocol)
