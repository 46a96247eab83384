"""Numbers that are read from a tensor only for tensor arithmetic: the tensor itself is used instead."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.cst_file import SyntaxTree
from gblint.fix.imports import Import
from gblint.fix.recipes._build import primary_text
from gblint.fix.recipes._in_place import is_any_written, is_written
from gblint.fix.recipes._purity import is_fresh_tensor
from gblint.fix.recipes._values import is_number, is_tensor, may_require_gradient
from gblint.runtime.lazy_dataclasses import dataclass, field, replace
from gblint.values.base import Tensor, Value, members
from gblint.values.objects import BuiltinMethod, ExternalName

_TITLE = "use the tensor instead of the number"
_ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide)
# Functions of numbers that Dynamo traces for a tensor too, and functions of ``math`` that torch has as well.
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
# Functions that see the class of each variable.
_READS_VARIABLES = match.Call(match.OneOf(*map(match.Name, ("locals", "vars", "eval", "exec"))))
_NOT_COMPILING = match.UnaryOperation(match.Not(), match.Call(match.Attribute(attr=match.Name("is_compiling"))))


def tensor_instead_of_number(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``x * y.item()`` to ``x * y.detach()``, also for ``float(y)`` and for a variable that holds the number.

    Preconditions: every use of the number is an operand or argument for which torch takes a tensor. Safe if ``y`` has
    no dimensions and every result has the same dtype and precision, else unsafe: tensor arithmetic is done in lower
    precision than Python's.
    """
    read = scalar_read(ctx, ctx.node)
    return None if read is None else tensor_instead(ctx, ctx.node, read)


def tensor_instead(
    ctx: FixContext,
    node: cst.BaseExpression,
    read: ScalarRead,
    text: str | None = None,
    imports: tuple[Import, ...] = (),
) -> Rewrite | None:
    """Replace the number ``node`` by the tensor of ``read``, or by ``text`` computed from it.

    Returns None if a use of the number needs a Python number.
    """
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
        text += read.suffix or (".clone()" if _may_change(ctx, read.tensor, node in uses) else "")
    new = cst.parse_expression(text)
    if isinstance(read.tensor, cst.Name) and text == read.tensor.value:
        new = read.tensor
    imports = ctx.module_reference("torch")[1] if others else imports
    return Rewrite(_TITLE, "safe" if exact and read.zero_dim else "unsafe", {**others, node: new}, imports)


def _may_change(ctx: FixContext, tensor: cst.BaseExpression, at_once: bool) -> bool:
    """Return whether the tensor of a number may change before the number is used.

    The function changes in place its variable, or any tensor if it is a view or belongs to an object.
    """
    if is_fresh_tensor(ctx, tensor, frozenset()):
        return False
    root = tensor
    while isinstance(root, (cst.Attribute, cst.Subscript, cst.Call)):
        root = root.func if isinstance(root, cst.Call) else root.value
    if isinstance(root, cst.Name) and is_written(ctx, root.value):
        return True
    return not at_once and is_any_written(ctx, ctx.tree.bounds(ctx.node)[0])


@dataclass(frozen=True, slots=True)
class ScalarRead:
    """A tensor whose number is read.

    ``zero_dim``: it certainly has no dimensions. ``suffix`` converts it to double precision where ``float`` did.
    """

    tensor: cst.BaseExpression
    dtype: str | None
    zero_dim: bool
    may_need_grad: bool
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class _Computed:
    """The arithmetic with numbers around a number, and the functions to replace in it for a tensor."""

    node: cst.BaseExpression
    exact: bool = True
    replace: Mapping[cst.CSTNode, cst.CSTNode] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Consumer:
    """The use of a number.

    ``exact``: a tensor gives the same result. ``differentiable``: a gradient would flow into the tensor. ``replace``:
    nodes to replace for a tensor.
    """

    exact: bool
    differentiable: bool
    replace: Mapping[cst.CSTNode, cst.CSTNode] = field(default_factory=dict)


def scalar_read(ctx: FixContext, node: cst.BaseExpression) -> ScalarRead | None:
    """Return the tensor of ``t.item()`` or ``float(t)``, None for other expressions."""
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
    return ScalarRead(tensor, dtype, all(v.rank == 0 for v in kinds), may_require_gradient(value), suffix)


