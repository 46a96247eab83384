"""Settings of ``torch._dynamo.config`` that keep numbers and shapes of tensor data in the graph: a last resort."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Replacement, Rewrite
from gblint.fix.recipes._build import after_imports, compiles, parse_statement
from gblint.fix.recipes._values import is_number
from gblint.fix.recipes.masks import selected_by_index
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import NONE, Tensor, members
from gblint.values.objects import ExternalName, Instance

_SCALARS = "capture_scalar_outputs"
_SHAPES = "capture_dynamic_output_shape_ops"
_RECURRENT = "allow_rnn"
# Losses that compare the sizes of their arguments: with unbacked sizes they break (torch 2.13) without a check.
_LOSSES = (
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits "
    "MSELoss L1Loss SmoothL1Loss HuberLoss BCELoss BCEWithLogitsLoss"
).split()
_ELEMENTWISE = "log log1p log2 log10 exp sqrt abs square sigmoid tanh relu neg float double long detach".split()


def capture_scalar_outputs(ctx: FixContext) -> Rewrite | None:
    """Add ``torch._dynamo.config.capture_scalar_outputs = True`` after the imports.

    Preconditions: the file imports torch, compiles something, and does not set it yet; in a file that compiles nothing
    it is displayed, unless the configuration chooses it. Unsafe: it applies to the whole process, and the number
    becomes an unbacked symbol.
    """
    return _setting(ctx, _SCALARS, "compiled code does not know the number, and a branch on it still breaks")


def capture_list_outputs(ctx: FixContext) -> Rewrite | None:
    """Apply ``capture_scalar_outputs`` to ``t.tolist()``, which stays in the graph only for integers."""
    function = getattr(ctx.node, "func", None)
    value = None if function is None else ctx.value(getattr(function, "value", function))
    if value is None or any(not isinstance(v, Tensor) or v.dtype == "float" for v in members(value)):
        return None
    return capture_scalar_outputs(ctx)


def capture_dynamic_shapes(ctx: FixContext) -> Rewrite | None:
    """Add ``torch._dynamo.config.capture_dynamic_output_shape_ops = True`` after the imports.

    Before a loss of two tensors selected by one mask ``torch._check`` states that their sizes are equal. Unsafe: it
    applies to the whole process, and the size becomes an unbacked symbol.
    """
    function = ctx.value(getattr(ctx.node, "func", ctx.node))
    if isinstance(function, ExternalName) and function.name.startswith("numpy."):
        return None
    cost = "compiled code does not know the size, and a branch on it still breaks"
    found = _setting(ctx, _SHAPES, cost)
    if found is None:
        return None
    return Rewrite(found.title, found.applicability, {**found.replace, **_size_checks(ctx)}, last_resort=True)


def allow_rnn(ctx: FixContext) -> Rewrite | None:
    """Add ``torch._dynamo.config.allow_rnn = True`` after the imports.

    Unsafe: it applies to the whole process. For an LSTM it is displayed unless the configuration chooses it:
    AOTAutograd, and so inductor, refuses one whose parameters require gradients (torch 2.13; GRU and RNN work).
    """
    found = _setting(ctx, _RECURRENT, "it is experimental, and tracing unrolls all layers and steps")
    module = ctx.value(ctx.node.func if isinstance(ctx.node, cst.Call) else ctx.node) or NONE
    if found is None or all(isinstance(v, Instance) and not v.class_name.endswith("LSTM") for v in members(module)):
        return found
    return replace(found, applicability=ctx.opt_in_applicability("allow-rnn"))


def _setting(ctx: FixContext, name: str, cost: str) -> Rewrite | None:
    """Return the rewrite that sets a configuration value after the imports."""
    torch, imports = ctx.module_reference("torch")
    line = f"{torch}._dynamo.config.{name} = True"
    replace = after_imports(ctx.tree, line)
    if not replace or imports or line in ctx.tree.text:
        return None
    place = "" if compiles(ctx.tree.text, torch) else " where the program calls `torch.compile`"
    title = f"set `{name}`{place}, for the whole program: {cost}"
    chosen = ctx.finding.code in ctx.settings
    return Rewrite(title, "unsafe" if chosen or not place else "display", replace, last_resort=True)


def _size_checks(ctx: FixContext) -> dict[cst.CSTNode, Replacement]:
    """Return the insertion of ``torch._check`` before losses of two variables selected by one mask.

    Losses compare the sizes of their arguments, and for compiled code both are unknown.
    """
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    name, chosen = _assigned_to(ctx, ctx.node), selected_by_index(ctx, ctx.node)
    if function is None or name is None or chosen is None:
        return {}
    same_size = {name} | _selected_by(ctx, function, chosen[1])
    torch, _ = ctx.module_reference("torch")
    replace: dict[cst.CSTNode, Replacement] = {}
    for call in match.findall(function, match.Call(args=[match.AtLeastN(n=2)])):
        assert isinstance(call, cst.Call)
        compared = [arg.value.value for arg in call.args[:2] if isinstance(arg.value, cst.Name)]
        line = ctx.tree.enclosing(call, cst.SimpleStatementLine)
        if name not in compared or len(set(compared) & same_size) != 2 or line is None or not _is_loss(ctx, call):
            continue
        if not all(_keeps_length(ctx, function, each, line) for each in compared):
            continue
        check = parse_statement(ctx.tree, f"{torch}._check({compared[0]}.size(0) == {compared[1]}.size(0))")
        check = check.with_changes(leading_lines=line.leading_lines)
        replace[line] = cst.FlattenSentinel([check, line.with_changes(leading_lines=[])])
    return replace


def _selected_by(ctx: FixContext, function: cst.FunctionDef, mask: cst.BaseExpression) -> set[str]:
    """Return the variables that are assigned a selection by ``mask``."""
    found = set()
    for node in match.findall(function, match.Call() | match.Subscript()):
        chosen = selected_by_index(ctx, node) if isinstance(node, (cst.Call, cst.Subscript)) else None
        name = _assigned_to(ctx, node)
        if chosen is not None and name is not None and ctx.code(chosen[1]) == ctx.code(mask):
            found.add(name)
    return found


def _is_loss(ctx: FixContext, call: cst.Call) -> bool:
    """Return whether a call computes a loss that compares sizes."""
    value = ctx.value(call.func)
    names = [
        v.name if isinstance(v, ExternalName) else v.class_name if isinstance(v, Instance) else ""
        for v in members(value or NONE)
    ]
    return all(name.rpartition(".")[2] in _LOSSES for name in names)


def _keeps_length(ctx: FixContext, function: cst.FunctionDef, name: str, call: cst.SimpleStatementLine) -> bool:
    """Return whether each assignment of ``name`` before the call is a selection, or keeps the length of ``name``."""
    for assign in match.findall(function, match.Assign(targets=[match.AssignTarget(match.Name(name))])):
        assert isinstance(assign, cst.Assign)
        if ctx.tree.bounds(assign)[0] < ctx.tree.bounds(call)[0] and selected_by_index(ctx, assign.value) is None:
            if not _is_elementwise(ctx, assign.value, name):
                return False
    return True


def _is_elementwise(ctx: FixContext, node: cst.BaseExpression, name: str) -> bool:
    """Return whether ``node`` is computed from ``name`` elementwise."""
    if isinstance(node, cst.Name):
        return node.value == name
    if isinstance(node, cst.BinaryOperation) and not isinstance(node.operator, cst.MatrixMultiply):
        one, other = node.left, node.right
        return (_is_elementwise(ctx, one, name) and is_number(ctx.value(other))) or (
            _is_elementwise(ctx, other, name) and is_number(ctx.value(one))
        )
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _ELEMENTWISE:
        operands = [node.func.value, *(arg.value for arg in node.args)]
        return len(node.args) < 2 and any(_is_elementwise(ctx, each, name) for each in operands)
    return False


def _assigned_to(ctx: FixContext, node: cst.CSTNode) -> str | None:
    """Return the variable that alone is assigned ``node``."""
    assign = ctx.tree.parent(node)
    if not isinstance(assign, cst.Assign) or len(assign.targets) != 1 or assign.value is not node:
        return None
    target = assign.targets[0].target
    return target.value if isinstance(target, cst.Name) else None
