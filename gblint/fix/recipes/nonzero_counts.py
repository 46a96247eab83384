"""Indices and values that are searched for only to count them or to write through them."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import primary_text
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import is_bool_tensor, is_number, is_tensor, is_vector
from gblint.fix.recipes.numbers import ScalarRead, tensor_instead
from gblint.values.objects import ExternalName


def use_count_nonzero(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``len(x.nonzero())`` to ``torch.count_nonzero(x)``.

    Precondition: the number is used in tensor arithmetic only; see ``numbers.tensor_instead_of_number``.
    """
    tensor, length = _searched(ctx), _length(ctx)
    if tensor is None or length is None:
        return None
    torch, imports = ctx.module_reference("torch")
    return tensor_instead(
        ctx, length, ScalarRead(tensor, "int", True, False), f"{torch}.count_nonzero({ctx.code(tensor)})", imports
    )


def count_unique_values(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``len(x.unique())`` to the number of changes in the sorted values, plus one.

    Precondition: the number is used in tensor arithmetic only; see ``numbers.tensor_instead_of_number``.
    """
    call, length = ctx.node, _length(ctx)
    if not isinstance(call, cst.Call) or length is None:
        return None
    function = ctx.value(call.func)
    if isinstance(function, ExternalName) and function.name in ("torch.unique", "torch.functional.unique"):
        tensor = call.args[0].value if len(call.args) == 1 else None
    else:
        matched = match.matches(call, match.Call(match.Attribute(attr=match.Name("unique")), args=[]))
        tensor = cst.ensure_type(call.func, cst.Attribute).value if matched else None
    if tensor is None or not is_tensor(ctx.value(tensor)):
        return None
    text = f"(({primary_text(ctx.tree, tensor)}.flatten().sort().values.diff() != 0).sum() + 1)"
    return tensor_instead(ctx, length, ScalarRead(tensor, "int", True, False), text, ())


def write_through_mask(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``x[torch.where(mask)] = 0`` to ``x[mask] = 0``; also for ``nonzero(as_tuple=True)`` and a variable.

    Preconditions: the mask is a pure boolean tensor, and the indices are only used to write numbers. Unsafe: a mask
    that is larger than the tensor is refused, and ``torch.where`` gives an index too many for a tensor without
    dimensions.
    """
    mask = _searched(ctx)
    if mask is None or not is_bool_tensor(ctx.value(mask)) or not is_pure(ctx, mask):
        return None
    call = ctx.node
    assert isinstance(call, cst.Call)
    if not _is_tuple(ctx, call):
        return None
    small = ctx.statement
    uses: list[cst.CSTNode] = [call]
    if isinstance(small, cst.Assign) and small.value is call:
        function = ctx.tree.enclosing(call, cst.FunctionDef)
        target = small.targets[0].target
        if function is None or len(small.targets) != 1 or not isinstance(target, cst.Name):
            return None
        uses = [n for n in match.findall(function, match.Name(target.value)) if n is not target]
    if not uses or not all(_is_written(ctx, use) for use in uses):
        return None
    return Rewrite("use the mask itself as the index", "unsafe", {call: mask})


def _is_written(ctx: FixContext, use: cst.CSTNode) -> bool:
    """Return whether ``use`` is the only index of an assignment of a number."""
    index = ctx.tree.parent(use)
    element = None if index is None else ctx.tree.parent(index)
    subscript = None if element is None else ctx.tree.parent(element)
    if not isinstance(index, cst.Index) or not isinstance(subscript, cst.Subscript) or len(subscript.slice) != 1:
        return False
    target = ctx.tree.parent(subscript)
    assign = None if target is None else ctx.tree.parent(target)
    if not isinstance(target, cst.AssignTarget) or not isinstance(assign, cst.Assign) or len(assign.targets) != 1:
        return False
    return is_tensor(ctx.value(subscript.value)) and is_number(ctx.value(assign.value))


def _searched(ctx: FixContext) -> cst.BaseExpression | None:
    """Return the tensor of ``x.nonzero()``, ``torch.nonzero(x)`` or ``torch.where(x)``."""
    call = ctx.node
    if not isinstance(call, cst.Call):
        return None
    plain = [arg for arg in call.args if arg.keyword is None and not arg.star]
    if any(arg.keyword is None or arg.keyword.value != "as_tuple" for arg in call.args if arg not in plain):
        return None
    function = ctx.value(call.func)
    if isinstance(function, ExternalName):
        known = function.name in ("torch.nonzero", "torch.where", "torch.argwhere")
        tensor = plain[0].value if known and len(plain) == 1 else None
    else:
        method = isinstance(call.func, cst.Attribute) and call.func.attr.value in ("nonzero", "argwhere")
        tensor = call.func.value if method and isinstance(call.func, cst.Attribute) and not plain else None
    return tensor if tensor is not None and is_tensor(ctx.value(tensor)) else None


def _is_tuple(ctx: FixContext, call: cst.Call) -> bool:
    function = ctx.value(call.func)
    if isinstance(function, ExternalName) and function.name == "torch.where":
        return True
    return any(arg.keyword and arg.keyword.value == "as_tuple" and ctx.code(arg.value) == "True" for arg in call.args)


def _length(ctx: FixContext) -> cst.BaseExpression | None:
    """Return the expression that reads the number of hits, such as ``len(c)``, ``c.shape[0]`` or ``c.numel()``."""
    node = ctx.node
    parent = ctx.tree.parent(node)
    if isinstance(node, cst.Call) and _is_tuple(ctx, node):
        # There are as many indices along the first dimension as hits.
        if (
            not isinstance(parent, cst.Subscript)
            or parent.value is not node
            or ctx.code(parent)[len(ctx.code(node)) :] != "[0]"
        ):
            return None
        node, parent = parent, ctx.tree.parent(parent)
    if isinstance(parent, cst.Arg):
        call = ctx.tree.parent(parent)
        function = ctx.value(call.func) if isinstance(call, cst.Call) else None
        is_len = isinstance(function, ExternalName) and function.name == "builtins.len"
        return call if isinstance(call, cst.Call) and is_len else None
    if not isinstance(parent, cst.Attribute):
        return None
    outer = ctx.tree.parent(parent)
    tail = ctx.code(outer)[len(ctx.code(node)) :] if isinstance(outer, (cst.Call, cst.Subscript)) else ""
    lists = (".size(0)", ".shape[0]", "[0].numel()")
    vector = isinstance(node, cst.Subscript) or is_vector(ctx.value(node))
    if not isinstance(outer, (cst.Call, cst.Subscript)):
        return None
    return outer if tail in lists or (tail == ".numel()" and vector) else None
