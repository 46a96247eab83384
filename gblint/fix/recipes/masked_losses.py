"""Variables that are masked before a loss: the masked-out elements are zero instead, and take no part in the mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Replacement, Rewrite
from gblint.fix.recipes._build import free_name, own_line, parse_statement
from gblint.fix.recipes._counting import counted_into_zeros
from gblint.fix.recipes._masked_flow import MaskedFlow, MaskedVariable, sole_parts
from gblint.fix.recipes._values import is_tensor, is_vector
from gblint.fix.recipes.masks import masked_read, selected_by_index
from gblint.values.base import NONE, Tensor, members

_OPEN, _CLOSE = cst.LeftParen(), cst.RightParen()


def mask_losses(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``a = a.masked_select(mask)`` before ``mse_loss(a, b)`` to ``torch.where(mask, a, 0).flatten()``.

    The loss is divided by the share of true values in the mask. Preconditions: each use of the variable is elementwise
    and keeps a zero, and ends in a sum, a mean, ``torch.bincount``, or such a loss of two variables with the same mask;
    the masking may be in one ``if``. Unsafe: the order of summation differs; and where an option decides whether the
    loss reduces at all, it has to do so whenever the mask is used.
    """
    return with_masked_assign(ctx, ctx.statement)


def with_masked_assign(ctx: FixContext, statement: cst.CSTNode) -> Rewrite | None:
    """Return the rewrite of ``mask_losses`` for a statement that masks a variable; None if it is not possible."""
    function = ctx.tree.enclosing(statement, cst.FunctionDef)
    block = None if function is None else _block_of(ctx, function, statement)
    if function is None or block is None:
        return None
    group = list(_group(ctx, function, block.body))
    flow = MaskedFlow(ctx, function, group)
    if not any(each.assign is statement for each in group) or not flow.is_closed():
        return None
    torch, imports = ctx.module_reference("torch")
    replace: dict[cst.CSTNode, Replacement] = {}
    flat = {each.mask for each in group if is_vector(ctx.value(selected_mask(ctx, each.assign)))}
    for each in group:
        text = f"{torch}.where({each.mask}, {ctx.code(each.tensor)}, 0)"
        vectors = is_vector(ctx.value(each.tensor)) and each.mask in flat
        replace[each.assign.value] = cst.parse_expression(text if vectors else f"{text}.flatten()")
    for call, mask in flow.counted.items():
        ones = f"{mask}.long()" if mask in flat else f"{mask}.flatten().long()"
        counted = counted_into_zeros(ctx, call, ones, f"{mask}.device")
        if counted is None or isinstance(ctx.tree.parent(block), cst.If):
            return None
        replace[call] = counted
    shares = {mask: free_name(ctx, statement, f"{mask}_share") for mask in flow.scaled.values()}
    for loss, mask in flow.scaled.items():
        new = cst.parse_expression(f"{ctx.code(loss)} / {shares[mask]}")
        replace[loss] = new if _may_divide(ctx, loss) else new.with_changes(lpar=[_OPEN], rpar=[_CLOSE])
    lines = _share_lines(ctx, group, flow, shares)
    if lines is None:
        return None
    branch = ctx.tree.parent(block)
    _insert(ctx, replace, group[0].top, [parse_statement(ctx.tree, line) for line in lines])
    if isinstance(branch, cst.If):
        _insert(ctx, replace, branch, [parse_statement(ctx.tree, f"{share} = 1\n") for share in shares.values()])
    title = "keep the shape, and count only the elements that the mask selects"
    if flow.scaled:
        title = "keep the shape, and divide the mean by the share of elements that the mask selects"
    elif not flow.counted:
        title = "keep the shape, with zeros where the mask is false"
    return Rewrite(title, "unsafe", replace, imports)


def _may_divide(ctx: FixContext, call: cst.BaseExpression) -> bool:
    """Return whether a division may follow ``call`` without parentheses around both."""
    parent = ctx.tree.parent(call)
    if isinstance(parent, cst.BinaryOperation):
        added = isinstance(parent.operator, (cst.Add, cst.Subtract))
        return added or (parent.left is call and isinstance(parent.operator, (cst.Multiply, cst.Divide)))
    return isinstance(parent, (cst.Assign, cst.AugAssign, cst.Return, cst.Arg))


def _insert(
    ctx: FixContext,
    replace: dict[cst.CSTNode, Replacement],
    before: cst.BaseStatement,
    lines: Sequence[cst.BaseStatement],
) -> None:
    """Put ``lines`` before a statement, in which nodes may be replaced as well; comments above it stay above all."""
    if not lines:
        return
    inner = {node: new for node, new in replace.items() if node is before or before in ctx.tree.ancestors(node)}
    for node in inner:
        del replace[node]
    changed = before.visit(_Swap(inner))
    assert isinstance(changed, cst.BaseStatement)
    leading = getattr(before, "leading_lines", ())
    replace[before] = cst.FlattenSentinel(
        [lines[0].with_changes(leading_lines=leading), *lines[1:], changed.with_changes(leading_lines=[])]
    )


