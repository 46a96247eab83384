"""Numbers that are read out of a tensor only to go back into tensors: the tensor itself instead."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst
from libcst import matchers as match

from gblint.fix.recipes.building import is_tensor, tight
from gblint.fix.site import Rewrite, Site
from gblint.fix.tree import Tree
from gblint.values.base import Const, Scalar, Tensor, Value, members

_TITLE = "compute with the tensor instead of its number"
_ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide)


def in_arithmetic(site: Site) -> Rewrite | None:
    """``x * y.item()`` as ``x * y.detach()``: also ``float(y)``, and a variable that is only used like that."""
    read = _read(site, site.node)
    if read is None:
        return None
    assigned = _assigned_to(site)
    if assigned is None:
        uses: list[cst.BaseExpression] = [site.node]
    else:
        uses = _uses(site, assigned)
    if not uses:
        return None
    exact, differentiable = True, False
    for use in uses:
        found = _consumer(site, use, read)
        if found is None:
            return None
        exact &= found.exact
        differentiable |= found.differentiable
    text = tight(site.tree, read.tensor)
    if differentiable and read.may_need_grad:
        text += ".detach()"
    new = cst.parse_expression(text)
    if isinstance(read.tensor, cst.Name) and text == read.tensor.value:
        new = read.tensor
    return Rewrite(_TITLE, "safe" if exact and read.single else "unsafe", {site.node: new})


@dataclass(frozen=True, slots=True)
class _Read:
    """A tensor whose number is asked for; ``single`` if it surely has no dimensions."""

    tensor: cst.BaseExpression
    dtype: str | None
    single: bool
    may_need_grad: bool


@dataclass(frozen=True, slots=True)
class _Consumer:
    exact: bool
    differentiable: bool


def _read(site: Site, node: cst.BaseExpression) -> _Read | None:
    """The tensor of ``t.item()`` or ``float(t)``."""
    if not isinstance(node, cst.Call):
        return None
    tensor: cst.BaseExpression
    if isinstance(node.func, cst.Attribute) and node.func.attr.value == "item" and not node.args:
        tensor, converted = node.func.value, ""
    elif isinstance(node.func, cst.Name) and node.func.value in ("float", "int") and len(node.args) == 1:
        tensor, converted = node.args[0].value, node.func.value
        if node.args[0].star or node.args[0].keyword:
            return None
    else:
        return None
    value = site.value(tensor)
    if value is None or not is_tensor(value):
        return None
    kinds = [v for v in members(value) if isinstance(v, Tensor)]
    dtypes = {v.dtype for v in kinds}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    if (converted == "int" and dtype != "int") or (converted == "float" and dtype not in ("float", "int")):
        return None
    needs = any(v.requires_grad is not False and v.dtype in (None, "float", "complex") for v in kinds)
    return _Read(tensor, dtype, all(v.rank == 0 for v in kinds), needs)


def _assigned_to(site: Site) -> str | None:
    """The local variable that is set to the number, if that is all the statement does."""
    small = site.statement
    if isinstance(small, cst.Assign) and small.value is site.node and len(small.targets) == 1:
        target = small.targets[0].target
        return target.value if isinstance(target, cst.Name) else ""
    return None


def _uses(site: Site, name: str) -> list[cst.BaseExpression]:
    """Where the variable is read; nothing if it is set anywhere else or leaves the function."""
    function = site.tree.around(site.node, cst.FunctionDef)
    if function is None or not name:
        return []
    found = [n for n in match.findall(function, match.Name(name)) if isinstance(n, cst.Name)]
    target = site.statement.targets[0].target if isinstance(site.statement, cst.Assign) else None
    uses: list[cst.BaseExpression] = []
    for node in found:
        parent = site.tree.parent(node)
        if node is target or (isinstance(parent, cst.Attribute) and parent.attr is node):
            continue
        if isinstance(parent, cst.Arg) and parent.keyword is node:
            continue
        if isinstance(parent, (cst.AssignTarget, cst.AugAssign, cst.Param, cst.NameItem, cst.NamedExpr)):
            return []
        if site.tree.around(node, cst.FunctionDef) is not function or site.tree.around(node, cst.Lambda):
            return []
        uses.append(node)
    return uses


def _consumer(site: Site, node: cst.BaseExpression, read: _Read) -> _Consumer | None:
    """How a tensor takes the number in; None if something else does."""
    exact = read.dtype in ("int", "float")
    while True:
        parent = site.tree.parent(node)
        if isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Minus):
            node = parent
            continue
        other = _other_operand(site.tree, parent, node)
        if other is None:
            return None
        value = site.value(other)
        if value is None:
            return None
        if _is_number(value) and isinstance(parent, cst.BinaryOperation):
            # Tensors are computed with in less precision than numbers of Python.
            exact, node = False, parent
            continue
        if not is_tensor(value):
            return None
        exact &= all(
            isinstance(v, Tensor) and v.dtype in ("float", "complex") and v.rank is not None and v.rank > 0
            for v in members(value)
        )
        return _Consumer(exact, not isinstance(parent, (cst.ComparisonTarget, cst.Comparison)))


def _other_operand(tree: Tree, parent: cst.CSTNode | None, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """What an operator puts together with ``node``."""
    if isinstance(parent, cst.BinaryOperation) and isinstance(parent.operator, _ARITHMETIC):
        return parent.right if parent.left is node else parent.left
    if isinstance(parent, cst.AugAssign) and parent.value is node:
        kinds = (cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign, cst.DivideAssign)
        return parent.target if isinstance(parent.operator, kinds) else None
    if isinstance(parent, cst.Comparison) and parent.left is node and len(parent.comparisons) == 1:
        return parent.comparisons[0].comparator if _compares(parent.comparisons[0]) else None
    if isinstance(parent, cst.ComparisonTarget) and _compares(parent):
        whole = tree.parent(parent)
        return whole.left if isinstance(whole, cst.Comparison) and len(whole.comparisons) == 1 else None
    return None


def _compares(target: cst.ComparisonTarget) -> bool:
    return not isinstance(target.operator, (cst.Is, cst.IsNot, cst.In, cst.NotIn))


def _is_number(value: Value) -> bool:
    return all(
        (isinstance(v, Scalar) and v.kind in ("int", "float", "number") and v.origin in ("python", "size"))
        or (isinstance(v, Const) and type(v.value) in (int, float))
        for v in members(value)
    )
