"""Elements of tensors that are read as numbers, to index with, to loop over, or to make a tensor of again."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
from libcst import matchers as match

from gblint.diagnostics.fix import Applicability
from gblint.fix.context import FixContext, Rewrite, import_of
from gblint.fix.recipes._build import bind_arguments, called_name, primary_text
from gblint.fix.recipes._values import is_number, is_number_sequence, is_tensor, is_zero_dim
from gblint.fix.recipes.numbers import ScalarRead, consumer_of, scalar_read
from gblint.values.base import NONE, Const, Scalar, Tensor, Value, members
from gblint.values.containers import Seq
from gblint.values.objects import ExternalName


def picked(ctx: FixContext) -> Rewrite | None:
    """``x[i]`` and ``x[i.item()]`` for a tensor ``i`` without dimensions as ``x[i.reshape(1)][0]``."""
    read = scalar_read(ctx, ctx.node)
    around = ctx.tree.enclosing(ctx.node, cst.Subscript) if read else ctx.node
    if not isinstance(around, cst.Subscript) or not is_tensor(ctx.value(around.value)) or len(around.slice) != 1:
        return None
    only = around.slice[0].slice
    if not isinstance(only, cst.Index) or (read and only.value is not ctx.node) or not _is_read_only(ctx, around):
        return None
    index = read.tensor if read else only.value
    value = ctx.value(index)
    if value is None or not all(isinstance(v, Tensor) and v.dtype == "int" for v in members(value)):
        return None
    if not is_zero_dim(value) and read is None:
        return None
    new = cst.parse_expression(f"{primary_text(ctx.tree, around.value)}[{primary_text(ctx.tree, index)}.reshape(1)][0]")
    # The element is a copy now, no view: what writes into it in place no longer changes the tensor.
    return Rewrite("read the element by an index of one dimension", "unsafe", {around: new})


def _is_read_only(ctx: FixContext, node: cst.Subscript) -> bool:
    parent = ctx.tree.parent(node)
    return not isinstance(parent, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.Del))


def tensor_again(ctx: FixContext) -> Rewrite | None:
    """``torch.tensor(t.item())`` as ``t.detach().clone()``, and ``torch.tensor([a.item(), b.item()])`` as a stack."""
    call = _made(ctx)
    if call is None:
        return None
    first, *options = call.args
    if any(arg.keyword is None or arg.keyword.value not in ("dtype", "device") for arg in options):
        return None
    torch, imports = ctx.module_reference("torch")
    kept = [f"{arg.keyword.value}={ctx.code(arg.value)}" for arg in options if arg.keyword]
    listed = isinstance(first.value, (cst.List, cst.Tuple))
    elements = first.value.elements if isinstance(first.value, (cst.List, cst.Tuple)) else [cst.Element(first.value)]
    reads = [read for read in (scalar_read(ctx, element.value) for element in elements) if read is not None]
    if len(reads) < len(elements) or (listed and not all(read.zero_dim for read in reads)):
        return None
    if not any(text.startswith("dtype=") for text in kept) and any(read.dtype != "float" for read in reads):
        # A number is of the default type again, unlike the tensor that it comes from.
        wanted = {"int": "int64", "bool": "bool"}.get(reads[0].dtype or "")
        if wanted is None or any(read.dtype != reads[0].dtype for read in reads):
            return None
        kept.append(f"dtype={torch}.{wanted}")
    if listed:
        text = f"{torch}.stack([{', '.join(_detached(ctx, read) for read in reads)}])"
        text += f".to({', '.join(kept)})" if kept else ""
    else:
        text = _detached(ctx, reads[0]) + ("" if reads[0].zero_dim else ".reshape(())")
        text += f".to({', '.join([*kept, 'copy=True'])})" if kept else ".clone()"
    return Rewrite("take the tensor itself", "unsafe", {call: cst.parse_expression(text)}, imports)


def _made(ctx: FixContext) -> cst.Call | None:
    """The call of ``torch.tensor`` that the number goes into, alone or in a list."""
    inner: cst.CSTNode = ctx.node
    for outer in ctx.tree.ancestors(ctx.node):
        if isinstance(outer, cst.Call):
            function = ctx.value(outer.func)
            made = isinstance(function, ExternalName) and function.name == "torch.tensor"
            first = outer.args[0] if outer.args else None
            return outer if made and first is inner and not first.star and first.keyword is None else None
        if not isinstance(outer, (cst.Element, cst.List, cst.Tuple, cst.Arg)):
            return None
        inner = outer
    return None


def _detached(ctx: FixContext, read: ScalarRead) -> str:
    return primary_text(ctx.tree, read.tensor) + (".detach()" if read.may_need_grad else "")


def range_instead(ctx: FixContext) -> Rewrite | None:
    """``torch.arange(a, b).tolist()`` for integers of Python's as ``list(range(a, b))``."""
    made = match.extract(ctx.node, match.Call(match.Attribute(match.SaveMatchedNode(match.Call(), "made")), args=[]))
    call = made["made"] if made else None
    if not isinstance(call, cst.Call):
        return None
    function = ctx.value(call.func)
    if not isinstance(function, ExternalName) or function.name != "torch.arange" or not call.args:
        return None
    plain = [arg for arg in call.args if arg.keyword is None and not arg.star]
    if len(plain) > 3 or any(arg.keyword is None or arg.keyword.value != "device" for arg in call.args[len(plain) :]):
        return None
    for arg in plain:
        value = ctx.value(arg.value)
        if not is_number(value) or value is None:
            return None
        if not all((isinstance(v, Scalar) and v.kind == "int") or _is_int(v) for v in members(value)):
            return None
    new = cst.parse_expression(f"list(range({', '.join(ctx.code(arg.value) for arg in plain)}))")
    return Rewrite("make the list of a `range`", "safe", {ctx.node: new})