class _Swap(cst.CSTTransformer):
    """Replaces nodes by others."""

    def __init__(self, nodes: dict[cst.CSTNode, Replacement]) -> None:
        super().__init__()
        self._nodes = nodes

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Replacement:  # type: ignore[override]
        """Return the replacement of the node."""
        return self._nodes.get(original_node) or super().on_leave(original_node, updated_node)


def _share_lines(
    ctx: FixContext, group: Sequence[MaskedVariable], flow: MaskedFlow, shares: dict[str, str]
) -> list[str] | None:
    """Return the statements that compute the shares; None if the dtype of the losses of a mask is not at hand."""
    lines = []
    for mask, share in shares.items():
        found = [each for each in group if each.mask == mask and each.name in flow.predictions[mask]]
        typed = [each for each in found if _dtypes(ctx, each.tensor) <= {"float", None}]
        tensor = next((each.tensor for each in typed if each.assign in sole_parts(each.top)), None)
        if not isinstance(tensor, cst.Name):
            return None
        lines.append(f"{share} = {mask}.mean(dtype={tensor.value}.dtype)\n")
    return lines


def _block_of(ctx: FixContext, function: cst.FunctionDef, statement: cst.CSTNode) -> cst.IndentedBlock | None:
    """Return the block that the masking is about: the body of the function, or of one ``if`` in it.

    An ``if x is not None`` in it does not count.
    """
    node = statement
    for outer in ctx.tree.ancestors(statement):
        if outer is function.body:
            return outer if isinstance(outer, cst.IndentedBlock) else None
        if isinstance(outer, cst.If) and not _asks_for_none(outer):
            inside = outer.body is node and ctx.tree.parent(outer) is function.body
            return node if inside and isinstance(node, cst.IndentedBlock) else None
        if not isinstance(outer, (cst.If, cst.IndentedBlock, cst.SimpleStatementLine)):
            return None
        node = outer
    return None


def _asks_for_none(branch: cst.If) -> bool:
    """Return whether a branch is ``if x is not None`` without ``else``."""
    return branch.orelse is None and match.matches(
        branch.test, match.Comparison(match.Name(), [match.ComparisonTarget(match.IsNot(), match.Name("None"))])
    )


def _group(ctx: FixContext, function: cst.FunctionDef, lines: Sequence[cst.CSTNode]) -> Iterator[MaskedVariable]:
    """Yield the variables that a block masks."""
    for line in lines:
        inner = [line]
        while isinstance(inner[0], cst.If) and _asks_for_none(inner[0]):
            inner = list(inner[0].body.body)
        for each in inner:
            small = own_line(ctx, each) if isinstance(each, cst.SimpleStatementLine) else None
            assign = small.body[0] if small is not None else None
            pair = _masked_pair(ctx, assign) if isinstance(assign, cst.Assign) else None
            if isinstance(assign, cst.Assign) and pair is not None and isinstance(line, cst.BaseStatement):
                target = cst.ensure_type(assign.targets[0].target, cst.Name)
                yield MaskedVariable(target.value, assign, pair[0], pair[1], line)


def _masked_pair(ctx: FixContext, assign: cst.Assign) -> tuple[cst.BaseExpression, str] | None:
    """Return the tensor and the mask of ``a = x.masked_select(mask)``, with a mask that is a variable."""
    if len(assign.targets) != 1 or not isinstance(assign.targets[0].target, cst.Name):
        return None
    pair = selected_by_index(ctx, assign.value)
    if pair is None or not isinstance(pair[1], cst.Name) or not all(_is_tensor_or_none(ctx, each) for each in pair):
        return None
    # ``masked_select`` takes masks of truth values only, and broadcasts them as ``torch.where`` does.
    if not isinstance(assign.value, cst.Call) and masked_read(ctx, assign.value) is None:
        return None
    return None if _dtypes(ctx, pair[0]) & {"bool", "complex"} else (pair[0], pair[1].value)


def selected_mask(ctx: FixContext, assign: cst.Assign) -> cst.BaseExpression:
    """Return the mask of an assignment of what a mask selects."""
    pair = selected_by_index(ctx, assign.value)
    assert pair is not None
    return pair[1]


def _is_tensor_or_none(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` is a tensor, or None where the code fails anyway."""
    found = [each for each in members(ctx.value(node) or NONE) if each != NONE]
    return bool(found) and all(map(is_tensor, found))


def _dtypes(ctx: FixContext, node: cst.BaseExpression) -> set[str | None]:
    return {v.dtype for v in members(ctx.value(node) or NONE) if isinstance(v, Tensor)}
