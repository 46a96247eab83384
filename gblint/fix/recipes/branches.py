"""Branches on the values of a tensor: both sides computed, and one of them picked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst
from libcst import matchers as match

from gblint.fix.recipes.building import is_bool_tensor, is_tensor, may_be_tensor, operands, statement, tight
from gblint.fix.site import Import, Rewrite, Site
from gblint.values.base import Tensor, Value, members

_TITLE = "compute both sides and pick one with `torch.where`"
# What draws random numbers, or makes a Python value of a tensor, is not to be done more often than before.
_IMPURE = ("item", "tolist", "numpy", "cpu", "to", "cuda", "bernoulli", "multinomial", "dropout", "pop", "append")


def as_where(site: Site) -> Rewrite | None:
    """``if t: y = a`` (``else: y = b``), or with ``return``, as ``torch.where(t, a, b)``."""
    branch = site.around(cst.If)
    if not isinstance(branch, cst.If) or isinstance(site.tree.parent(branch), cst.If):
        return None
    *before, asked = operands(branch.test, cst.And)
    condition = scalar_condition(site, asked)
    if condition is None or any(may_be_tensor(site, part) for part in before):
        return None
    picked = _assigned(site, branch, condition, bool(before)) or _returned(site, branch, condition, bool(before))
    if picked is None:
        return None
    if before:
        guard = " and ".join(site.code(part) for part in before)
        body = "".join(f"    {line}\n" for line in picked.lines)
        new = [statement(site.tree, f"if {guard}:\n{body}")]
    else:
        new = [statement(site.tree, line) for line in picked.lines]
    new[0] = new[0].with_changes(leading_lines=branch.leading_lines)
    replace: dict[cst.CSTNode, cst.FlattenSentinel[cst.CSTNode] | cst.RemovalSentinel]
    replace = {branch: cst.FlattenSentinel(new), **{line: cst.RemoveFromParent() for line in picked.gone}}
    return Rewrite(_TITLE, "unsafe", replace, condition.imports)


def ternary_as_where(site: Site) -> Rewrite | None:
    """``a if t else b`` as ``torch.where(t, a, b)``."""
    choice = site.around(cst.IfExp)
    if not isinstance(choice, cst.IfExp):
        return None
    condition = scalar_condition(site, choice.test)
    if condition is None or not _alike(site, choice.body, choice.orelse):
        return None
    new = cst.parse_expression(condition.pick(site.code(choice.body), site.code(choice.orelse)))
    return Rewrite(_TITLE, "unsafe", {choice: new}, condition.imports)


@dataclass(frozen=True, slots=True)
class Condition:
    """The text of a condition, a tensor without dimensions; ``negated`` if it is to be turned around."""

    text: str
    negated: bool
    torch: str
    imports: tuple[Import, ...]

    @property
    def asked(self) -> str:
        """The text of the condition itself."""
        return f"{self.torch}.logical_not({self.text})" if self.negated else self.text

    def pick(self, if_true: str, if_false: str) -> str:
        """The call that picks one of two."""
        one, other = (if_false, if_true) if self.negated else (if_true, if_false)
        return f"{self.torch}.where({self.text}, {one}, {other})"


@dataclass(frozen=True, slots=True)
class _Picked:
    """The lines that take the place of a branch, and the lines behind it that they make superfluous."""

    lines: Sequence[str]
    gone: Sequence[cst.CSTNode] = ()


def scalar_condition(site: Site, node: cst.BaseExpression) -> Condition | None:
    """The condition that ``node`` is; None if it is no tensor without dimensions, or may not be asked once more."""
    negated = False
    while isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        node, negated = node.expression, not negated
    value = site.value(node)
    if not _is_scalar_tensor(value) or not _is_pure(node):
        return None
    torch, imports = site.named("torch")
    text = site.code(node) if is_bool_tensor(value) else f"{tight(site.tree, node)} != 0"
    return Condition(text, negated, torch, imports)


def _is_scalar_tensor(value: Value | None) -> bool:
    return is_tensor(value) and all(isinstance(v, Tensor) and v.rank == 0 for v in members(value)) if value else False


def _assigned(site: Site, branch: cst.If, condition: Condition, guarded: bool) -> _Picked | None:
    """One variable that is assigned in the branch, or in both."""
    body = _assignments(branch.body)
    if not body:
        return None
    *helpers, (name, value) = body
    if not all(_is_pure(each) for _, each in body) or not _are_local(site, branch, [n for n, _ in helpers]):
        return None
    lines = [f"{helper} = {site.code(each)}" for helper, each in helpers]
    if branch.orelse is None:
        old = _value_before(site, branch, name)
        if name in (n for n, _ in helpers) or old is None or not _same_kind(old, site.value(value)):
            return None
        return _Picked([*lines, f"{name} = {condition.pick(site.code(value), name)}"])
    if not isinstance(branch.orelse, cst.Else) or guarded:
        return None
    other = _assignments(branch.orelse.body)
    if len(other) != 1 or helpers or other[0][0] != name or not _alike(site, value, other[0][1]):
        return None
    return _Picked([f"{name} = {condition.pick(site.code(value), site.code(other[0][1]))}"])


def _returned(site: Site, branch: cst.If, condition: Condition, guarded: bool) -> _Picked | None:
    """A value that is returned in the branch, and another one in the other branch or right behind it."""
    value = _return_of(branch.body)
    if value is None or guarded:
        return None
    gone: tuple[cst.CSTNode, ...] = ()
    if isinstance(branch.orelse, cst.Else):
        other = _return_of(branch.orelse.body)
    else:
        following = None if branch.orelse is not None else _following(site, branch)
        other = None if following is None else _return_of(cst.IndentedBlock([following]))
        gone = (following,) if following is not None else ()
    if other is None or not _alike(site, value, other):
        return None
    return _Picked([f"return {condition.pick(site.code(value), site.code(other))}"], gone)


def _assignments(suite: cst.BaseSuite) -> list[tuple[str, cst.BaseExpression]]:
    """The names that a block assigns to and the values; nothing if it does anything else."""
    found = []
    for line in suite.body:
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
            return []
        small = line.body[0]
        if not isinstance(small, cst.Assign) or len(small.targets) != 1:
            return []
        target = small.targets[0].target
        if not isinstance(target, cst.Name):
            return []
        found.append((target.value, small.value))
    return found


def _return_of(suite: cst.BaseSuite) -> cst.BaseExpression | None:
    line = suite.body[0] if len(suite.body) == 1 else None
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else line
    return small.value if isinstance(small, cst.Return) else None


def _following(site: Site, branch: cst.If) -> cst.SimpleStatementLine | None:
    """The line behind ``branch``, if it is the last of its block."""
    block = site.tree.parent(branch)
    if not isinstance(block, cst.IndentedBlock) or len(block.body) < 2 or block.body[-2] is not branch:
        return None
    last = block.body[-1]
    return last if isinstance(last, cst.SimpleStatementLine) else None


def _value_before(site: Site, branch: cst.If, name: str) -> Value | None:
    """What the variable was before the branch, as far as a use of it there says."""
    uses = [n for n in match.findall(branch.test, match.Name(name)) if site.value(n) is not None]
    uses += [n for n in match.findall(branch.body, match.Name(name)) if site.value(n) is not None]
    return site.value(uses[0]) if uses else None


def _are_local(site: Site, branch: cst.If, names: Sequence[str]) -> bool:
    """Whether nothing else in the function has to do with ``names``."""
    function = site.tree.around(branch, cst.FunctionDef)
    if function is None:
        return not names
    return all(
        len(match.findall(function, match.Name(name))) == len(match.findall(branch, match.Name(name))) for name in names
    )


def _alike(site: Site, one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    """Whether both may be computed, and are tensors of one kind."""
    return _is_pure(one) and _is_pure(other) and _same_kind(site.value(one), site.value(other))


def _same_kind(one: Value | None, other: Value | None) -> bool:
    if one is None or other is None or not (is_tensor(one) and is_tensor(other)):
        return False
    kinds = {(v.dtype, v.rank) for value in (one, other) for v in members(value) if isinstance(v, Tensor)}
    dtypes, ranks = ({kind[i] for kind in kinds} - {None} for i in (0, 1))
    return len(dtypes) <= 1 and len(ranks) <= 1


def _is_pure(node: cst.BaseExpression) -> bool:
    """Whether computing ``node`` once more changes nothing: no call but of functions and methods of tensors."""
    if match.findall(node, match.NamedExpr() | match.Await() | match.Yield() | match.Lambda()):
        return False
    for call in match.findall(node, match.Call()):
        assert isinstance(call, cst.Call)
        if not isinstance(call.func, cst.Attribute):
            return False
        name = call.func.attr.value
        if name.endswith("_") or name in _IMPURE or name.startswith("rand"):
            return False
        if match.matches(call.func.value, match.Name("self")):
            return False
    return True