def _is_int(value: object) -> bool:
    return isinstance(value, Const) and type(value.value) is int


def place_among(ctx: FixContext) -> Rewrite | None:
    """``bisect.bisect(x.tolist(), v)`` by ``torch.searchsorted``, and of numbers of Python's as their count."""
    call = ctx.node
    module, _, name = (called_name(ctx) or "").rpartition(".")
    given = bind_arguments(call, ["a", "x"]) if isinstance(call, cst.Call) else None
    if module not in ("bisect", "_bisect") or not given or len(given) != 2 or not isinstance(call, cst.Call):
        return None
    if name not in ("bisect", "bisect_right", "bisect_left"):
        return None
    unused = import_of(ctx.tree.module, ctx.code(call.func).partition(".")[0])
    right = name != "bisect_left"
    listed = match.extract(
        given["a"],
        match.Call(match.Attribute(match.SaveMatchedNode(match.DoNotCare(), "of"), match.Name("tolist")), args=[]),
    )
    tensor, wanted = listed.get("of") if listed else None, ctx.value(given["x"])
    held = members(ctx.value(tensor) or NONE) if isinstance(tensor, cst.BaseExpression) else ()
    if isinstance(tensor, cst.BaseExpression) and any(is_tensor(v) for v in held):
        if not is_tensor(wanted) and not is_number(wanted):
            return None
        torch, imports = ctx.module_reference("torch")
        side = ", right=True" if right else ""
        text = f"{torch}.searchsorted({ctx.code(tensor)}, {ctx.code(given['x'])}{side}).item()"
        new = cst.parse_expression(text)
        return Rewrite("look for the place with `torch.searchsorted`", "unsafe", {call: new}, imports, unused)
    if (
        not is_number_sequence(ctx.value(given["a"]))
        or not is_number(wanted)
        or not isinstance(given["a"], (cst.Name, cst.List))
    ):
        return None
    if match.findall(given["x"], match.Call() | match.Name("each")):
        return None
    sign = "<=" if right else "<"
    text = f"sum(1 for each in {ctx.code(given['a'])} if each {sign} {primary_text(ctx.tree, given['x'])})"
    sure: Applicability = "safe" if _is_sorted(ctx.value(given["a"])) else "unsafe"
    return Rewrite("count those before it", sure, {call: cst.parse_expression(text)}, (), unused)


def _is_sorted(row: Value | None) -> bool:
    """Whether a row is known to be in order: of any other one bisection does not count those before."""
    items = row.items if isinstance(row, Seq) else None
    found = [item.value for item in items or () if isinstance(item, Const) and isinstance(item.value, (int, float))]
    return items is not None and len(found) == len(items) and found == sorted(found)


def unbound(ctx: FixContext) -> Rewrite | None:
    """``for v in t.tolist()`` as ``for v in t.unbind()``, where each ``v`` goes into tensors again."""
    loop, call = ctx.tree.parent(ctx.node), ctx.node
    if not isinstance(loop, (cst.For, cst.CompFor)) or loop.iter is not call or not isinstance(loop.target, cst.Name):
        return None
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute) or call.func.attr.value != "tolist":
        return None
    tensor = call.func.value
    value = ctx.value(tensor)
    if value is None or not all(isinstance(v, Tensor) and v.rank == 1 and not v.ndarray for v in members(value)):
        return None
    kinds = [v for v in members(value) if isinstance(v, Tensor)]
    dtypes = {v.dtype for v in kinds}
    needs = any(v.requires_grad is not False and v.dtype in (None, "float", "complex") for v in kinds)
    read = ScalarRead(tensor, dtypes.pop() if len(dtypes) == 1 else None, True, needs)
    uses = list(_uses(ctx, loop, loop.target.value))
    found = [consumer_of(ctx, use, read) for use in uses]
    if not uses or any(each is None for each in found):
        return None
    replace: dict[cst.CSTNode, cst.CSTNode] = {}
    for each in found:
        replace.update({} if each is None else each.replace)
    exact = all(each is not None and each.exact for each in found)
    text = f"{_detached(ctx, read)}.unbind()"
    imports = ctx.module_reference("torch")[1] if replace else ()
    replace[call] = cst.parse_expression(text)
    return Rewrite("loop over the elements as tensors", "safe" if exact else "unsafe", replace, imports)


def _uses(ctx: FixContext, loop: cst.For | cst.CompFor, name: str) -> Iterator[cst.Name]:
    """Where the variable of the loop is read; it is no use to anybody if it is read outside or set again."""
    function = ctx.tree.enclosing(loop, cst.FunctionDef)
    inside = loop.body if isinstance(loop, cst.For) else ctx.tree.parent(loop)
    if function is None or inside is None:
        return
    found = [n for n in match.findall(inside, match.Name(name)) if isinstance(n, cst.Name) and n is not loop.target]
    everywhere = len(match.findall(function, match.Name(name)))
    if (isinstance(loop, cst.For) and everywhere != len(found) + 1) or any(
        isinstance(ctx.tree.parent(n), cst.AssignTarget) for n in found
    ):
        return
    yield from found
