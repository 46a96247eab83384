"""``requires_grad`` and ``grad_fn``, assigned or read in ways that a graph cannot hold."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import own_line, parse_like, parse_statement, primary_text
from gblint.fix.recipes._values import is_tensor
from gblint.values.base import Const, Tensor, members

_CONTAINERS = (
    cst.Element,
    cst.StarredElement,
    cst.DictElement,
    cst.Tuple,
    cst.List,
    cst.Set,
    cst.Dict,
    cst.IfExp,
    cst.BooleanOperation,
    cst.BaseComp,
)


def use_requires_grad_method(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``t.requires_grad = False`` to ``t.requires_grad_(False)``.

    Precondition: the tensor is not known to require a gradient; Dynamo traces the call if it changes nothing. Safe:
    both do the same.
    """
    small, line, target = ctx.statement, own_line(ctx), _assigned(ctx)
    if not isinstance(small, cst.Assign) or line is None or target is None:
        return None
    value, tensor_value = ctx.value(small.value), ctx.value(target.value)
    if value != Const(False) or tensor_value is None or not is_tensor(tensor_value):
        return None
    if any(isinstance(v, Tensor) and v.requires_grad for v in members(tensor_value)):
        return None
    call = cst.Expr(cst.parse_expression(f"{primary_text(ctx.tree, target.value)}.requires_grad_(False)"))
    return Rewrite("use `requires_grad_`", "safe", {small: call})


def set_in_eager_runs(ctx: FixContext) -> Rewrite | None:
    """Put ``t.requires_grad = True`` of a computed tensor under ``if not torch.compiler.is_compiling()``.

    Preconditions: the tensor is a variable that is not a graph input, and does not leave the function. A part of an
    object is left alone: it is often all that makes the results require a gradient. Unsafe: a result may no longer
    require a gradient because of it.
    """
    target, line = _assigned(ctx), own_line(ctx)
    if target is None or line is None or not isinstance(ctx.statement, cst.Assign):
        return None
    tensor_value = ctx.value(target.value)
    if ctx.value(ctx.statement.value) != Const(True) or tensor_value is None or not is_tensor(tensor_value):
        return None
    if not isinstance(target.value, cst.Name) or any(
        isinstance(v, Tensor) and v.is_input for v in members(tensor_value)
    ):
        return None
    if _leaves_function(ctx, target.value.value, ctx.tree.bounds(line)[1]):
        return None
    torch, imports = ctx.module_reference("torch")
    guard = parse_statement(ctx.tree, f"if not {torch}.compiler.is_compiling():\n    pass\n")
    assert isinstance(guard, cst.If)
    inner = line.with_changes(leading_lines=[])
    new = guard.with_changes(leading_lines=line.leading_lines, body=cst.IndentedBlock([inner]))
    return Rewrite("skip the assignment in compiled runs", "unsafe", {line: new}, imports)


def _assigned(ctx: FixContext) -> cst.Attribute | None:
    """Return the ``t.requires_grad`` that alone is assigned by the statement."""
    small = ctx.statement
    if not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return None
    target = small.targets[0].target
    named = isinstance(target, cst.Attribute) and target.attr.value == "requires_grad"
    return target if named and isinstance(target, cst.Attribute) else None


def require_grad_in_eager_runs(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``torch.zeros(4, requires_grad=True)`` to ``requires_grad=not torch.compiler.is_compiling()``.

    Precondition: the tensor itself does not leave the function, so that nothing else can read its gradient. Unsafe:
    results of compiled code may not require a gradient.
    """
    call = ctx.node
    if not isinstance(call, cst.Call) or is_tensor(ctx.value(call.func)):
        return None
    named = [arg for arg in call.args if arg.keyword is not None and arg.keyword.value == "requires_grad"]
    if len(named) != 1 or ctx.value(named[0].value) != Const(True) or not is_tensor(ctx.value(call)):
        return None
    assign = ctx.tree.parent(call)
    target = assign.targets[0].target if isinstance(assign, cst.Assign) and len(assign.targets) == 1 else None
    leaves = _goes_out(ctx, call)
    if isinstance(assign, cst.Assign) and isinstance(target, cst.Name):
        leaves = _leaves_function(ctx, target.value, ctx.tree.bounds(assign)[1])
    if leaves:
        return None
    torch, imports = ctx.module_reference("torch")
    eager = cst.parse_expression(f"not {torch}.compiler.is_compiling()")
    return Rewrite("set `requires_grad` only in eager runs", "unsafe", {named[0].value: eager}, imports)


def _leaves_function(ctx: FixContext, name: str, start: int) -> bool:
    """Return whether code from the offset ``start`` on returns the tensor of a variable, stores it, or asks for it.

    Uses behind an assignment that is always executed, or in a loop over layers, are of another tensor.
    """
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    around = {id(outer) for outer in ctx.tree.ancestors(ctx.node)}
    uses = [] if function is None else match.findall(function, match.Name(name))
    for use in sorted(uses, key=ctx.tree.bounds):
        if ctx.tree.bounds(use)[0] < start or not isinstance(use, cst.Name):
            continue
        target = ctx.tree.parent(use)
        if isinstance(target, cst.AssignTarget):
            assign = ctx.tree.parent(target)
            inner = [] if assign is None else match.findall(assign, match.Name(name))
            block: cst.CSTNode | None = ctx.tree.enclosing(use, cst.IndentedBlock)
            while block is not None and isinstance(loop := ctx.tree.parent(block), cst.For):
                block = ctx.tree.parent(loop)
            if id(block) in around:
                return any(_goes_out(ctx, each) for each in inner if isinstance(each, cst.Name) and each is not use)
        elif _goes_out(ctx, use):
            return True
    return False


def _goes_out(ctx: FixContext, node: cst.CSTNode) -> bool:
    """Return whether an expression is returned, stored, or passed to anything that does not compute a tensor."""
    parent = ctx.tree.parent(node)
    while isinstance(parent, _CONTAINERS):
        node, parent = parent, ctx.tree.parent(parent)
    if isinstance(parent, cst.Arg):
        call = ctx.tree.parent(parent)
        return not isinstance(call, cst.Call) or not is_tensor(ctx.value(call))
    if isinstance(parent, cst.Attribute):
        return parent.value is node and parent.attr.value in ("grad", "is_leaf", "requires_grad")
    return isinstance(parent, (cst.Return, cst.Yield, cst.Assign, cst.AnnAssign, cst.NamedExpr, cst.Lambda))


def test_requires_grad(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``t.grad_fn is not None`` to ``t.requires_grad``.

    Precondition: the tensor is not a graph input. Unsafe: a leaf created in the region requires a gradient without a
    ``grad_fn``.
    """
    node = ctx.node
    comparison = ctx.tree.parent(node)
    if (
        not isinstance(node, cst.Attribute)
        or node.attr.value != "grad_fn"
        or not isinstance(comparison, cst.Comparison)
    ):
        return None
    value = ctx.value(node.value)
    if value is None or not is_tensor(value) or any(isinstance(v, Tensor) and v.is_input for v in members(value)):
        return None
    if comparison.left is not node or len(comparison.comparisons) != 1:
        return None
    target = comparison.comparisons[0]
    if ctx.value(target.comparator) != Const(None) or not isinstance(target.operator, (cst.Is, cst.IsNot)):
        return None
    text = f"{ctx.code(node.value)}.requires_grad"
    text = text if isinstance(target.operator, cst.IsNot) else f"not {text}"
    return Rewrite("test `requires_grad`", "unsafe", {comparison: parse_like(comparison, text)})
