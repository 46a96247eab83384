"""Flow of masked variables: what a function computes from them, and the sums and means in which this ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext
from gblint.fix.recipes._build import bind_arguments, called_name
from gblint.fix.recipes._zeros import value_at_zero
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import NONE, Const, Tensor, members
from gblint.values.objects import ExternalName, Instance

# Losses that are zero where both of their arguments are, and average over elements.
_LOSSES = {
    f"torch.nn.{place}{name}"
    for names, places in (
        (("l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss"), ("functional.",)),
        (("L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss"), ("", "modules.loss.")),
    )
    for name in names
    for place in places
}


@dataclass(frozen=True, slots=True)
class MaskedVariable:
    """``name = tensor.masked_select(mask)``, in ``top``, a statement of the block that the masking is about."""

    name: str
    assign: cst.Assign
    tensor: cst.BaseExpression
    mask: str
    top: cst.BaseStatement


def sole_parts(line: cst.BaseStatement) -> Sequence[cst.CSTNode]:
    """Return the statements of a line without a block."""
    return line.body if isinstance(line, cst.SimpleStatementLine) else ()


class MaskedFlow:
    """The uses of masked variables in a function.

    ``scaled`` has the means and losses to divide, with their masks, ``counted`` the calls of ``bincount``;
    ``predictions`` the variables of a mask that give the dtype of a loss.
    """

    def __init__(self, ctx: FixContext, function: cst.FunctionDef, group: Sequence[MaskedVariable]) -> None:
        self._ctx, self._function = ctx, function
        self._group = group
        self._masks = {each.name: each.mask for each in group}
        self._since = {each.name: ctx.tree.bounds(each.assign)[1] for each in group}
        self._kept: list[cst.CSTNode] = []
        self._is_used = False
        self.scaled: dict[cst.BaseExpression, str] = {}
        self.counted: dict[cst.Call, str] = {}
        self.predictions: dict[str, set[str]] = {each.mask: set() for each in group}

    def is_closed(self) -> bool:
        """Return whether all uses are known, and no variable or mask is assigned anything else meanwhile."""
        names = [each.name for each in self._group]
        if len(set(names)) < len(names) or set(names) & set(self._masks.values()) or not names:
            return False
        bounds = self._ctx.tree.bounds
        start, end = bounds(self._group[0].top)[0], bounds(self._group[-1].assign)[1]
        found = sorted(match.findall(self._function, match.Name()), key=bounds)
        names_found = [each for each in found if isinstance(each, cst.Name)]
        for each in names_found:
            masks = each.value in self._masks.values() and start <= bounds(each)[0] < end
            if masks and isinstance(self._ctx.tree.parent(each), (cst.AssignTarget, cst.AugAssign, cst.NamedExpr)):
                return False
        # The reads first: they say which assignments keep a zero.
        names_found.sort(key=lambda each: isinstance(self._ctx.tree.parent(each), cst.AssignTarget))
        return all(self._is_known(each) for each in names_found) and self._is_used

    def _is_known(self, name: cst.Name) -> bool:
        """Return whether the rewrite keeps right what reads a name; so for all but masked variables."""
        parent = self._ctx.tree.parent(name)
        label = isinstance(parent, (cst.Attribute, cst.Arg)) and name in (
            getattr(parent, "attr", None),
            getattr(parent, "keyword", None),
        )
        if name.value not in self._masks or self._ctx.tree.bounds(name)[0] < self._since[name.value] or label:
            return True
        if parent in self._kept:
            return True
        if isinstance(parent, cst.Comparison) and match.matches(
            parent, match.Comparison(match.Name(), [match.ComparisonTarget(match.Is() | match.IsNot(), match.Name())])
        ):
            return True
        return self._is_refused(name) or self._ends_in_zero(name)

    def _is_refused(self, name: cst.Name) -> bool:
        """Return whether code raises before it reads a masked variable, since it reads the size of a second dimension.

        What a mask selects has one dimension, before and after the rewrite.
        """
        inner: cst.CSTNode = name
        for outer in self._ctx.tree.ancestors(name):
            if isinstance(outer, cst.IndentedBlock):
                lines = outer.body[: outer.body.index(inner) + 1]
                start = self._ctx.tree.bounds(self._group[-1].assign)[1]
                plain = (each for each in lines if isinstance(each, cst.SimpleStatementLine))
                if any(self._ctx.tree.bounds(each)[0] > start and self._reads_second_size(each) for each in plain):
                    return True
            if outer is self._function:
                return False
            inner = outer
        return False

    def _reads_second_size(self, line: cst.SimpleStatementLine) -> bool:
        always = {each.name for each in self._group if each.assign in sole_parts(each.top)}
        for call in match.findall(line, match.Call(match.Attribute(match.Name(), match.Name("size")), [match.Arg()])):
            found = cst.ensure_type(call, cst.Call)
            tensor = cst.ensure_type(cst.ensure_type(found.func, cst.Attribute).value, cst.Name)
            dim = self._ctx.value(found.args[0].value)
            if tensor.value in always and isinstance(dim, Const) and dim.value in (1, 2, 3):
                return True
        return False

    def _ends_in_zero(self, node: cst.BaseExpression) -> bool:
        """Return whether the largest elementwise expression around ``node`` is zero there, and reduced or assigned."""
        parent = self._ctx.tree.parent(node)
        while True:
            outer = self._elementwise_parent(parent, node)
            if outer is None:
                break
            node, parent = outer, self._ctx.tree.parent(outer)
        mask = self._zero_mask(node)
        if mask is None:
            return False
        target = parent.targets[0] if isinstance(parent, cst.Assign) and len(parent.targets) == 1 else None
        if target is not None and isinstance(target.target, cst.Name):
            name = target.target.value
            self._since.setdefault(name, self._ctx.tree.bounds(node)[1])
            self._kept.append(target)
            return self._masks.setdefault(name, mask) == mask
        return self._is_reduced(parent, node, mask)

    def _is_reduced(self, parent: cst.CSTNode | None, node: cst.BaseExpression, mask: str) -> bool:
        call = None if parent is None else self._ctx.tree.parent(parent)
        if not isinstance(call, cst.Call):
            return False
        method = isinstance(parent, cst.Attribute) and call.func is parent and not call.args
        named = (called_name(self._ctx, call) or "").removeprefix("torch.") if len(call.args) == 1 else ""
        name = parent.attr.value if method and isinstance(parent, cst.Attribute) else named
        if name in ("mean", "sum"):
            if name == "mean":
                self._scale(call, mask, node)
            self._is_used = True
            return True
        if called_name(self._ctx, call) == "torch.bincount" and parent is call.args[0]:
            self.counted[call] = mask
            self._is_used = True
            return True
        arguments = bind_arguments(call, ["input", "target", "reduction"])
        reduction = _reduction(self._ctx, call, arguments or {})
        sides = [value for name, value in (arguments or {}).items() if name != "reduction"]
        if reduction is None or len(sides) != 2 or any(self._zero_mask(side) != mask for side in sides):
            return False
        if reduction == "mean":
            self._scale(call, mask, call.args[0].value)
        self._is_used = True
        return True

    def _scale(self, call: cst.BaseExpression, mask: str, prediction: cst.BaseExpression) -> None:
        self.scaled[call] = mask
        self.predictions[mask] |= {n.value for n in match.findall(prediction, match.Name()) if isinstance(n, cst.Name)}

    def _elementwise_parent(self, parent: cst.CSTNode | None, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """Return the operator or elementwise function of which ``node`` is an operand."""
        if isinstance(parent, (cst.BinaryOperation, cst.UnaryOperation)):
            return parent
        call = None if parent is None else self._ctx.tree.parent(parent)
        if isinstance(call, cst.Call) and isinstance(parent, (cst.Attribute, cst.Arg)):
            return call if self._zero_mask(call) is not None or self._at_zero(call) is not None else None
        return None

    def _at_zero(self, node: cst.BaseExpression) -> float | None:
        return value_at_zero(self._ctx, node, self._masks)

    def _zero_mask(self, node: cst.BaseExpression) -> str | None:
        """Return the mask of the variables in ``node`` if there is one mask, and zeros give zero."""
        names = {n.value for n in match.findall(node, match.Name()) if isinstance(n, cst.Name)}
        masks = {self._masks[name] for name in names if name in self._masks}
        return masks.pop() if len(masks) == 1 and self._at_zero(node) == 0 else None


def _reduction(ctx: FixContext, call: cst.Call, arguments: Mapping[str, cst.BaseExpression]) -> str | None:
    """Return how a call of a loss reduces; None for other calls."""
    function, result = ctx.value(call.func), ctx.value(call)
    if function is None or not all(isinstance(v, Tensor) and v.rank in (0, None) for v in members(result or NONE)):
        return None
    found = {"mean"} if "reduction" not in arguments else _strings(ctx, arguments["reduction"])
    for each in members(function):
        if isinstance(each, Instance) and each.class_name in _LOSSES and "reduction" not in arguments:
            found = _reductions_of_module(ctx, call.func)
        elif not isinstance(each, ExternalName) or each.name not in _LOSSES:
            return None
    return next((kind for kind in ("mean", "sum") if kind in found and (kind == "mean" or len(found) == 1)), None)


def _reductions_of_module(ctx: FixContext, module: cst.BaseExpression) -> set[str]:
    """Return how the loss module ``self.x`` may reduce, from where the class makes it; none if that is not known."""
    owner, text = ctx.tree.enclosing(module, cst.ClassDef), ctx.code(module)
    if owner is None or not text.startswith("self."):
        return set()
    made = [
        cst.ensure_type(each, cst.Assign).value
        for each in match.findall(owner, match.Assign(targets=[match.AssignTarget(match.Attribute())]))
        if ctx.code(cst.ensure_type(each, cst.Assign).targets[0].target) == text
    ]
    only = made[0] if len(made) == 1 else None
    if not isinstance(only, cst.Call) or any(arg.star or arg.keyword is None for arg in only.args):
        return set()
    given = {arg.keyword.value: arg.value for arg in only.args if arg.keyword}
    return {"mean"} if "reduction" not in given else _strings(ctx, given["reduction"])


def _strings(ctx: FixContext, node: cst.BaseExpression) -> set[str]:
    """Return the constants that an expression may be, also those of a variable that is assigned once; or none."""
    if isinstance(node, cst.SimpleString):
        return {str(node.evaluated_value)}
    if isinstance(node, cst.IfExp):
        sides = _strings(ctx, node.body), _strings(ctx, node.orelse)
        return set.union(*sides) if all(sides) else set()
    function = ctx.tree.enclosing(node, cst.FunctionDef)
    if not isinstance(node, cst.Name) or function is None:
        return set()
    found = match.findall(function, match.Assign(targets=[match.AssignTarget(match.Name(node.value))]))
    values = [cst.ensure_type(each, cst.Assign).value for each in found]
    return _strings(ctx, values[0]) if len(values) == 1 and not isinstance(values[0], cst.Name) else set()
