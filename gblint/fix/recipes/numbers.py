"""Numbers that are read out of a tensor only to go back into tensors: the tensor itself instead."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst
from libcst import matchers as match

from gblint.fix.context import FixContext, Import, Rewrite
from gblint.fix.cst_file import SyntaxTree
from gblint.fix.recipes._build import primary_text
from gblint.fix.recipes._values import is_number, is_tensor
from gblint.runtime.lazy_dataclasses import dataclass, field, replace
from gblint.values.base import Tensor, Value, members
from gblint.values.objects import BuiltinMethod, ExternalName

_TITLE = "compute with the tensor instead of its number"
_ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide)
# Functions of numbers that Dynamo traces for a tensor too, and those of ``math`` that torch has under the same name.
_NUMERIC = ("builtins.max", "builtins.min", "builtins.abs")
_OF_MATH = ("sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "tanh", "atan", "fabs", "erf")
_BOUNDED = ("clamp", "clamp_", "clip", "clip_")
# Arguments that may be tensors without dimensions, by position (a method's own tensor is 0) and by name.
_OPERAND = ("1", "other")
_TAKERS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("add", "add_", "sub", "sub_", "mul", "mul_", "div", "div_", "pow", "pow_"), _OPERAND),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge", "remainder", "fmod"), _OPERAND),
    **dict.fromkeys(("masked_fill", "masked_fill_"), ("2", "value")),
    "where": ("1", "2", "input", "other"),
    "lerp": ("2", "weight"),
    "fill_": ("1",),
    "linspace": ("0", "1", "start", "end"),
    "logspace": ("0", "1", "start", "end"),
}
_NOT_COMPILING = match.UnaryOperation(match.Not(), match.Call(match.Attribute(attr=match.Name("is_compiling"))))


def in_arithmetic(ctx: FixContext) -> Rewrite | None:
    """``x * y.item()`` as ``x * y.detach()``: also ``float(y)``, and a variable that is only used like that."""
    read = scalar_read(ctx, ctx.node)
    return None if read is None else tensor_instead(ctx, ctx.node, read)


def tensor_instead(
    ctx: FixContext,
    node: cst.BaseExpression,
    read: ScalarRead,
    text: str | None = None,
    imports: tuple[Import, ...] = (),
) -> Rewrite | None:
    """The tensor of ``read``, or what ``text`` computes of it, in the place of ``node``, the number."""
    computed = _computed(ctx, node)
    uses: list[cst.BaseExpression] = [node]
    exact, differentiable = True, False
    others: Mapping[cst.CSTNode, cst.CSTNode] = {}
    small = ctx.statement
    if isinstance(small, (cst.Assign, cst.AugAssign)) and small.value is computed.node:
        target = small.target if isinstance(small, cst.AugAssign) else small.targets[0].target
        if isinstance(small, cst.Assign) or is_number(ctx.value(target)):
            if not isinstance(target, cst.Name) or (isinstance(small, cst.Assign) and len(small.targets) != 1):
                return None
            exact, others = computed.exact and isinstance(small, cst.Assign), computed.replace
            uses = _uses(ctx, target.value)
    if not uses:
        return None
    for use in uses:
        found = consumer_of(ctx, use, read)
        if found is None:
            return None
        exact &= found.exact
        differentiable |= found.differentiable
        others = {**others, **found.replace}
    if text is None:
        text = primary_text(ctx.tree, read.tensor)
        if differentiable and read.may_need_grad:
            text += ".detach()"
        text += read.suffix
    new = cst.parse_expression(text)
    if isinstance(read.tensor, cst.Name) and text == read.tensor.value:
        new = read.tensor
    imports = ctx.module_reference("torch")[1] if others else imports
    return Rewrite(_TITLE, "safe" if exact and read.zero_dim else "unsafe", {**others, node: new}, imports)


@dataclass(frozen=True, slots=True)
class ScalarRead:
    """A tensor whose number is asked for; ``single`` if it surely has no dimensions; ``suffix`` makes it a double."""

    tensor: cst.BaseExpression
    dtype: str | None
    zero_dim: bool
    may_need_grad: bool
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class _Computed:
    """What is computed of a number with other numbers, and the functions that have to be others for a tensor."""

    node: cst.BaseExpression
    exact: bool = True
    replace: Mapping[cst.CSTNode, cst.CSTNode] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Consumer:
    """What takes a number in: whether a tensor gives the same, whether a gradient would go through, what changes."""

    exact: bool
    differentiable: bool
    replace: Mapping[cst.CSTNode, cst.CSTNode] = field(default_factory=dict)


def scalar_read(ctx: FixContext, node: cst.BaseExpression) -> ScalarRead | None:
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
    value = ctx.value(tensor)
    if value is None or not is_tensor(value):
        return None
    kinds = [v for v in members(value) if isinstance(v, Tensor)]
    dtypes = {v.dtype for v in kinds}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    if converted == "int" and dtype != "int":
        return None
    suffix = ".double()" if converted == "float" and dtype not in ("float", "int") else ""
    needs = any(v.requires_grad is not False and v.dtype in (None, "float", "complex") for v in kinds)
    return ScalarRead(tensor, dtype, all(v.rank == 0 for v in kinds), needs, suffix)


def _computed(ctx: FixContext, node: cst.BaseExpression) -> _Computed:
    """All that is computed of ``node`` with numbers alone."""
    exact = True
    functions: dict[cst.CSTNode, cst.CSTNode] = {}
    while True:
        parent = ctx.tree.parent(node)
        if isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Minus):
            node = parent
            continue
        if isinstance(parent, cst.BinaryOperation) and isinstance(parent.operator, _ARITHMETIC):
            other = parent.right if parent.left is node else parent.left
            if not _may_be_number(ctx.value(other)):
                break
            # Tensors are computed with in less precision than numbers of Python.
            exact, node = False, parent
            continue
        call = ctx.tree.parent(parent) if isinstance(parent, cst.Arg) else None
        if not isinstance(call, cst.Call) or any(arg.star or arg.keyword for arg in call.args):
            break
        function = ctx.value(call.func)
        name = function.name if isinstance(function, ExternalName) else ""
        others = [arg.value for arg in call.args if arg.value is not node]
        if name in _NUMERIC and len(call.args) <= 2 and all(is_number(ctx.value(other)) for other in others):
            exact, node = False, call
        elif name.partition(".")[2] in _OF_MATH and name.startswith("math.") and not others:
            torch, _ = ctx.module_reference("torch")
            functions[call.func] = cst.parse_expression(f"{torch}.{name.partition('.')[2].replace('fabs', 'abs')}")
            exact, node = False, call
        else:
            break
    return _Computed(node, exact, functions)


def _may_be_number(value: Value | None) -> bool:
    """Whether a value is a number of Python's, or one that becomes a tensor: what comes of it is either, too."""
    held = [] if value is None else list(members(value))
    return any(map(is_number, held)) and all(is_number(each) or is_tensor(each) for each in held)


