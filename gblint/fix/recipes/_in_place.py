"""Changes of a tensor in place, as expressions for the new value."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext
from gblint.fix.recipes._build import is_place, primary_text
from gblint.fix.recipes._purity import VIEWS, is_pure
from gblint.fix.recipes._values import is_number, is_tensor

# Elementwise methods that exist with and without the underscore.
_OUT_OF_PLACE = frozenset(
    "abs add addcdiv addcmul bitwise_and bitwise_or clamp clamp_max clamp_min div exp floor lerp log logical_and "
    "logical_not logical_or masked_fill mul neg pow reciprocal round rsqrt sigmoid sign sqrt square sub tanh".split()
)


def out_of_place_text(ctx: FixContext, node: cst.BaseExpression) -> tuple[str, str] | None:
    """Return the target of ``x.mul_(a).add_(b)``, and the text of its new value: ``x`` and ``x.mul(a).add(b)``."""
    calls: list[cst.Call] = []
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value.endswith("_"):
        calls.insert(0, node)
        node = node.func.value
    if not calls or not (is_place(node) or _is_view(ctx, node)) or not is_tensor(ctx.value(node)):
        return None
    target = text = ctx.code(node)
    for call in calls:
        assert isinstance(call.func, cst.Attribute)
        name = call.func.attr.value
        if any(arg.star or not is_pure(ctx, arg) for arg in call.args):
            return None
        arguments_text = ctx.tree.text[ctx.tree.bounds(call.func)[1] : ctx.tree.bounds(call)[1]]
        if name == "copy_" and len(call.args) == 1 and is_tensor(ctx.value(call.args[0].value)):
            value = call.args[0].value
            text = ctx.code(value) if call is calls[-1] else primary_text(ctx.tree, value)
        elif name in ("fill_", "zero_") and call is calls[-1] and len(call.args) == (name == "fill_"):
            text = ctx.code(call.args[0].value) if call.args else "0"
        elif name.endswith("_") and name[:-1] in _OUT_OF_PLACE:
            text = f"{text}.{name[:-1]}{arguments_text}"
        else:
            return None
    return target, text


def is_written(ctx: FixContext, name: str, start: int = 0) -> bool:
    """Return whether code of the function from the offset ``start`` on changes the tensor of a variable in place.

    It may also change a view of it, such as ``x[0]`` or ``x.view(-1)``.
    """
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    if function is None:
        return False
    found = _names_at_changes(ctx, function).get(name, ())
    return any(ctx.tree.bounds(each)[0] >= start and _changes(ctx, each) for each in found)


def is_any_written(ctx: FixContext, start: int) -> bool:
    """Return whether code of the function from the offset ``start`` on changes the tensor of any variable in place."""
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    return function is not None and any(is_written(ctx, name, start) for name in _names_at_changes(ctx, function))


def _names_at_changes(ctx: FixContext, function: cst.FunctionDef) -> dict[str, list[cst.Name]]:
    """Return where a function may change each of its variables in place; this is computed once for each function."""
    known = ctx.tree.changed_names.get(function)
    if known is None:
        known = ctx.tree.changed_names[function] = {}
        for each in match.findall(function, match.Name()):
            if isinstance(each, cst.Name) and _may_change(ctx, each):
                known.setdefault(each.value, []).append(each)
    return known


def _may_change(ctx: FixContext, node: cst.Name) -> bool:
    """Return whether ``node`` is changed in place unless it is a number."""
    target = ctx.tree.parent(node)
    return (isinstance(target, cst.AugAssign) and target.target is node) or _changes(ctx, node)


def _changes(ctx: FixContext, node: cst.CSTNode) -> bool:
    """Return whether ``node``, or a view of it, is changed in place."""
    if match.matches(ctx.tree.parent(node) or node, match.Arg(keyword=match.Name("out"))):
        return True
    while True:
        parent = ctx.tree.parent(node)
        if isinstance(parent, cst.AugAssign) and parent.target is node:
            return not isinstance(node, cst.Name) or not is_number(ctx.value(node))
        if isinstance(parent, cst.AssignTarget):
            return isinstance(node, cst.Subscript)
        if isinstance(parent, cst.Attribute) and parent.value is node:
            called = isinstance(ctx.tree.parent(parent), cst.Call)
            if called and parent.attr.value.endswith("_") and not parent.attr.value.endswith("__"):
                return True
            node = parent
        elif (isinstance(parent, cst.Subscript) and parent.value is node) or (
            isinstance(parent, cst.Call) and parent.func is node
        ):
            node = parent
        else:
            return False


def is_changed_through(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether the tensor ``node``, which may be a view, is changed in place, there or through its variable."""
    if _changes(ctx, node):
        return True
    small = ctx.statement
    target = small.targets[0].target if isinstance(small, cst.Assign) and small.value is node else None
    return isinstance(target, cst.Name) and is_written(ctx, target.value)


def _is_view(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` is a view of a variable or of an attribute."""
    made = isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in VIEWS
    return made and is_pure(ctx, node) and is_place(node.func.value)  # type: ignore[attr-defined]
