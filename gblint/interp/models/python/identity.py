"""Objects that are compared by identity before ``==``: the items of lists and tuples."""

from __future__ import annotations

import ast

from gblint.interp.state.call_context import CallContext
from gblint.runtime import ast_walk
from gblint.values.containers import Seq


def is_first_item(ctx: CallContext, seq: Seq) -> bool:
    """Return whether the argument of ``seq.index(x)`` is the first item itself, so that nothing is compared by value.

    This is decided for a display such as ``[x, 1]``, or a variable that is bound to one only.
    """
    node = ctx.node
    if not seq.items or not ctx.args.pos or ctx.args.pos[0] is not seq.items[0]:
        return False
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return False
    wanted, display = node.args[0], _display(ctx, node.func.value)
    return (
        isinstance(wanted, ast.Name)
        and isinstance(display, (ast.List, ast.Tuple))
        and bool(display.elts)
        and isinstance(display.elts[0], ast.Name)
        and display.elts[0].id == wanted.id
        and (display is node.func.value or len(_stores(ctx, wanted.id)) < 2)
    )


def _display(ctx: CallContext, node: ast.expr) -> ast.expr | None:
    if not isinstance(node, ast.Name):
        return node
    stores = _stores(ctx, node.id)
    return stores[0].value if len(stores) == 1 and isinstance(stores[0], ast.Assign) else None


def _stores(ctx: CallContext, name: str) -> list[ast.AST]:
    """Return the assignments to a variable in the function around a call; for other statements the name itself."""
    function = None if ctx.frame.function is None else ctx.frame.function.node
    found: list[ast.AST] = []
    plain: set[int] = set()
    for node in () if function is None else ast_walk.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            if node.targets[0].id == name:
                found.append(node)
            plain.add(id(node.targets[0]))
        elif isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
            if id(node) not in plain:
                found.append(node)
    return found