def _uses(ctx: FixContext, name: str) -> list[cst.BaseExpression]:
    """Where the variable is read; nothing if it is set anywhere else or leaves the function."""
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    if function is None or not name:
        return []
    found = [n for n in match.findall(function, match.Name(name)) if isinstance(n, cst.Name)]
    uses: list[cst.BaseExpression] = []
    for node in found:
        parent = ctx.tree.parent(node)
        if isinstance(parent, cst.Attribute) and parent.attr is node:
            continue
        if isinstance(parent, cst.Arg) and parent.keyword is node:
            continue
        if _sets(ctx, node, parent):
            continue
        if isinstance(parent, (cst.AssignTarget, cst.AugAssign, cst.Param, cst.NameItem, cst.NamedExpr)):
            return []
        if ctx.tree.enclosing(node, cst.FunctionDef) is not function or ctx.tree.enclosing(node, cst.Lambda):
            return []
        uses.append(node)
    return uses


def _sets(ctx: FixContext, node: cst.Name, parent: cst.CSTNode | None) -> bool:
    """Whether ``node`` is set to the number, or the start or a step of the sum that it goes into."""
    if parent is ctx.statement and isinstance(parent, cst.AugAssign):
        return parent.target is node
    assign = None if parent is None else ctx.tree.parent(parent)
    if not isinstance(parent, cst.AssignTarget) or not isinstance(assign, cst.Assign) or len(assign.targets) != 1:
        return False
    if assign is ctx.statement:
        return True
    return isinstance(ctx.statement, cst.AugAssign) and is_number(ctx.value(assign.value))


