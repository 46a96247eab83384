"""Branches that test whether a mask is true anywhere before work on the selected elements: the test is dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import EXITS, returned_value
from gblint.fix.recipes._purity import is_pure, is_pure_call
from gblint.fix.recipes._values import is_bool_tensor, is_int, is_size, is_tensor
from gblint.fix.recipes.masks import selected_by_index
from gblint.values.base import members
from gblint.values.objects import is_nn_module

_ANY_FORMS = (
    "{0}.any()",
    "({0}).any()",
    "{0}.sum() > 0",
    "({0}).sum() > 0",
    "{0}.any().item()",
    "{0}.sum().item() > 0",
)
_TORCH_ANY_FORMS = ("{1}.any({0})", "{1}.sum({0}) > 0", "{1}.count_nonzero({0}) > 0")
# Reductions that raise for an empty tensor, or give NaN.
_REFUSES_EMPTY = (
    "max",
    "min",
    "argmax",
    "argmin",
    "median",
    "mode",
    "quantile",
    "kthvalue",
    "aminmax",
    "item",
    "mean",
    "view",
    "reshape",
    "unflatten",
    "topk",
    "multinomial",
)
_NEW = ("add", "sub", "mul", "div", "neg", "pow", "exp", "log", "sqrt", "clone", "masked_select")


def skip_empty_check(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``if mask.any(): out[mask] = f(x[mask])`` to the body of the branch.

    Preconditions: the body writes only through the mask and to its own temporaries, and calls nothing that refuses an
    empty tensor. Unsafe: user modules are called with empty tensors.
    """
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or branch.orelse is not None:
        return None
    mask = _tested_mask(ctx, branch.test)
    function = ctx.tree.enclosing(branch, cst.FunctionDef)
    parent = ctx.tree.parent(branch)
    if mask is None or function is None or isinstance(parent, cst.If) or match.findall(branch, EXITS):
        return None
    lines = [line for line in branch.body.body if isinstance(line, cst.BaseStatement)]
    own = {
        name
        for name in _assigned_names(lines)
        if len(match.findall(function, match.Name(name))) == len(match.findall(branch, match.Name(name)))
    }
    work = _Work(ctx, mask, own, _autograd_context(ctx, function))
    if not all(map(work.is_of_selection, lines)) or not work.writes:
        return None
    first = lines[0].with_changes(leading_lines=[*branch.leading_lines, *getattr(lines[0], "leading_lines", ())])
    title = "remove the check: the code has no effect if the mask is false everywhere"
    return Rewrite(title, "unsafe", {branch: cst.FlattenSentinel([first, *lines[1:]])})


def remove_empty_return(ctx: FixContext) -> Rewrite | None:
    """Remove ``if len(chosen) == 0: return torch.empty(0, 2)`` if the rest gives an empty result as well.

    Preconditions: the early result consists of empty tensors, and the last result of as many tensors. Unsafe: the
    shapes of the two results are not compared.
    """
    branch = ctx.enclosing(cst.If)
    if not isinstance(branch, cst.If) or branch.orelse is not None or not _tests_for_empty(ctx, branch.test):
        return None
    block, returned = ctx.tree.parent(branch), returned_value(branch.body.body)
    if not isinstance(block, cst.IndentedBlock) or returned is None:
        return None
    other = returned_value(block.body[-1:])
    one_by_one = _returned_parts(ctx, returned)
    if other is None or not one_by_one or not all(_is_empty(ctx, part) for part in one_by_one):
        return None
    last = other.elements if isinstance(other, cst.Tuple) else [cst.Element(other)]
    if len(last) != len(one_by_one) or not all(is_tensor(ctx.value(element.value)) for element in last):
        return None
    title = "remove the early return: the rest also returns empty tensors"
    return Rewrite(title, "unsafe", {branch: cst.RemoveFromParent()})


