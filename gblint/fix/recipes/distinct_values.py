"""Distinct values that are only checked: all values give the same answer."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import called_name, own_line
from gblint.fix.recipes._values import is_number, is_tensor, is_zero_dim

# Reductions for which neither the order of the elements matters nor how often there is one.
_REDUCTIONS = ("all", "amax", "amin", "any", "max", "min")
_NAMES = ("torch.unique", "torch.functional.unique")


def check_all_values(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``v = torch.unique(x)`` to ``v = x if torch.compiler.is_compiling() else torch.unique(x)``.

    Preconditions: code compares the variable elementwise and only asks whether this holds for any or for all elements,
    or for the largest or smallest one, or names the values in an exception. Unsafe: in compiled code an exception would
    name all values.
    """
    call, small = ctx.node, ctx.statement
    function = ctx.tree.enclosing(call, cst.FunctionDef)
    if not isinstance(small, cst.Assign) or small.value is not call or own_line(ctx) is None or function is None:
        return None
    target, tensor = small.targets[0].target, _searched(ctx)
    if len(small.targets) != 1 or not isinstance(target, cst.Name) or tensor is None:
        return None
    uses = [each for each in match.findall(function, match.Name(target.value)) if _may_read(ctx, each, target)]
    checks = [use for use in uses if not _is_raised(ctx, use)]
    if not checks or not all(_is_only_checked(ctx, use, target.value) for use in checks):
        return None
    torch, imports = ctx.module_reference("torch")
    text = f"{ctx.code(tensor)} if {torch}.compiler.is_compiling() else {ctx.code(call)}"
    return Rewrite("check all values in compiled code", "unsafe", {call: cst.parse_expression(text)}, imports)


def _may_read(ctx: FixContext, use: cst.CSTNode, target: cst.Name) -> bool:
    """Return whether a use may read what the statement of the finding assigns."""
    parent, place = ctx.tree.parent(use), ctx.tree.bounds(use)[0]
    if isinstance(parent, cst.AssignTarget):
        return False
    function = ctx.tree.enclosing(use, cst.FunctionDef)
    loops = any(isinstance(outer, (cst.For, cst.While)) for outer in ctx.tree.ancestors(target))
    around = {id(outer) for outer in ctx.tree.ancestors(use)}
    for each in [] if function is None else match.findall(function, match.AssignTarget(match.Name(target.value))):
        line = ctx.tree.enclosing(each, cst.SimpleStatementLine)
        block = None if line is None else ctx.tree.parent(line)
        # Behind another assignment of its own block a use reads that one.
        if each is not ctx.tree.parent(target) and ctx.tree.bounds(target)[0] < ctx.tree.bounds(each)[0] < place:
            if id(block) in around and ctx.tree.bounds(line or each)[1] <= place:
                return False
    return loops or place > ctx.tree.bounds(target)[0]


def _searched(ctx: FixContext) -> cst.BaseExpression | None:
    """Return the tensor of ``torch.unique(x)`` or ``x.unique()`` if the result is the values alone."""
    call = ctx.node
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return None
    plain = [arg.value for arg in call.args if arg.keyword is None and not arg.star]
    named = [arg for arg in call.args if arg.keyword is not None]
    if len(plain) + len(named) < len(call.args) or any(not _is_neutral(ctx, arg) for arg in named):
        return None
    if called_name(ctx) in _NAMES:
        tensor = plain[0] if len(plain) == 1 else None
    else:
        tensor = call.func.value if call.func.attr.value == "unique" and not plain else None
    return tensor if tensor is not None and is_tensor(ctx.value(tensor)) else None


def _is_neutral(ctx: FixContext, arg: cst.Arg) -> bool:
    name = "" if arg.keyword is None else arg.keyword.value
    return name == "sorted" or (name == "dim" and ctx.code(arg.value) == "None")


def _is_raised(ctx: FixContext, use: cst.CSTNode) -> bool:
    """Return whether a use is a part of an exception that is raised."""
    return any(isinstance(outer, cst.Raise) for outer in ctx.tree.ancestors(use))


def _is_only_checked(ctx: FixContext, use: cst.CSTNode, name: str) -> bool:
    """Return whether a use is compared elementwise, and the comparison reduced."""
    node, parent = use, ctx.tree.parent(use)
    if isinstance(parent, (cst.AssignTarget, cst.AugAssign)):
        return False
    while parent is not None:
        if isinstance(parent, cst.UnaryOperation) and not isinstance(parent.operator, cst.Not):
            node, parent = parent, ctx.tree.parent(parent)
        elif isinstance(parent, cst.ComparisonTarget):
            parent = ctx.tree.parent(parent)
        elif isinstance(parent, (cst.BinaryOperation, cst.Comparison)):
            if not all(_is_alike(ctx, side, name) for side in _sides(parent)):
                return False
            node, parent = parent, ctx.tree.parent(parent)
        else:
            break
    call = ctx.tree.parent(parent) if isinstance(parent, (cst.Arg, cst.Attribute)) else None
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return False
    if isinstance(parent, cst.Attribute):
        return call.func is parent and parent.value is node and parent.attr.value in _REDUCTIONS and not call.args
    function = called_name(ctx, call) or ctx.code(call.func)
    known = function.startswith("torch.") and function.rpartition(".")[2] in _REDUCTIONS
    return known and len(call.args) == 1 and isinstance(parent, cst.Arg) and parent.keyword is None


def _sides(node: cst.BinaryOperation | cst.Comparison) -> list[cst.BaseExpression]:
    if isinstance(node, cst.BinaryOperation):
        return [node.left, node.right]
    return [node.left, *(each.comparator for each in node.comparisons)]


def _is_alike(ctx: FixContext, side: cst.BaseExpression, name: str) -> bool:
    """Return whether an operand is one number, or computed elementwise from the variable and from numbers."""
    if isinstance(side, cst.Name) and side.value == name:
        return True
    if isinstance(side, cst.UnaryOperation) and not isinstance(side.operator, cst.Not):
        return _is_alike(ctx, side.expression, name)
    if isinstance(side, cst.Comparison) and len(side.comparisons) > 1:
        return False
    if isinstance(side, cst.BinaryOperation) and isinstance(side.operator, cst.MatrixMultiply):
        return False
    if isinstance(side, (cst.BinaryOperation, cst.Comparison)):
        return all(_is_alike(ctx, each, name) for each in _sides(side))
    return is_number(ctx.value(side)) or is_zero_dim(ctx.value(side))
