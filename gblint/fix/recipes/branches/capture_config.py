"""Settings that keep numbers and shapes of data in the graph: the last resort, for where nothing better fits."""

from __future__ import annotations

import libcst as cst
from libcst import matchers as match

from gblint.fix.context import FixContext, Replacement, Rewrite
from gblint.fix.recipes._build import after_imports, statement
from gblint.fix.recipes._values import is_number
from gblint.fix.recipes.masks import selection
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import NONE, Tensor, members
from gblint.values.objects import ExternalName, Instance

_SCALARS = "capture_scalar_outputs"
_SHAPES = "capture_dynamic_output_shape_ops"
_RECURRENT = "allow_rnn"
# Those that compare the sizes of what they are given: with sizes of data they break (with torch 2.13) unless told.
_LOSSES = (
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits "
    "MSELoss L1Loss SmoothL1Loss HuberLoss BCELoss BCEWithLogitsLoss"
).split()
_ELEMENTWISE = "log log1p log2 log10 exp sqrt abs square sigmoid tanh relu neg float double long detach".split()


def numbers_captured(site: FixContext) -> Rewrite | None:
    """``torch._dynamo.config.capture_scalar_outputs = True`` behind the imports."""
    return _setting(site, _SCALARS, "compiled code knows nothing of such a number, and a branch on it still breaks")


def list_captured(site: FixContext) -> Rewrite | None:
    """The same for ``t.tolist()``, which stays in the graph for integers only."""
    function = getattr(site.node, "func", None)
    value = None if function is None else site.value(getattr(function, "value", function))
    if value is None or any(not isinstance(v, Tensor) or v.dtype == "float" for v in members(value)):
        return None
    return numbers_captured(site)


def shapes_captured(site: FixContext) -> Rewrite | None:
    """``torch._dynamo.config.capture_dynamic_output_shape_ops = True`` behind the imports.

    What is selected by one mask and compared in one call is said to be of one size: losses ask for that.
    """
    function = site.value(getattr(site.node, "func", site.node))
    if isinstance(function, ExternalName) and function.name.startswith("numpy."):
        return None
    cost = "compiled code knows nothing of such a size, and a branch on it still breaks"
    found = _setting(site, _SHAPES, cost)
    if found is None:
        return None
    return Rewrite(found.title, found.applicability, {**found.replace, **_checked(site)}, last_resort=True)


def recurrent_allowed(site: FixContext) -> Rewrite | None:
    """``torch._dynamo.config.allow_rnn = True`` behind the imports; for an LSTM only where it is asked for.

    AOTAutograd, and so inductor, cannot take one whose parameters need gradients (torch 2.13; GRU and RNN it can).
    """
    found = _setting(site, _RECURRENT, "it is an experiment, and tracing unrolls all layers and steps")
    module = site.value(site.node.func if isinstance(site.node, cst.Call) else site.node) or NONE
    if found is None or all(isinstance(v, Instance) and not v.class_name.endswith("LSTM") for v in members(module)):
        return found
    return replace(found, applicability=site.unless_inductor("recurrent-allowed"))


def _setting(site: FixContext, name: str, cost: str) -> Rewrite | None:
    torch, imports = site.named("torch")
    line = f"{torch}._dynamo.config.{name} = True"
    replace = after_imports(site.tree, line)
    if not replace or imports or line in site.tree.text:
        return None
    title = f"set `{name}`, for all that the program compiles: {cost}"
    return Rewrite(title, "unsafe", replace, last_resort=True)


def _checked(site: FixContext) -> dict[cst.CSTNode, Replacement]:
    """``torch._check`` before each loss between the variable of the site and another selected by the same mask.

    Losses compare the sizes of what they are given, and compiled code knows nothing of either.
    """
    function = site.tree.around(site.node, cst.FunctionDef)
    name, chosen = _selected(site, site.node), selection(site, site.node)
    if function is None or name is None or chosen is None:
        return {}
    alike = {name} | _selected_by(site, function, chosen[1])
    torch, _ = site.named("torch")
    replace: dict[cst.CSTNode, Replacement] = {}
    for call in match.findall(function, match.Call(args=[match.AtLeastN(n=2)])):
        assert isinstance(call, cst.Call)
        given = [arg.value.value for arg in call.args[:2] if isinstance(arg.value, cst.Name)]
        line = site.tree.around(call, cst.SimpleStatementLine)
        if name not in given or len(set(given) & alike) != 2 or line is None or not _is_loss(site, call):
            continue
        if not all(_is_kept(site, function, each, line) for each in given):
            continue
        check = statement(site.tree, f"{torch}._check({given[0]}.size(0) == {given[1]}.size(0))")
        check = check.with_changes(leading_lines=line.leading_lines)
        replace[line] = cst.FlattenSentinel([check, line.with_changes(leading_lines=[])])
    return replace


def _selected_by(site: FixContext, function: cst.FunctionDef, mask: cst.BaseExpression) -> set[str]:
    """The variables that are set to a selection by ``mask``."""
    found = set()
    for node in match.findall(function, match.Call() | match.Subscript()):
        chosen = selection(site, node) if isinstance(node, (cst.Call, cst.Subscript)) else None
        name = _selected(site, node)
        if chosen is not None and name is not None and site.code(chosen[1]) == site.code(mask):
            found.add(name)
    return found


def _is_loss(site: FixContext, call: cst.Call) -> bool:
    value = site.value(call.func)
    names = [
        v.name if isinstance(v, ExternalName) else v.class_name if isinstance(v, Instance) else ""
        for v in members(value or NONE)
    ]
    return all(name.rpartition(".")[2] in _LOSSES for name in names)


def _is_kept(site: FixContext, function: cst.FunctionDef, name: str, call: cst.SimpleStatementLine) -> bool:
    """Whether all that ``name`` is set to before the call is a selection, or as long as ``name`` was."""
    for assign in match.findall(function, match.Assign(targets=[match.AssignTarget(match.Name(name))])):
        assert isinstance(assign, cst.Assign)
        if site.tree.bounds(assign)[0] < site.tree.bounds(call)[0] and selection(site, assign.value) is None:
            if not _is_as_long(site, assign.value, name):
                return False
    return True


def _is_as_long(site: FixContext, node: cst.BaseExpression, name: str) -> bool:
    """Whether ``node`` is computed from ``name`` element by element."""
    if isinstance(node, cst.Name):
        return node.value == name
    if isinstance(node, cst.BinaryOperation) and not isinstance(node.operator, cst.MatrixMultiply):
        one, other = node.left, node.right
        return (_is_as_long(site, one, name) and is_number(site.value(other))) or (
            _is_as_long(site, other, name) and is_number(site.value(one))
        )
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in _ELEMENTWISE:
        given = [node.func.value, *(arg.value for arg in node.args)]
        return len(node.args) < 2 and any(_is_as_long(site, each, name) for each in given)
    return False


def _selected(site: FixContext, node: cst.CSTNode) -> str | None:
    """The variable that is set to ``node``, and to nothing else."""
    assign = site.tree.parent(node)
    if not isinstance(assign, cst.Assign) or len(assign.targets) != 1 or assign.value is not node:
        return None
    target = assign.targets[0].target
    return target.value if isinstance(target, cst.Name) else None