def _tests_for_empty(ctx: FixContext, test: cst.BaseExpression) -> bool:
    """Return whether ``test`` is true if a tensor has no elements or no rows."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        size = test.expression
    elif match.matches(test, match.Comparison(comparisons=[match.ComparisonTarget(match.Equal(), match.Integer("0"))])):
        size = cst.ensure_type(test, cst.Comparison).left
    else:
        return False
    return is_size(ctx, size)


def _returned_parts(ctx: FixContext, returned: cst.BaseExpression) -> list[cst.BaseExpression]:
    """Return the returned expressions, resolved through variables and through one function of the file."""
    function = ctx.tree.enclosing(returned, cst.FunctionDef)
    if isinstance(returned, cst.Call) and isinstance(returned.func, cst.Name):
        called = returned.func.value
        found = [n for n in ctx.tree.module.body if isinstance(n, cst.FunctionDef) and n.name.value == called]
        inner = returned_value(found[0].body.body[-1:]) if found else None
        if inner is None or len(match.findall(found[0], match.Return())) != 1:
            return []
        returned, function = inner, found[0]
    elements = returned.elements if isinstance(returned, cst.Tuple) else [cst.Element(returned)]
    return [_assigned_value(function, element.value) for element in elements]


def _assigned_value(function: cst.CSTNode | None, node: cst.BaseExpression) -> cst.BaseExpression:
    """Return the value assigned to the variable ``node`` if it is assigned once, else ``node``."""
    if not isinstance(node, cst.Name) or function is None:
        return node
    assignments = match.findall(function, match.Assign(targets=[match.AssignTarget(match.Name(node.value))]))
    return cst.ensure_type(assignments[0], cst.Assign).value if len(assignments) == 1 else node


def _is_empty(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` creates a tensor without elements."""
    name = node.func.attr.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else ""
    if name not in ("empty", "zeros", "ones", "new_empty", "new_zeros", "new_ones") or not isinstance(node, cst.Call):
        return False
    sizes = [arg.value for arg in node.args if arg.keyword is None or arg.keyword.value == "size"]
    inner = [e.value for size in sizes if isinstance(size, (cst.Tuple, cst.List)) for e in size.elements]
    return any(match.matches(size, match.Integer("0")) for size in (*sizes, *inner))


def _tested_mask(ctx: FixContext, test: cst.BaseExpression) -> str | None:
    """Return the text of the mask if ``test`` is true when the mask is true anywhere."""
    torch, _ = ctx.module_reference("torch")
    code = ctx.code(test)
    for mask in match.findall(test, match.Name() | match.Attribute() | match.Comparison()):
        if isinstance(mask, cst.BaseExpression) and is_bool_tensor(ctx.value(mask)) and is_pure(ctx, mask):
            text = ctx.code(mask)
            if code in [form.format(text, torch) for form in (*_ANY_FORMS, *_TORCH_ANY_FORMS)]:
                return text
    return None


def _assigned_names(lines: Sequence[cst.CSTNode]) -> Iterator[str]:
    """Yield the variables that the lines assign."""
    kinds = match.AssignTarget() | match.For() | match.AugAssign() | match.AnnAssign()
    for node in (node for line in lines for node in match.findall(line, kinds)):
        for name in match.findall(node.target, match.Name()):  # type: ignore[attr-defined]
            if isinstance(name, cst.Name):
                yield name.value


def _autograd_context(ctx: FixContext, function: cst.FunctionDef) -> str:
    """Return the name of the context parameter of an autograd function's ``forward``, else an empty string.

    ``backward`` reads what is stored on it.
    """
    first = function.params.params[0].name.value if function.params.params else ""
    static = any(match.matches(d, match.Decorator(match.Name("staticmethod"))) for d in function.decorators)
    return first if static and function.name.value == "forward" else ""