def _computed(ctx: FixContext, node: cst.BaseExpression) -> _Computed:
    """Return the largest expression around ``node`` that computes with numbers only."""
    exact = True
    functions: dict[cst.CSTNode, cst.CSTNode] = {}
    while True:
        parent = ctx.tree.parent(node)
        if isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Minus):
            node = parent
            continue
        if isinstance(parent, cst.BinaryOperation) and isinstance(parent.operator, _ARITHMETIC):
            other = parent.right if parent.left is node else parent.left
            if not _may_be_scalar(ctx.value(other)):
                break
            # Tensor arithmetic has lower precision than Python's.
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


def _may_be_scalar(value: Value | None) -> bool:
    """Return whether a value is a Python number or a tensor, one of its alternatives being a number."""
    alternatives = [] if value is None else list(members(value))
    return any(map(is_number, alternatives)) and all(is_number(each) or is_tensor(each) for each in alternatives)


def _uses(ctx: FixContext, name: str) -> list[cst.BaseExpression]:
    """Return the reads of the variable; none if it is assigned elsewhere or escapes from the function."""
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    if function is None or not name or match.findall(function, _READS_VARIABLES):
        return []
    found = [n for n in match.findall(function, match.Name(name)) if isinstance(n, cst.Name)]
    uses: list[cst.BaseExpression] = []
    for node in found:
        parent = ctx.tree.parent(node)
        if isinstance(parent, cst.Attribute) and parent.attr is node:
            continue
        if isinstance(parent, cst.Arg) and parent.keyword is node:
            continue
        if _is_assigned_number(ctx, node, parent):
            continue
        if isinstance(parent, (cst.AssignTarget, cst.AugAssign, cst.Param, cst.NameItem, cst.NamedExpr)):
            return []
        if ctx.tree.enclosing(node, cst.FunctionDef) is not function or ctx.tree.enclosing(node, cst.Lambda):
            return []
        uses.append(node)
    return uses


def _is_assigned_number(ctx: FixContext, node: cst.Name, parent: cst.CSTNode | None) -> bool:
    """Return whether ``node`` is assigned the number, or the start or a step of the sum that it goes into."""
    if parent is ctx.statement and isinstance(parent, cst.AugAssign):
        return parent.target is node
    assign = None if parent is None else ctx.tree.parent(parent)
    if not isinstance(parent, cst.AssignTarget) or not isinstance(assign, cst.Assign) or len(assign.targets) != 1:
        return False
    if assign is ctx.statement:
        return True
    return isinstance(ctx.statement, cst.AugAssign) and is_number(ctx.value(assign.value))


def consumer_of(ctx: FixContext, node: cst.BaseExpression, read: ScalarRead) -> Consumer | None:
    """Return how tensor code uses the number ``node``; None if anything else uses it."""
    if _is_eager_only(ctx, node):
        item_call = cst.Call(cst.Attribute(node.deep_clone(), cst.Name("item")))
        return Consumer(exact=True, differentiable=False, replace={node: item_call})
    computed = _computed(ctx, node)
    exact = read.dtype in ("int", "float") and computed.exact
    parent = ctx.tree.parent(computed.node)
    other = _other_operand(ctx.tree, parent, computed.node)
    if other is None:
        consumer = _argument_consumer(ctx, computed.node, read)
        return None if consumer is None else replace(consumer, replace={**computed.replace, **consumer.replace})
    value = ctx.value(other)
    if value is None or not is_tensor(value):
        return None
    exact &= all(
        isinstance(v, Tensor) and v.dtype in ("float", "complex") and v.rank is not None and v.rank > 0
        for v in members(value)
    )
    compares = isinstance(parent, (cst.ComparisonTarget, cst.Comparison))
    return Consumer(exact, not compares, computed.replace)


def _is_eager_only(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` is a variable under ``if not torch.compiler.is_compiling()``."""
    guard = ctx.tree.enclosing(node, cst.If)
    while guard is not None and not (isinstance(node, cst.Name) and match.matches(guard.test, _NOT_COMPILING)):
        guard = ctx.tree.enclosing(guard, cst.If)
    return guard is not None and any(each is node for each in match.findall(guard.body, match.Name()))


def _argument_consumer(ctx: FixContext, node: cst.BaseExpression, read: ScalarRead) -> Consumer | None:
    """Return how a torch function uses the number as an argument that may be a tensor."""
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
        # If one bound is a tensor, the other one has to be a tensor as well.
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
    """Return the other operand of the operator around ``node``."""
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
