"""``eval``: Dynamo evaluates an expression that needs no variables."""

from __future__ import annotations

import ast

from gblint.interp.state.call_args import Args
from gblint.runtime import ast_walk
from gblint.values.base import Const, members


def is_constant(args: Args) -> bool:
    """Return whether the arguments of ``eval`` are one expression without names, or one that is not known."""
    sources = [each.value for each in members(args.first) if isinstance(each, Const) and isinstance(each.value, str)]
    return len(args.pos) == 1 and not args.kw and all(_is_closed(source) for source in sources)


def _is_closed(source: str) -> bool:
    """Return whether an expression has no names; other text raises an error with or without Dynamo."""
    try:
        tree = ast.parse(source.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return True
    return not any(isinstance(node, ast.Name) for node in ast_walk.walk(tree))