def consumer_of(ctx: FixContext, node: cst.BaseExpression, read: ScalarRead) -> Consumer | None:
    """How a tensor takes the number in; None if something else does."""
    if _left_out(ctx, node):
        asked = cst.Call(cst.Attribute(node.deep_clone(), cst.Name("item")))
        return Consumer(exact=True, differentiable=False, replace={node: asked})
    computed = _computed(ctx, node)
    exact = read.dtype in ("int", "float") and computed.exact
    parent = ctx.tree.parent(computed.node)
    other = _other_operand(ctx.tree, parent, computed.node)
    if other is None:
        taken = _taken(ctx, computed.node, read)
        return None if taken is None else replace(taken, replace={**computed.replace, **taken.replace})
    value = ctx.value(other)
    if value is None or not is_tensor(value):
        return None
    exact &= all(
        isinstance(v, Tensor) and v.dtype in ("float", "complex") and v.rank is not None and v.rank > 0
        for v in members(value)
    )
    compares = isinstance(parent, (cst.ComparisonTarget, cst.Comparison))
    return Consumer(exact, not compares, computed.replace)


def _left_out(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Whether ``node`` is a variable under ``if not torch.compiler.is_compiling()``, where nothing is compiled."""
    guard = ctx.tree.enclosing(node, cst.If)
    while guard is not None and not (isinstance(node, cst.Name) and match.matches(guard.test, _NOT_COMPILING)):
        guard = ctx.tree.enclosing(guard, cst.If)
    return guard is not None and any(each is node for each in match.findall(guard.body, match.Name()))


def _taken(ctx: FixContext, node: cst.BaseExpression, read: ScalarRead) -> Consumer | None:
    """How a function of torch takes the number in as an argument that may be a tensor."""
    arg = ctx.tree.parent(node)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(arg, cst.Arg) or not isinstance(call, cst.Call) or arg.star:
        return None
    function, position = ctx.value(call.func), next(i for i, each in enumerate(call.args) if each is arg)
    if function is None:
        return None
    names = {
        f.name.rpartition(".")[2] if isinstance(f, (ExternalName, BuiltinMethod)) else "" for f in members(function)
    }
    methods = all(isinstance(f, BuiltinMethod) and isinstance(f.receiver, Tensor) for f in members(function))
    torches = all(isinstance(f, ExternalName) and f.name.startswith("torch.") for f in members(function))
    if len(names) != 1 or not (methods or torches):
        return None
    name, place = names.pop(), arg.keyword.value if arg.keyword else str(position + int(methods))
    if name in _BOUNDED:
        # With one bound a tensor, the other one has to be one as well.
        bounds = len(call.args) - (0 if methods else 1)
        return Consumer(False, True) if bounds == 1 else None
    if place in _TAKERS.get(name, ()) and len(call.args) <= 3 and "alpha" not in _keywords(call):
        return Consumer(False, True)
    if (
        name == "full"
        and place in ("1", "fill_value")
        and torches
        and ("dtype" in _keywords(call) or read.dtype == "float")
    ):
        return Consumer(False, True)
    return None


def _keywords(call: cst.Call) -> list[str]:
    return [arg.keyword.value for arg in call.args if arg.keyword]


def _other_operand(tree: SyntaxTree, parent: cst.CSTNode | None, node: cst.BaseExpression) -> cst.BaseExpression | None:
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
