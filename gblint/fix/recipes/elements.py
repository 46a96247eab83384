"""Tensor elements that are read as numbers to index with, to loop over, or to make a tensor again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from gblint.diagnostics.fix import Applicability
from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.imports import import_of
from gblint.fix.recipes._build import bind_arguments, called_name, primary_text
from gblint.fix.recipes._in_place import is_changed_through, is_written
from gblint.fix.recipes._values import is_int, is_number, is_number_sequence, is_tensor, is_zero_dim
from gblint.fix.recipes.numbers import ScalarRead, consumer_of, scalar_read
from gblint.values.base import NONE, Const, Scalar, Tensor, Value, members
from gblint.values.containers import Seq
from gblint.values.objects import ExternalName


def index_with_tensor(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``x[i]`` and ``x[i.item()]`` for a tensor ``i`` without dimensions to ``x[i.reshape(1)][0]``.

    Preconditions: ``i`` is an integer tensor, and the function does not change the element in place. Unsafe: the
    element is a copy and no longer a view.
    """
    read = scalar_read(ctx, ctx.node)
    subscript = ctx.tree.enclosing(ctx.node, cst.Subscript) if read else ctx.node
    if (
        not isinstance(subscript, cst.Subscript)
        or not is_tensor(ctx.value(subscript.value))
        or len(subscript.slice) != 1
    ):
        return None
    only = subscript.slice[0].slice
    if not isinstance(only, cst.Index) or (read and only.value is not ctx.node) or not _is_read_only(ctx, subscript):
        return None
    index = read.tensor if read else only.value
    value = ctx.value(index)
    if value is None or not all(isinstance(v, Tensor) and v.dtype == "int" for v in members(value)):
        return None
    if (not is_zero_dim(value) and read is None) or is_changed_through(ctx, subscript):
        return None
    new = cst.parse_expression(
        f"{primary_text(ctx.tree, subscript.value)}[{primary_text(ctx.tree, index)}.reshape(1)][0]"
    )
    # The element is a copy and no view: a write in place no longer changes the tensor.
    return Rewrite("read the element with one flat index", "unsafe", {subscript: new})


def _is_read_only(ctx: FixContext, node: cst.Subscript) -> bool:
    parent = ctx.tree.parent(node)
    return not isinstance(parent, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.Del))


