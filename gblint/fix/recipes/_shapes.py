"""Shapes that are known from how tensors are computed, where their sizes and even their ranks are not."""

from __future__ import annotations

import ast

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext
from gblint.fix.recipes._build import all_parameters, called_name, sole_statement
from gblint.fix.recipes._values import is_number, is_tensor
from gblint.runtime import ast_walk

# Functions and methods whose result has the shape of their tensors, broadcast.
_ELEMENTWISE = frozenset(
    "abs add bitwise_and bitwise_not bitwise_or bool clone detach div double eq exp float ge gt half int isclose "
    "isfinite isinf isnan le log logical_and logical_not logical_or logical_xor long lt mul ne neg pow sigmoid sign "
    "sqrt square sub tanh".split()
)
_ALIKE = frozenset("empty_like full_like ones_like rand_like randn_like zeros_like".split())
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MAX_DEPTH = 8  # variables that are computed from each other


def covers(ctx: FixContext, mask: cst.BaseExpression, tensor: cst.BaseExpression) -> bool:
    """Return whether the mask has at least the shape of the tensor: it is computed elementwise from a tensor of it.

    Where such a mask is the index of the tensor, which has at least as many dimensions as its index, both have one
    shape.
    """
    # In one expression a variable is one tensor, whatever assigns it.
    here = {ctx.code(tensor)} if isinstance(tensor, cst.Name) else set[str]()
    return not _sources(ctx, mask, 0).isdisjoint(_alike(ctx, tensor, 0)) or not _read(ctx, mask).isdisjoint(here)


