"""``eval``, of which Dynamo evaluates an expression that needs no variables, and ``__import__``."""

from __future__ import annotations

import ast

from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.runtime import ast_walk
from gblint.values.base import UNKNOWN, Const, Value, members
from gblint.values.containers import Seq


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


def imported(ctx: CallContext) -> Value:
    """Return the module of ``__import__``: the one of the whole name only if there is a list of names from it."""
    name, names, level = ctx.args.first, ctx.args.get(3, "fromlist"), ctx.args.get(4, "level")
    if not isinstance(name, Const) or not isinstance(name.value, str) or level not in (None, Const(0)):
        return UNKNOWN
    if names is None or names == Const(None) or (isinstance(names, Seq) and names.items == ()):
        return ctx.interp.module_value(name.value.partition(".")[0], ctx.frame.module)
    return ctx.interp.module_value(name.value, ctx.frame.module) if isinstance(names, Seq) else UNKNOWN
