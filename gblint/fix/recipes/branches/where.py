"""Branches on the values of a tensor: both sides computed, and one of them picked."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import libcst as cst
from libcst import matchers as match

from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import (
    free_name,
    is_bool_tensor,
    is_number,
    is_size,
    is_tensor,
    is_whole,
    may_be_tensor,
    replaced_if,
    tight,
    with_names,
)
from gblint.fix.recipes._purity import is_pure, only_draws
from gblint.fix.recipes.branches.predicates import Predicate, guarded_condition, scalar_condition
from gblint.fix.recipes.in_place import comes_to
from gblint.fix.recipes.numbers import Read, consumed
from gblint.runtime.lazy_dataclasses import dataclass, replace
from gblint.values.base import NONE, Tensor, Value, members

TITLE = "compute both sides and pick one with `torch.where`"
_NO_GRADIENT = ("bool", "int", "uint8")
# What leaves a number as it is, by the operator that changes it in place.
_NEUTRAL = {cst.AddAssign: "0", cst.SubtractAssign: "0", cst.MultiplyAssign: "1", cst.DivideAssign: "1"}


def as_where(site: FixContext) -> Rewrite | None:
    """``if t: y = a`` (``else: y = b``) as ``y = torch.where(t, a, b)``."""
    branch = site.around(cst.If)
    if not isinstance(branch, cst.If) or not is_in(site, branch.test):
        return None
    guarded = guarded_condition(site, branch.test)
    if guarded is None:
        return None
    sides = Sides(site, branch, guarded.condition)
    lines = sides.picked(branch.body, branch.orelse)
    if lines is None:
        return None
    if guarded.before:
        lines = [f"if {guarded.guard}:", *(f"    {line}" for line in lines)]
        otherwise = _lines_of(site, branch.orelse)
        if otherwise is None:
            return None
        lines += otherwise
    return Rewrite(TITLE, "unsafe", replaced_if(site, branch, lines), guarded.condition.imports)


def masked_in_place(site: FixContext) -> Rewrite | None:
    """``if t: x[mask] = v`` as ``x[mask & t] = v``, and without ``t`` where it asks for ``mask.any()`` only."""
    branch = site.around(cst.If)
    if not isinstance(branch, cst.If) or branch.orelse is not None or not is_in(site, branch.test):
        return None
    guarded = guarded_condition(site, branch.test)
    small = _only(branch.body)
    target = _target(small)
    if guarded is None or target is None or not isinstance(small, (cst.Assign, cst.AugAssign)):
        return None
    mask = _index(target)
    # What is written to by an index is not None.
    held = [v for v in members(site.value(target.value) or NONE) if v != NONE]
    if mask is None or not held or not all(is_tensor(v) for v in held) or not is_bool_tensor(site.value(mask)):
        return None
    if not is_pure(site, small.value) or not is_pure(site, mask) or not _may_be_filled(site.value(small.value)):
        return None
    text = site.code(mask)
    if branch.test not in _asking_for(site, branch.test, text):
        text = f"{tight(site.tree, mask)} & {_atom(guarded.condition.asked)}"
    line = f"{site.code(target.value)}[{text}]{_between(small)}{site.code(small.value)}"
    lines = [f"if {guarded.guard}:", f"    {line}"] if guarded.before else [line]
    # In place is in place: of what needs a gradient, even a change of nothing is one.
    exact = all(isinstance(v, Tensor) and v.dtype in _NO_GRADIENT for v in held)
    title = "make it a part of the mask"
    return Rewrite(title, "safe" if exact else "unsafe", replaced_if(site, branch, lines), guarded.condition.imports)


def ternary_as_where(site: FixContext) -> Rewrite | None:
    """``a if t else b`` as ``torch.where(t, a, b)``."""
    choice = site.around(cst.IfExp)
    if not isinstance(choice, cst.IfExp) or not is_in(site, choice.test):
        return None
    condition = scalar_condition(site, choice.test)
    if condition is None or not alike(site, choice.body, choice.orelse):
        return None
    sides = (_indexed(site, choice.test, side) or site.code(side) for side in (choice.body, choice.orelse))
    return Rewrite(TITLE, "unsafe", {choice: cst.parse_expression(condition.pick(*sides))}, condition.imports)


def _indexed(site: FixContext, test: cst.BaseExpression, side: cst.BaseExpression) -> str | None:
    """The text of ``x[i]`` where the test is ``i >= 0``: a tensor of one element, which Dynamo cannot index with."""
    if not isinstance(side, cst.Subscript) or not isinstance(test, cst.Comparison):
        return None
    index = _index(side)
    value = None if index is None else site.value(index)
    asked = isinstance(index, cst.Name) and site.code(test.left) == index.value and len(test.comparisons) == 1
    if index is None or value is None or not asked or not is_number(site.value(test.comparisons[0].comparator)):
        return None
    if not all(isinstance(v, Tensor) and v.dtype in ("int", None) for v in members(value)):
        return None
    name, tensor = site.code(index), tight(site.tree, side.value)
    return f"{tensor}[{name}.reshape(-1)].reshape({name}.shape + {tensor}.shape[1:])"


def number_by_size(site: FixContext) -> Rewrite | None:
    """``1 if len(x) > 1 else 0`` as ``max(min(len(x) - 1, 1), 0)``, where the length depends on values."""
    choice = site.around(cst.IfExp)
    found = match.extract(
        choice or site.node,
        match.IfExp(
            test=match.Comparison(
                left=match.SaveMatchedNode(match.Call() | match.Subscript(), "size"),
                comparisons=[match.ComparisonTarget(match.GreaterThan(), match.SaveMatchedNode(match.Integer(), "n"))],
            ),
            body=match.Integer("1"),
            orelse=match.Integer("0"),
        ),
    )
    if not found or choice is None or not isinstance(size := found["size"], cst.BaseExpression):
        return None
    if not is_size(site, size):
        return None
    text = f"max(min({site.code(size)} - {site.code(found['n'])}, 1), 0)"  # type: ignore[arg-type]
    title = "compute the number, instead of choosing it by a size"
    return Rewrite(title, "safe", {choice: cst.parse_expression(text)})


@dataclass(frozen=True, slots=True)
class _Change:
    """One statement of a side: ``target = value``, ``target op= value``, or a call that changes the target in place and
    what the target is then, as text.

    ``text`` is that of the value, ``reads`` what it reads; a target that is the branch's ``own`` is not picked.
    """

    target: str
    value: cst.BaseExpression
    augmented: cst.AugAssign | None = None
    in_place: str = ""
    text: str = ""
    reads: frozenset[str] = frozenset()
    own: bool = False

    @property
    def root(self) -> str:
        """The variable, or the attribute, that it changes."""
        return (
            re.split(r"[(\[]", self.target)[0].rpartition(".")[0] if self.target.endswith((")", "]")) else self.target
        )


class Sides:
    """The two sides of a branch, brought together."""

    def __init__(self, site: FixContext, branch: cst.If, condition: Predicate) -> None:
        self._site = site
        self._branch = branch
        self._condition = condition

    def picked(self, yes: cst.BaseSuite, no: cst.If | cst.Else | None) -> list[str] | None:
        """The lines that do what one of the two sides does; None where that cannot be."""
        taken = self._changes(yes)
        # Steps that nothing stands against are better taken as they are written, and undone.
        if taken is None or (no is None and len({change.target for change in taken}) < len(taken)):
            return None
        kept: list[str] = []
        condition = self._condition
        targets = {change.target for change in taken}
        if len(targets - self._helpers(taken)) > 1 or isinstance(no, cst.If):
            name = free_name(self._site, self._branch, "condition")
            kept, condition = [f"{name} = {condition.asked}"], condition.called(name)
        lines = self._against(taken, no, condition)
        return None if lines is None else kept + lines

    def _against(self, taken: list[_Change], no: cst.If | cst.Else | None, condition: Predicate) -> list[str] | None:
        if isinstance(no, cst.If):
            if not is_pure(self._site, no.test):
                return None
            if may_be_tensor(self._site, no.test):
                return self._before(taken, no, condition)
            inner = self._joined(taken, self._changes(no.body), condition) or self._kept(no.body, condition)
            outer = self._against(taken, no.orelse, condition)
            if inner is None or outer is None:
                return None
            head = [f"if {self._site.code(no.test)}:", *(f"    {line}" for line in inner)]
            return [*head, "else:", *(f"    {line}" for line in outer)]
        return self._joined(taken, [] if no is None else self._changes(no.body), condition)

    def _before(self, taken: list[_Change], no: cst.If, condition: Predicate) -> list[str] | None:
        """The lines for a branch that others follow: what it comes to is computed first, and picked last."""
        site, rest, others = self._site, _lines_of(self._site, no), self._all_changes(no)
        if rest is None or others is None or any(c.augmented or c.in_place for c in others):
            return None
        late = {c.target for c in others}
        changes = self._settled(taken, self._helpers(taken), "then", late)
        for change in () if changes is None else changes:
            beside = [site.value(c.value) for c in others if c.target == change.target]
            if not all(self._go_together(change.target, site.value(change.value), value) for value in beside):
                return None
        last = [c for c in changes or () if not c.own and (c.target in late or is_whole(site.value(c.value)))]
        first = None if changes is None else self._picked_in_turn([c for c in changes if c not in last], [], condition)
        behind = self._picked_in_turn(last, [], condition)
        if first is None or behind is None:
            return None
        return [*first, rest[0].removeprefix("el"), *rest[1:], *behind]

    def _all_changes(self, no: cst.If | cst.Else | None) -> list[_Change] | None:
        """What all the branches do that follow; None if one of them does anything but compute and assign."""
        if no is None:
            return []
        here = self._changes(no.body)
        rest = self._all_changes(no.orelse) if isinstance(no, cst.If) else []
        return None if here is None or rest is None else [*here, *rest]

    def _kept(self, suite: cst.BaseSuite, condition: Predicate) -> list[str] | None:
        """The branch as it was, for a side that is never compiled: nothing was seen in it."""
        site = self._site
        if any(site.value(node) is not None for node in match.findall(suite, match.Name() | match.Call())):
            return None
        one, other = _block(site, self._branch.body), _block(site, suite)
        return None if one is None or other is None else [f"if {condition.text}:", *one, "else:", *other]

    def _changes(self, suite: cst.BaseSuite) -> list[_Change] | None:
        """What a side does; None if it does anything but compute and assign."""
        found: list[_Change] = []
        for line in suite.body:
            small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else line
            if isinstance(small, cst.Pass):
                continue
            for change in self._several(small) or [self._change(small)]:
                if change is None or not (change.in_place or self._may_be_computed(change.value)):
                    return None
                found.append(change)
        return found

    def _several(self, small: cst.CSTNode) -> list[_Change | None]:
        """What ``a, b = c, d`` does, where it is the same one after the other."""
        made = match.extract(
            small,
            match.Assign(
                [match.AssignTarget(match.SaveMatchedNode(match.Tuple(), "targets"))],
                match.SaveMatchedNode(match.Tuple(), "values"),
            ),
        )
        targets, values = (made["targets"], made["values"]) if made else (None, None)
        if not isinstance(targets, cst.Tuple) or not isinstance(values, cst.Tuple):
            return []
        names = [element.value for element in targets.elements]
        if len(names) != len(values.elements) or not all(isinstance(name, cst.Name) for name in names):
            return []
        if not _mentioned(self._site, values).isdisjoint(map(self._site.code, names)):
            return []
        return [_Change(self._site.code(name), e.value) for name, e in zip(names, values.elements)]

    def _may_be_computed(self, value: cst.BaseExpression) -> bool:
        """Whether a value may be computed where it was not: where chance decides, more numbers may be drawn."""
        return only_draws(self._site, value) if self._condition.drawn else is_pure(self._site, value)

    def _change(self, small: cst.CSTNode) -> _Change | None:
        if isinstance(small, cst.Assign) and len(small.targets) == 1:
            target = small.targets[0].target
            return _Change(self._site.code(target), small.value) if _is_place(target) else None
        if isinstance(small, cst.AugAssign) and _is_place(small.target):
            kept = is_tensor(self._site.value(small.value)) or is_number(self._site.value(small.value))
            known = any(isinstance(small.operator, kind) for kind in _NEUTRAL)
            return _Change(self._site.code(small.target), small.value, small) if known and kept else None
        changed = comes_to(self._site, small.value) if isinstance(small, cst.Expr) else None
        if changed is None or not isinstance(small, cst.Expr):
            return None
        return _Change(changed[0], small.value, in_place=changed[1])

    def _helpers(self, changes: Sequence[_Change]) -> set[str]:
        """Variables that only this branch uses."""
        function = self._site.tree.around(self._branch, cst.FunctionDef)
        if function is None:
            return set()
        return {
            change.target
            for change in changes
            if change.target.isidentifier()
            and not change.in_place
            and len(match.findall(function, match.Name(change.target)))
            == len(match.findall(self._branch, match.Name(change.target)))
        }

    def _joined(self, taken: list[_Change], other: list[_Change] | None, condition: Predicate) -> list[str] | None:
        """The lines for two sides that are straight."""
        if other is None:
            return None
        helpers = self._helpers([*taken, *other])
        if helpers & {c.target for c in taken} & {c.target for c in other}:
            return None
        first, second = self._settled(taken, helpers, "then"), self._settled(other, helpers, "else")
        return None if first is None or second is None else self._picked_in_turn(first, second, condition)

    def _picked_in_turn(self, taken: list[_Change], other: list[_Change], condition: Predicate) -> list[str] | None:
        """The lines that pick one of what two sides come to, one target after the other."""
        taken_by, other_by = ({c.target: c for c in side if not c.own} for side in (taken, other))
        order = [c for c in (*taken, *other) if c.own or c is (taken_by | other_by)[c.target]]
        # A number is one until it is picked.
        order.sort(key=lambda c: not c.own and is_whole(self._site.value(c.value)))
        lines: list[str] = []
        merged: set[str] = set()
        for change in order:
            target = change.target
            if not all(self._reads_the_same(side, target, merged) for side in (taken, other)):
                return None
            if change.own:
                lines.append(f"{target} = {change.text}")
            else:
                line = self._line(target, taken_by.get(target), other_by.get(target), condition)
                if line is None:
                    return None
                lines.append(line)
            merged.add(target)
        return lines

    def _settled(
        self, changes: Sequence[_Change], helpers: set[str], word: str, late: Collection[str] = ()
    ) -> list[_Change] | None:
        """The changes of a side, one for each target: what is set again, numbers that others read and what is to be
        picked ``late`` are kept in variables first."""
        site, names = self._site, dict[str, str]()
        found: list[_Change] = []
        last: list[_Change] = []
        for number, change in enumerate(changes):
            target, behind = change.target, changes[number + 1 :]
            text = with_names(site, change.value, names)
            if text is None or (change.in_place and names):
                return None
            change = replace(change, text=text, reads=_mentioned(site, change.value) - names.keys())
            last = [c for c in last if c.target != target]
            again = any(target == c.target for c in behind)
            read = is_whole(site.value(change.value)) and any(target in _mentioned(site, c.value) for c in behind)
            if target in helpers:
                found.append(replace(change, own=True))
            elif target in late or again or read:
                if change.augmented or change.in_place or not target.isidentifier():
                    return None
                kept = names.setdefault(target, free_name(site, self._branch, f"{target}_{word}"))
                found.append(replace(change, target=kept, own=True))
                last.append(replace(change, text=kept, reads=frozenset()))
            else:
                found.append(change)
        return found + last

    def _reads_the_same(self, side: list[_Change], target: str, merged: set[str]) -> bool:
        """Whether what a side gives to ``target`` reads the same once the variables ``merged`` are picked.

        What its own side has set by then has to be picked, what it sets later not; what the other one sets is then what
        it was.
        """
        position = next((i for i, change in enumerate(side) if change.target == target), None)
        if position is None:
            return True
        reads = side[position].reads
        for i, change in enumerate(side):
            if i == position or change.root not in reads:
                continue
            # A tensor that is changed in place may be another variable as well.
            if change.in_place or change.augmented or (i < position) != (change.target in merged):
                return False
        return True

    def _line(self, target: str, yes: _Change | None, no: _Change | None, condition: Predicate) -> str | None:
        site = self._site
        only = yes or no
        if only is None:
            return None
        if any(each is not None and each.in_place for each in (yes, no)):
            one, other = (target if each is None else each.in_place for each in (yes, no))
            return f"{target}.copy_({condition.pick(one, other)})" if one and other else None
        if yes is not None and no is not None:
            if yes.augmented or no.augmented or not self._go_together(target, *map(site.value, (yes.value, no.value))):
                return None
            return f"{target} = {condition.pick(yes.text, no.text)}"
        value = only.text
        if only.augmented is not None:
            neutral = next(n for kind, n in _NEUTRAL.items() if isinstance(only.augmented.operator, kind))
            if not is_tensor(value_before(site, self._branch, target)):
                return None
            picked = condition.pick(value, neutral) if yes else condition.pick(neutral, value)
            return f"{target}{_between(only.augmented)}{picked}"
        old = value_before(site, self._branch, target)
        if old is None or not self._go_together(target, old, site.value(only.value)):
            return None
        return f"{target} = {condition.pick(value, target) if yes else condition.pick(target, value)}"

    def _go_together(self, target: str, one: Value | None, other: Value | None) -> bool:
        """Whether one of two values can be picked for ``target``: integers, too, where only tensors take them in."""
        return same_kind(one, other) or (is_whole(one) and is_whole(other) and self._is_for_tensors(target))

    def _is_for_tensors(self, name: str) -> bool:
        """Whether all that follows the branch computes tensors with the number under ``name``."""
        site, branch = self._site, self._branch
        function = site.tree.around(branch, cst.FunctionDef)
        loop = site.tree.around(branch, cst.For) or site.tree.around(branch, cst.While)
        if function is None or loop is not None or not name.isidentifier():
            return False
        uses = [n for n in match.findall(function, match.Name(name)) if isinstance(n, cst.Name)]
        behind = [n for n in uses if site.tree.bounds(n)[0] >= site.tree.bounds(branch)[1]]
        takers = [consumed(site, n, Read(n, "int", True, False)) for n in behind]
        own = all(
            site.tree.around(n, cst.FunctionDef) is function and not site.tree.around(n, cst.Lambda) for n in uses
        )
        return bool(takers) and own and all(taker is not None and not taker.replace for taker in takers)


def _lines_of(site: FixContext, other: cst.If | cst.Else | None) -> list[str] | None:
    """What follows a guard, as it was; None where it would have to be said twice and is not short."""
    if other is None:
        return []
    lines = _block(site, other.body) if len(other.body.body) <= 2 else None
    rest = _lines_of(site, other.orelse) if isinstance(other, cst.If) else []
    head = f"elif {site.code(other.test)}:" if isinstance(other, cst.If) else "else:"
    return None if lines is None or rest is None else [head, *lines, *rest]


def _block(site: FixContext, suite: cst.BaseSuite) -> list[str] | None:
    """The lines of a block of simple statements, indented."""
    if not all(isinstance(line, cst.SimpleStatementLine) for line in suite.body):
        return None
    return [f"    {site.code(small)}" for line in suite.body for small in getattr(line, "body", ())]


def is_in(site: FixContext, test: cst.BaseExpression) -> bool:
    """Whether the site is ``test``, or a part of it."""
    return site.node is test or any(outer is test for outer in site.tree.ancestors(site.node))


def _is_place(target: cst.BaseExpression) -> bool:
    """Whether ``target`` is a variable, or an attribute of one."""
    while isinstance(target, cst.Attribute):
        target = target.value
    return isinstance(target, cst.Name)


def _mentioned(site: FixContext, node: cst.BaseExpression) -> frozenset[str]:
    """The variables, and attributes of variables, that are named in ``node``."""
    return frozenset(map(site.code, match.findall(node, match.Name() | match.Attribute())))


def _only(suite: cst.BaseSuite) -> cst.CSTNode | None:
    line = suite.body[0] if len(suite.body) == 1 else None
    return line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else line


def _target(small: cst.CSTNode | None) -> cst.Subscript | None:
    target: cst.CSTNode | None = None
    if isinstance(small, cst.Assign) and len(small.targets) == 1:
        target = small.targets[0].target
    elif isinstance(small, cst.AugAssign):
        target = small.target
    return target if isinstance(target, cst.Subscript) else None


def _index(target: cst.Subscript) -> cst.BaseExpression | None:
    only = target.slice[0].slice if len(target.slice) == 1 else None
    return only.value if isinstance(only, cst.Index) else None


def _may_be_filled(value: Value | None) -> bool:
    """Whether a mask may be filled with it whatever the number of its elements."""
    return is_number(value) or (
        value is not None and all(isinstance(v, Tensor) and v.rank == 0 and not v.ndarray for v in members(value))
    )


def _asking_for(site: FixContext, test: cst.BaseExpression, mask: str) -> list[cst.BaseExpression]:
    """``test`` alone, if it asks whether the mask holds anywhere."""
    torch, _ = site.named("torch")
    forms = (f"{mask}.any()", f"({mask}).any()", f"{torch}.any({mask})", f"{mask}.sum() > 0", f"({mask}).sum() > 0")
    return [test] if site.code(test) in forms else []


def _atom(text: str) -> str:
    node = cst.parse_expression(text)
    return text if isinstance(node, (cst.Name, cst.Attribute, cst.Call)) or node.lpar else f"({text})"


def _between(small: cst.Assign | cst.AugAssign) -> str:
    """The operator of an assignment, with the spaces around it."""
    if isinstance(small, cst.Assign):
        return " = "
    return cst.Module([]).code_for_node(small.operator)


def value_before(site: FixContext, branch: cst.CSTNode, name: str) -> Value | None:
    """What the variable was before ``branch``, as far as its uses up to there and right in it say.

    Of a parameter that is not read before, what it is right behind the branch may be that, too.
    """
    function = site.tree.around(branch, cst.FunctionDef)
    start, end = site.tree.bounds(branch)
    found: tuple[int, Value] | None = None
    sets = match.findall(branch, match.Assign(targets=[match.AssignTarget(match.Name(name))]))
    # Behind where the branch sets it, it is something else.
    last = min((site.tree.bounds(each)[1] for each in sets), default=end)
    for node in match.findall(function or branch, match.Name() | match.Attribute()):
        place = site.tree.bounds(node)[0]
        value = site.value(node)
        if place >= last or site.code(node) != name:
            continue
        parent = site.tree.parent(node)
        if isinstance(parent, cst.AssignTarget):
            assign = site.tree.parent(parent)
            if place >= start or not isinstance(assign, cst.Assign):
                continue
            value = site.value(assign.value)
        if value is not None and (found is None or place < start):
            found = (place, value)
    if found is None and isinstance(function, cst.FunctionDef) and name in _parameters(function):
        uses = [n for n in match.findall(function, match.Name(name)) if site.tree.bounds(n)[0] >= end]
        behind = min(uses, key=site.tree.bounds, default=None)
        if behind is not None and not isinstance(site.tree.parent(behind), cst.AssignTarget):
            return site.value(behind)
    return None if found is None else found[1]


def _parameters(function: cst.FunctionDef) -> set[str]:
    every = function.params
    return {each.name.value for each in (*every.posonly_params, *every.params, *every.kwonly_params)}


def alike(site: FixContext, one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    """Whether both may be computed, and are tensors of one kind."""
    return is_pure(site, one) and is_pure(site, other) and same_kind(site.value(one), site.value(other))


def same_kind(one: Value | None, other: Value | None) -> bool:
    """Whether both are tensors, or one of them a number that the other one may take in."""
    if one is None or other is None or not (is_tensor(one) or is_tensor(other)):
        return False
    if not (is_tensor(one) or is_number(one)) or not (is_tensor(other) or is_number(other)):
        return False
    kinds = {(v.dtype, v.rank) for value in (one, other) for v in members(value) if isinstance(v, Tensor)}
    dtypes, ranks = ({kind[i] for kind in kinds} - {None} for i in (0, 1))
    if not (is_tensor(one) and is_tensor(other)) and ranks - {0}:
        return False
    return len(dtypes) <= 1 and len(ranks) <= 1
