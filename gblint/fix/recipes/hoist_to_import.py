"""Conditions on attributes of imported modules: evaluated once, on import."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.imports import imported_as
from gblint.fix.recipes._build import after_imports, is_unused_name

_JOINED = (cst.BooleanOperation, cst.Comparison, cst.ComparisonTarget, cst.UnaryOperation)


def evaluate_on_import(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if "out" in torch.add.__kwdefaults__`` to a test of a module-level constant.

    Preconditions: the condition reads attributes of imported modules only. Unsafe: the attributes could change later.
    """
    whole: cst.CSTNode = ctx.node
    while isinstance(parent := ctx.tree.parent(whole), _JOINED):
        whole = parent
    if not isinstance(whole, (cst.BooleanOperation, cst.Comparison, cst.UnaryOperation)) or not _is_of_imports(
        ctx, whole
    ):
        return None
    attributes = [n for n in match.findall(whole, match.Attribute()) if isinstance(n, cst.Attribute)]
    owner = next((n.value.attr.value for n in attributes if isinstance(n.value, cst.Attribute)), "")
    name = f"_{owner}_asked_once".upper()
    code = ctx.code(whole)
    added = after_imports(ctx.tree, f"{name} = {code}")
    if not owner or not added or not is_unused_name(ctx.tree, name):
        return None
    kinds = match.BooleanOperation() | match.Comparison() | match.UnaryOperation()
    same = [n for n in match.findall(ctx.tree.module, kinds) if ctx.code(n) == code]
    inside = [n for n in same if ctx.tree.enclosing(n, cst.FunctionDef) is not None]
    return Rewrite(
        "evaluate the condition once, on import", "unsafe", {**added, **dict.fromkeys(inside, cst.Name(name))}
    )


def _is_of_imports(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` only reads attributes of modules that the file imports."""
    if match.findall(node, match.Call() | match.Subscript() | match.NamedExpr() | match.Await() | match.Lambda()):
        return False
    named = {id(n.attr) for n in match.findall(node, match.Attribute()) if isinstance(n, cst.Attribute)}
    names = [n for n in match.findall(node, match.Name()) if id(n) not in named and isinstance(n, cst.Name)]
    bound = (n.value for n in names if n.value not in ("None", "True", "False"))
    return bool(names) and all(imported_as(ctx.tree.module, name) == name for name in bound)
