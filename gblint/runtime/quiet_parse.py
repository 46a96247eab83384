"""``ast.parse`` without Python's warnings, which would be about the user's text and have no file name."""

from __future__ import annotations

import ast
import warnings


def parse_module(text: str) -> ast.Module:
    """Return the tree of a module; raises what ``ast.parse`` raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def parse_expression(text: str) -> ast.expr:
    """Return the tree of an expression; raises what ``ast.parse`` raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode="eval").body