def are_alike(ctx: FixContext, one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    """Return whether two expressions certainly have one shape."""
    return not _alike(ctx, one, 0).isdisjoint(_alike(ctx, other, 0))


def _sources(ctx: FixContext, node: cst.BaseExpression, depth: int) -> frozenset[str]:
    """Return the texts of the tensors from which ``node`` is computed elementwise, so that it has their shapes."""
    if isinstance(node, (cst.Name, cst.Attribute)):
        value = assigned_value(ctx, node) if depth < _MAX_DEPTH else None
        known = frozenset[str]() if value is None else _sources(ctx, value, depth + 1)
        return known | _stable(ctx, node) | _alike(ctx, node, depth)
    if isinstance(node, cst.UnaryOperation) and not isinstance(node.operator, cst.Not):
        return _sources(ctx, node.expression, depth)
    if isinstance(node, cst.BinaryOperation) and not isinstance(node.operator, cst.MatrixMultiply):
        return _sources(ctx, node.left, depth) | _sources(ctx, node.right, depth)
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        target = node.comparisons[0]
        if isinstance(target.operator, (cst.Is, cst.IsNot, cst.In, cst.NotIn)):
            return frozenset()
        return _sources(ctx, node.left, depth) | _sources(ctx, target.comparator, depth)
    found = frozenset[str]()
    for each in _operands(ctx, node):
        found |= _sources(ctx, each, depth)
    return found


def _read(ctx: FixContext, node: cst.BaseExpression) -> frozenset[str]:
    """Return the variables from which an expression is computed elementwise by operators."""
    if isinstance(node, cst.Name):
        return frozenset((node.value,)) if is_tensor(ctx.value(node)) else frozenset()
    if isinstance(node, cst.UnaryOperation) and not isinstance(node.operator, cst.Not):
        return _read(ctx, node.expression)
    if isinstance(node, cst.BinaryOperation) and not isinstance(node.operator, cst.MatrixMultiply):
        return _read(ctx, node.left) | _read(ctx, node.right)
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        return _read(ctx, node.left) | _read(ctx, node.comparisons[0].comparator)
    return frozenset()


def _alike(ctx: FixContext, node: cst.BaseExpression, depth: int) -> frozenset[str]:
    """Return the texts of tensors that have exactly the shape of ``node``."""
    if isinstance(node, (cst.Name, cst.Attribute)):
        value = assigned_value(ctx, node) if depth < _MAX_DEPTH else None
        known = frozenset[str]() if value is None else _alike(ctx, value, depth + 1)
        return known | _stable(ctx, node)
    if isinstance(node, cst.UnaryOperation) and not isinstance(node.operator, cst.Not):
        return _alike(ctx, node.expression, depth)
    if isinstance(node, cst.BinaryOperation) and not isinstance(node.operator, cst.MatrixMultiply):
        tensors = [side for side in (node.left, node.right) if not is_number(ctx.value(side))]
        return _all_alike(ctx, tensors, depth)
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        target = node.comparisons[0]
        if isinstance(target.operator, (cst.Is, cst.IsNot, cst.In, cst.NotIn)) or not is_tensor(ctx.value(node)):
            return frozenset()
        sides = (node.left, target.comparator)
        return _all_alike(ctx, [side for side in sides if not is_number(ctx.value(side))], depth)
    return _all_alike(ctx, _operands(ctx, node), depth)


def _all_alike(ctx: FixContext, nodes: list[cst.BaseExpression], depth: int) -> frozenset[str]:
    """Return the texts of tensors that have exactly the shape of each of the nodes."""
    found = [_alike(ctx, node, depth) for node in nodes]
    return frozenset.intersection(*found) if found else frozenset()


def _operands(ctx: FixContext, node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """Return the tensors that a call of an elementwise function or method of torch gets; none for any other node."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return []
    name = node.func.attr.value
    if name not in _ELEMENTWISE | _ALIKE or any(arg.star for arg in node.args) or not is_tensor(ctx.value(node)):
        return []
    receiver = [node.func.value] if is_tensor(ctx.value(node.func.value)) else []
    if not receiver and (called_name(ctx, node) or "").partition(".")[0] != "torch":
        return []
    given = [arg.value for arg in node.args if arg.keyword is None or arg.keyword.value in ("input", "other")]
    if name in _ALIKE:
        return given[:1]
    return [*receiver, *(each for each in given if is_tensor(ctx.value(each)))]


def _stable(ctx: FixContext, node: cst.BaseExpression) -> frozenset[str]:
    """Return the text of a variable that is one tensor in the whole function, or since its only assignment."""
    if not isinstance(node, cst.Name) or not is_tensor(ctx.value(node)):
        return frozenset()
    function, stores = ctx.tree.enclosing(ctx.node, cst.FunctionDef), _stores(ctx, node.value)
    if function is None or stores is None:
        return frozenset()
    parameter = any(each.name.value == node.value for each in all_parameters(function.params))
    once = stores == 0 if parameter else stores == 1 and assigned_value(ctx, node) is not None
    return frozenset((node.value,)) if once else frozenset()


def assigned_value(ctx: FixContext, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Return what a variable has been assigned at the statement of the finding; None if that is not certain.

    This is its only assignment, or the last one before the statement in the same block.
    """
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    if not isinstance(node, cst.Name) or function is None:
        return None
    stores = _stores(ctx, node.value)
    if stores is None or stores > 1:
        return None if stores is None else _last_assigned(ctx, node)
    around = {id(outer) for outer in ctx.tree.ancestors(ctx.statement)}
    for target in match.findall(function, match.AssignTarget(match.Name(node.value))):
        assign = ctx.tree.parent(target)
        line = None if assign is None else ctx.tree.parent(assign)
        if not isinstance(assign, cst.Assign) or line is None or id(ctx.tree.parent(line)) not in around:
            return None
        before = ctx.tree.bounds(assign)[1] <= min(ctx.tree.bounds(node)[0], ctx.tree.bounds(ctx.statement)[0])
        return assign.value if before else None
    return None


def _last_assigned(ctx: FixContext, node: cst.Name) -> cst.BaseExpression | None:
    """Return what the block around the finding's statement assigned to a variable last, on a line of its own."""
    line = ctx.tree.parent(ctx.statement)
    block = None if line is None else ctx.tree.parent(line)
    if not isinstance(block, cst.IndentedBlock) or ctx.statement not in ctx.tree.ancestors(node):
        return None
    before = block.body[: next(i for i, each in enumerate(block.body) if each is line)]
    for each in reversed(before):
        if not match.findall(each, match.Name(node.value)):
            continue
        only = sole_statement([each])
        if isinstance(only, cst.Assign) and match.matches(only.targets[0].target, match.Name(node.value)):
            return only.value if len(only.targets) == 1 else None
        if not isinstance(only, (cst.Expr, cst.Assign)) or _stores_in(each, node.value):
            return None
    return None


def _stores_in(line: cst.CSTNode, name: str) -> bool:
    """Return whether a statement may assign a variable."""
    targets = match.findall(line, match.AssignTarget() | match.NamedExpr())
    return any(match.findall(each.target, match.Name(name)) for each in targets)  # type: ignore[attr-defined]


def _stores(ctx: FixContext, name: str) -> int | None:
    """Return how often the function around the finding assigns a variable; None if it is not known."""
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    if function is None:
        return None
    line = ctx.tree.offsets.position(ctx.tree.bounds(function.name)[0])[0]
    found = [each for each in ast_walk.walk(ctx.tree.ast) if isinstance(each, _FUNCTIONS) and each.lineno == line]
    count = 0
    for node in ast_walk.walk(found[0]) if found else ():
        if isinstance(node, ast.Name) and node.id == name:
            count += not isinstance(node.ctx, ast.Load)
        elif isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names:
            return None
        elif isinstance(node, (*_FUNCTIONS, ast.Lambda)) and node is not found[0]:
            if any(isinstance(each, ast.arg) and each.arg == name for each in ast_walk.walk(node.args)):
                return None
        elif isinstance(node, ast.ExceptHandler) and node.name == name:
            return None
    return count if found else None
