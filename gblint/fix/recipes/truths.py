"""``any`` and ``all`` over tensors with one truth value: one tensor of them all."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from gblint.diagnostics.fix import Applicability
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import bind_arguments, called_name
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import is_zero_dim
from gblint.values.base import NONE, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import METHODLESS, Class, Instance

_WITHOUT_TRUTH = METHODLESS | {"torch.nn.Module"}


def assert_condition(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``assert items`` to ``assert len(items) > 0``, and ``assert thing`` to ``assert thing is not None``.

    Preconditions: the value is a list, tuple, set or dict, or an object without ``__bool__`` and ``__len__``; it may
    also be None. Unsafe where analysed code does not make the value: a caller may pass something else.
    """
    node = ctx.node
    if not isinstance(node, cst.BaseExpression) or not isinstance(ctx.statement, cst.Assert):
        return None
    found = members(ctx.value(node) or NONE)
    things = [each for each in found if each != NONE]
    if things and all(isinstance(each, (Seq, Mapping)) for each in things):
        if not isinstance(node, (cst.Name, cst.Attribute, cst.Call, cst.List, cst.Tuple, cst.Dict, cst.Subscript)):
            return None
        text = f"len({ctx.code(node)}) > 0"
        if len(things) < len(found):
            if not isinstance(node, cst.Name):
                return None
            text = f"{node.value} is not None and {text}"
        return _condition("test the length", node, text, "safe" if all(map(_is_known, found)) else "unsafe")
    if things and all(_is_always_true(each) for each in things) and isinstance(node, (cst.Name, cst.Attribute)):
        return _condition("test for None", node, f"{ctx.code(node)} is not None", "unsafe")
    return None


def _condition(title: str, node: cst.BaseExpression, text: str, applicability: Applicability) -> Rewrite:
    return Rewrite(title, applicability, {node: cst.parse_expression(text)})


def _is_known(value: Value) -> bool:
    """Return whether a value is a container with known items, rather than a guess from an annotation."""
    return value.items is not None if isinstance(value, Seq) else isinstance(value, Mapping) and value.rest is None


def _is_always_true(value: Value) -> bool:
    cls = value.cls if isinstance(value, Instance) else None
    if not isinstance(cls, Class) or not cls.complete or not _WITHOUT_TRUTH.issuperset(cls.externals):
        return False
    return not any(name in base.attrs for base in cls.mro for name in ("__bool__", "__len__"))


def stack_conditions(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``any(t.isnan().any() for t in ts)`` to ``torch.stack([t.isnan().any() for t in ts]).any()``.

    Preconditions: each item is a tensor without dimensions, computed without effect; there is at least one; and the
    result is only tested. Unsafe: items after the first that decides are computed as well, and the tensors need to be
    on one device.
    """
    call, name = ctx.node, called_name(ctx)
    arguments = bind_arguments(call, ["iterable"]) if isinstance(call, cst.Call) else None
    items = arguments.get("iterable") if arguments else None
    if name not in ("builtins.any", "builtins.all") or items is None or not _is_tested(ctx, call):
        return None
    listed = _listed_text(ctx, items)
    if listed is None:
        return None
    torch, imports = ctx.module_reference("torch")
    new = cst.parse_expression(f"{torch}.stack({listed}).{name.rpartition('.')[2]}()")
    return Rewrite("reduce the conditions as one tensor, with `torch.stack`", "unsafe", {call: new}, imports)


def _is_tested(ctx: FixContext, node: cst.CSTNode) -> bool:
    """Return whether only the truth of an expression is read."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, (cst.If, cst.IfExp, cst.While, cst.Assert)):
        return parent.test is node
    if isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not):
        return _is_tested(ctx, parent)
    return isinstance(parent, cst.BooleanOperation) and _is_tested(ctx, parent)


def _listed_text(ctx: FixContext, items: cst.BaseExpression) -> str | None:
    """Return the text of a list of the items; None if one of them is not a truth value, or if there may be none."""
    if isinstance(items, (cst.List, cst.Tuple)):
        found: Sequence[cst.BaseElement] = items.elements
        plain = all(isinstance(each, cst.Element) and _is_truth(ctx, each.value) for each in found)
        return f"[{', '.join(ctx.code(each) for each in found)}]" if plain and found else None
    if not isinstance(items, (cst.GeneratorExp, cst.ListComp)):
        return None
    loop = items.for_in
    if loop.ifs or loop.inner_for_in or loop.asynchronous or not _is_truth(ctx, items.elt):
        return None
    if not (_has_elements(loop.iter) or _has_items(ctx.value(loop.iter))) or not is_pure(ctx, loop.iter):
        return None
    return f"[{ctx.code(items.elt)} {ctx.code(loop).strip()}]"


def _is_truth(ctx: FixContext, node: cst.BaseExpression) -> bool:
    return is_zero_dim(ctx.value(node)) and is_pure(ctx, node)


def _has_elements(node: cst.BaseExpression) -> bool:
    """Return whether ``node`` is a list or tuple of at least one item."""
    return isinstance(node, (cst.List, cst.Tuple)) and any(isinstance(each, cst.Element) for each in node.elements)


def _has_items(value: Value | None) -> bool:
    """Return whether a value is a list or tuple that is known not to be empty."""
    return all(isinstance(each, Seq) and (each.items or each.count or each.first) for each in members(value or NONE))