class _Work:
    """The work in a branch.

    * ``own``: variables that only the branch reads.
    * ``autograd_context``: the name of the autograd context, on which attributes may be set.
    """

    def __init__(self, ctx: FixContext, mask: str, own: set[str], autograd_context: str) -> None:
        self._ctx, self._mask, self._own, self._autograd_name = ctx, mask, own, autograd_context
        self.writes = False
        self._seen: set[str] = set()

    def is_of_selection(self, line: cst.CSTNode) -> bool:
        """Return whether a statement has no effect but writes through the mask."""
        if isinstance(line, cst.For):
            inner = line.body.body
            named = isinstance(line.target, cst.Name) and line.target.value in self._own and line.orelse is None
            return named and self._is_harmless(line.iter) and all(map(self.is_of_selection, inner))
        if not isinstance(line, cst.SimpleStatementLine):
            return False
        return all(map(self._is_one, line.body))

    def _is_one(self, small: cst.BaseSmallStatement) -> bool:
        if isinstance(small, cst.Pass):
            return True
        if isinstance(small, cst.Expr):
            return self._is_written(small.value)
        if not isinstance(small, (cst.Assign, cst.AugAssign, cst.AnnAssign)) or small.value is None:
            return False
        targets = [each.target for each in small.targets] if isinstance(small, cst.Assign) else [small.target]
        return self._is_harmless(small.value) and all(map(self._is_own, targets))

    def _is_own(self, target: cst.CSTNode) -> bool:
        if isinstance(target, cst.Tuple):
            return all(self._is_own(element.value) for element in target.elements)
        if isinstance(target, cst.Name):
            return target.value in self._own
        if isinstance(target, cst.Attribute):
            return match.matches(target.value, match.Name(self._autograd_name)) if self._autograd_name else False
        found = selected_by_index(self._ctx, target) if isinstance(target, cst.Subscript) else None
        through = found is not None and self._ctx.code(found[1]) == self._mask
        self.writes |= through
        return through

    def _is_written(self, call: cst.BaseExpression) -> bool:
        """Return whether a call is ``out.masked_scatter_(mask, values)`` or ``masked_fill_``."""
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute) or len(call.args) != 2:
            return False
        by, values = call.args
        named = call.func.attr.value in ("masked_scatter_", "masked_fill_") and self._ctx.code(by.value) == self._mask
        through = named and by.keyword is None and self._is_harmless(values.value) and is_pure(self._ctx, call.func)
        self.writes |= through
        return through

    def _is_harmless(self, node: cst.BaseExpression) -> bool:
        """Return whether ``node`` can be computed for no elements without an effect or an error."""
        if match.findall(node, match.NamedExpr() | match.Await() | match.Yield() | match.Lambda()):
            return False
        if any(self._picks_one(each) for each in match.findall(node, match.Subscript())):
            return False
        return all(
            isinstance(call, cst.Call) and self._may_be_called(call) for call in match.findall(node, match.Call())
        )

    def _picks_one(self, node: cst.CSTNode) -> bool:
        """Return whether ``node`` reads one element of what the mask selects, by a number."""
        read = cst.ensure_type(node, cst.Subscript)
        if not any(
            isinstance(each.slice, cst.Index) and is_int(self._ctx.value(each.slice.value)) for each in read.slice
        ):
            return False
        selects = isinstance(read.value, cst.Subscript) and self._ctx.code(read.value).endswith(f"[{self._mask}]")
        return selects or (isinstance(read.value, cst.Name) and read.value.value in self._own)

    def _may_be_called(self, call: cst.Call) -> bool:
        value = self._ctx.value(call.func)
        if value is not None and all(is_nn_module(each) for each in members(value)):
            return True
        name = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
        if isinstance(call.func, cst.Attribute) and name.endswith("_"):
            return self._is_new(call.func.value)
        return name == "tolist" or (name not in _REFUSES_EMPTY and is_pure_call(self._ctx, call))

    def _is_new(self, node: cst.BaseExpression) -> bool:
        """Return whether ``node`` is a tensor that the branch has created, so that it may be changed in place."""
        if isinstance(node, (cst.BinaryOperation, cst.UnaryOperation, cst.BaseNumber)):
            return True
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            name = node.func.attr.value
            return name in _NEW or (name.endswith("_") and self._is_new(node.func.value))
        if not isinstance(node, cst.Name) or node.value not in self._own or node.value in self._seen:
            return False
        function = self._ctx.tree.enclosing(node, cst.FunctionDef)
        self._seen.add(node.value)
        assignments = match.findall(
            function or node, match.Assign(targets=[match.AssignTarget(match.Name(node.value))])
        )
        found = bool(assignments) and all(
            self._is_new(each.value) for each in assignments if isinstance(each, cst.Assign)
        )
        self._seen.discard(node.value)
        return found