def keep_tensor(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``torch.tensor(t.item())`` to ``t.detach().clone()``, and for a list of such numbers to a stack.

    Preconditions: every element is read from a tensor, and the dtype of the result is known. Unsafe: the device may
    differ.
    """
    call = _tensor_call(ctx)
    if call is None:
        return None
    first, *options = call.args
    if any(arg.keyword is None or arg.keyword.value not in ("dtype", "device") for arg in options):
        return None
    torch, imports = ctx.module_reference("torch")
    options_text = [f"{arg.keyword.value}={ctx.code(arg.value)}" for arg in options if arg.keyword]
    listed = isinstance(first.value, (cst.List, cst.Tuple))
    elements = first.value.elements if isinstance(first.value, (cst.List, cst.Tuple)) else [cst.Element(first.value)]
    reads = [read for read in (scalar_read(ctx, element.value) for element in elements) if read is not None]
    if len(reads) < len(elements) or (listed and not all(read.zero_dim for read in reads)):
        return None
    if not any(text.startswith("dtype=") for text in options_text) and any(read.dtype != "float" for read in reads):
        # ``torch.tensor`` of a number has the default dtype, unlike the tensor of the number.
        wanted = {"int": "int64", "bool": "bool"}.get(reads[0].dtype or "")
        if wanted is None or any(read.dtype != reads[0].dtype for read in reads):
            return None
        options_text.append(f"dtype={torch}.{wanted}")
    if listed:
        text = f"{torch}.stack([{', '.join(_detached(ctx, read) for read in reads)}])"
        text += f".to({', '.join(options_text)})" if options_text else ""
    else:
        text = _detached(ctx, reads[0]) + ("" if reads[0].zero_dim else ".reshape(())")
        text += f".to({', '.join([*options_text, 'copy=True'])})" if options_text else ".clone()"
    return Rewrite("use the tensor itself", "unsafe", {call: cst.parse_expression(text)}, imports)


def _tensor_call(ctx: FixContext) -> cst.Call | None:
    """Return the call of ``torch.tensor`` that takes the number, alone or in a list."""
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


def use_range(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``torch.arange(a, b).tolist()`` for Python integers to ``list(range(a, b))``.

    Safe from 0 to a size, and for known numbers that are in order, without a device. Else unsafe:
    ``torch.arange(3, 1)`` raises, as an unknown device does, and ``range(3, 1)`` is empty.
    """
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
    bounds = [ctx.value(arg.value) for arg in plain]
    if not all(map(is_int, bounds)):
        return None
    new = cst.parse_expression(f"list(range({', '.join(ctx.code(arg.value) for arg in plain)}))")
    sized = len(plain) == 1 and _is_read_size(ctx, plain[0].value)
    exact = len(plain) == len(call.args) and (sized or _are_in_order(bounds))
    return Rewrite("use `list(range(...))`", "safe" if exact else "unsafe", {ctx.node: new})


def _is_read_size(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` reads a size, so that it is not negative, and does not compute with it."""
    value = ctx.value(node)
    if not isinstance(node, (cst.Call, cst.Subscript)) or value is None:
        return False
    return all(isinstance(v, Scalar) and v.origin == "size" for v in members(value)) and (
        isinstance(node, cst.Subscript) or match.matches(node.func, match.Name("len") | match.Attribute())
    )


def _are_in_order(bounds: Sequence[Value | None]) -> bool:
    """Return whether torch takes the bounds and the step of a range for certain."""
    known = [each.value for each in bounds if isinstance(each, Const) and isinstance(each.value, int)]
    if len(known) < len(bounds):
        return False
    start, end, step = (0, *known, 1) if len(known) == 1 else (*known, 1)[:3]
    return step != 0 and (end - start) * step >= 0


def use_searchsorted(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``bisect.bisect(x.tolist(), v)`` to ``torch.searchsorted``, and for Python numbers to a count.

    Preconditions: without bounds or a key. Safe for an integer and a list that is known to be sorted: for any other
    one, and for NaN, bisection does not count the smaller elements. Unsafe else.
    """
    call = ctx.node
    module, _, name = (called_name(ctx) or "").rpartition(".")
    arguments = bind_arguments(call, ["a", "x"]) if isinstance(call, cst.Call) else None
    if module not in ("bisect", "_bisect") or not arguments or len(arguments) != 2 or not isinstance(call, cst.Call):
        return None
    if name not in ("bisect", "bisect_right", "bisect_left"):
        return None
    unused = import_of(ctx.tree.module, ctx.code(call.func).partition(".")[0])
    right = name != "bisect_left"
    listed = match.extract(
        arguments["a"],
        match.Call(match.Attribute(match.SaveMatchedNode(match.DoNotCare(), "of"), match.Name("tolist")), args=[]),
    )
    tensor, wanted = listed.get("of") if listed else None, ctx.value(arguments["x"])
    alternatives = members(ctx.value(tensor) or NONE) if isinstance(tensor, cst.BaseExpression) else ()
    if isinstance(tensor, cst.BaseExpression) and any(is_tensor(v) for v in alternatives):
        if not is_tensor(wanted) and not is_number(wanted):
            return None
        torch, imports = ctx.module_reference("torch")
        side = ", right=True" if right else ""
        text = f"{torch}.searchsorted({ctx.code(tensor)}, {ctx.code(arguments['x'])}{side}).item()"
        new = cst.parse_expression(text)
        return Rewrite("use `torch.searchsorted`", "unsafe", {call: new}, imports, unused)
    if (
        not is_number_sequence(ctx.value(arguments["a"]))
        or not is_number(wanted)
        or not isinstance(arguments["a"], (cst.Name, cst.List))
    ):
        return None
    if match.findall(arguments["x"], match.Call() | match.Name("each")):
        return None
    sign = "<=" if right else "<"
    text = f"sum(1 for each in {ctx.code(arguments['a'])} if each {sign} {primary_text(ctx.tree, arguments['x'])})"
    applicability: Applicability = "safe" if _is_sorted(ctx.value(arguments["a"])) and is_int(wanted) else "unsafe"
    return Rewrite("count the elements before the value", applicability, {call: cst.parse_expression(text)}, (), unused)


def _is_sorted(row: Value | None) -> bool:
    """Return whether a list is known to be sorted."""
    items = row.items if isinstance(row, Seq) else None
    found = [item.value for item in items or () if isinstance(item, Const) and isinstance(item.value, (int, float))]
    known = items is not None and len(found) == len(items) and not any(each != each for each in found)
    return known and found == sorted(found)


def iterate_with_unbind(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``for v in t.tolist()`` to ``for v in t.unbind()`` if each use of ``v`` is in tensor arithmetic.

    Precondition: ``t`` has one dimension. Safe if every result has the same dtype and precision, else unsafe.
    """
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
    root = tensor
    while isinstance(root, (cst.Attribute, cst.Subscript)):
        root = root.value
    changes = isinstance(root, cst.Name) and is_written(ctx, root.value)
    text = f"{_detached(ctx, read)}{'.clone()' if changes else ''}.unbind()"
    imports = ctx.module_reference("torch")[1] if replace else ()
    replace[call] = cst.parse_expression(text)
    return Rewrite("loop over the elements as tensors", "safe" if exact else "unsafe", replace, imports)


def _uses(ctx: FixContext, loop: cst.For | cst.CompFor, name: str) -> Iterator[cst.Name]:
    """Yield the reads of the loop variable; none if it is read outside of the loop or assigned again."""
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
