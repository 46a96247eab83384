"""Merging of the two sides of a branch into statements that compute both and pick one."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext
from gblint.fix.recipes._build import free_name, is_place, text_with_renamed
from gblint.fix.recipes._in_place import is_written, out_of_place_text
from gblint.fix.recipes._picking import reduces, same_kind, value_before
from gblint.fix.recipes._predicates import Predicate
from gblint.fix.recipes._purity import is_fresh_tensor, is_pure, may_lack_elements
from gblint.fix.recipes._values import is_int, is_number, is_tensor, is_zero_dim, may_be_tensor
from gblint.fix.recipes.numbers import ScalarRead, consumer_of
from gblint.runtime.lazy_dataclasses import dataclass, replace
from gblint.values.base import Value

# The neutral operand of each augmented assignment.
_NEUTRAL = {cst.AddAssign: "0", cst.SubtractAssign: "0", cst.MultiplyAssign: "1", cst.DivideAssign: "1"}


@dataclass(frozen=True, slots=True)
class _Change:
    """One statement of a side: ``target = value``, ``target op= value``, or a call that changes the target in place.

    * ``augmented``: the augmented assignment.
    * ``in_place``: the text of the target's new value after a call in place.
    * ``text``, ``reads``: the text of the value, and the variables that it reads.
    * ``is_temporary``: the target is a temporary of the branch and is not picked.
    """

    target: str
    value: cst.BaseExpression
    augmented: cst.AugAssign | None = None
    in_place: str = ""
    text: str = ""
    reads: frozenset[str] = frozenset()
    is_temporary: bool = False

    @property
    def root(self) -> str:
        """The variable or attribute that is changed."""
        if not self.in_place and not self.target.endswith(")"):
            return self.target
        return (
            re.split(r"[(\[]", self.target)[0].rpartition(".")[0] if self.target.endswith((")", "]")) else self.target
        )


class BranchMerge:
    """The merge of the two sides of a branch."""

    def __init__(self, ctx: FixContext, branch: cst.If, condition: Predicate) -> None:
        self._ctx = ctx
        self._branch = branch
        self._condition = condition

    def merged_lines(self, yes: cst.BaseSuite, no: cst.If | cst.Else | None) -> list[str] | None:
        """Return the lines that compute both sides and pick one; None if that is not possible."""
        if_changes = self._changes(yes)
        # Repeated assignments without an ``else`` are better left as written, and undone: ``loops.random_skip``.
        if if_changes is None or (no is None and len({change.target for change in if_changes}) < len(if_changes)):
            return None
        condition_lines: list[str] = []
        condition = self._condition
        targets = {change.target for change in if_changes}
        if len(targets - self._temporaries(if_changes)) > 1 or isinstance(no, cst.If):
            name = free_name(self._ctx, self._branch, "condition")
            condition_lines, condition = [f"{name} = {condition.true_text}"], condition.in_variable(name)
        lines = self._merged_with_orelse(if_changes, no, condition)
        return None if lines is None else condition_lines + lines

    def _merged_with_orelse(
        self, if_changes: list[_Change], no: cst.If | cst.Else | None, condition: Predicate
    ) -> list[str] | None:
        """Return the lines that merge ``if_changes`` with an ``else`` or ``elif``.

        An ``elif`` that Python decides stays a branch around two merges.
        """
        if isinstance(no, cst.If):
            if not is_pure(self._ctx, no.test):
                return None
            if may_be_tensor(self._ctx, no.test):
                return self._merged_before_elif(if_changes, no, condition)
            inner = self._merged_straight(if_changes, self._changes(no.body), condition) or self._unmerged(
                no.body, condition
            )
            outer = self._merged_with_orelse(if_changes, no.orelse, condition)
            if inner is None or outer is None:
                return None
            head = [f"if {self._ctx.code(no.test)}:", *(f"    {line}" for line in inner)]
            return [*head, "else:", *(f"    {line}" for line in outer)]
        return self._merged_straight(if_changes, [] if no is None else self._changes(no.body), condition)

    def _merged_before_elif(self, if_changes: list[_Change], no: cst.If, condition: Predicate) -> list[str] | None:
        """Return the lines for a branch before ``elif`` branches on tensors.

        The values of the branch are computed first and picked last, after the others have been merged.
        """
        ctx, rest, others = self._ctx, orelse_lines(self._ctx, no), self._all_changes(no)
        if rest is None or others is None or any(c.augmented or c.in_place for c in others):
            return None
        deferred = {c.target for c in others}
        changes = self._one_change_per_target(if_changes, self._temporaries(if_changes), "then", deferred)
        for change in () if changes is None else changes:
            other_values = [ctx.value(c.value) for c in others if c.target == change.target]
            if not all(self._can_pick_for(change.target, ctx.value(change.value), value) for value in other_values):
                return None
        last = [c for c in changes or () if not c.is_temporary and (c.target in deferred or is_int(ctx.value(c.value)))]
        first = None if changes is None else self._picks([c for c in changes if c not in last], [], condition)
        deferred_picks = self._picks(last, [], condition)
        if first is None or deferred_picks is None:
            return None
        return [*first, rest[0].removeprefix("el"), *rest[1:], *deferred_picks]

    def _all_changes(self, no: cst.If | cst.Else | None) -> list[_Change] | None:
        """Return the changes of all following branches; None if one of them does anything but compute and assign."""
        if no is None:
            return []
        here = self._changes(no.body)
        rest = self._all_changes(no.orelse) if isinstance(no, cst.If) else []
        return None if here is None or rest is None else [*here, *rest]

    def _unmerged(self, suite: cst.BaseSuite, condition: Predicate) -> list[str] | None:
        """Return the branch unchanged if its other side is never compiled, which shows in missing values."""
        ctx = self._ctx
        if any(ctx.value(node) is not None for node in match.findall(suite, match.Name() | match.Call())):
            return None
        one, other = _block(ctx, self._branch.body), _block(ctx, suite)
        return None if one is None or other is None else [f"if {condition.text}:", *one, "else:", *other]

    def _changes(self, suite: cst.BaseSuite) -> list[_Change] | None:
        """Return the changes of a side; None if it does anything but compute and assign."""
        found: list[_Change] = []
        for line in suite.body:
            small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else line
            if isinstance(small, cst.Pass):
                continue
            for change in self._tuple_changes(small) or [self._change(small)]:
                if change is None or not (change.in_place or self._may_be_computed(change.value)):
                    return None
                found.append(change)
        return found

    def _tuple_changes(self, small: cst.CSTNode) -> list[_Change | None]:
        """Return the changes of ``a, b = c, d``, if assigning one after the other is the same."""
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
        if not _mentioned(self._ctx, values).isdisjoint(map(self._ctx.code, names)):
            return []
        return [_Change(self._ctx.code(name), e.value) for name, e in zip(names, values.elements)]

    def _may_be_computed(self, value: cst.BaseExpression) -> bool:
        """Return whether a value may be computed although its side is not taken."""
        return is_pure(self._ctx, value) and not may_lack_elements(self._ctx, value)

    def _change(self, small: cst.CSTNode) -> _Change | None:
        """Return the change that a statement makes; None if it makes none of the known kinds."""
        if isinstance(small, cst.Assign) and len(small.targets) == 1:
            target = small.targets[0].target
            return _Change(self._ctx.code(target), small.value) if is_place(target) else None
        if isinstance(small, cst.AugAssign) and is_place(small.target):
            absorbs = is_tensor(self._ctx.value(small.value)) or is_number(self._ctx.value(small.value))
            known = any(isinstance(small.operator, kind) for kind in _NEUTRAL)
            return _Change(self._ctx.code(small.target), small.value, small) if known and absorbs else None
        changed = out_of_place_text(self._ctx, small.value) if isinstance(small, cst.Expr) else None
        if changed is None or not isinstance(small, cst.Expr):
            return None
        return _Change(changed[0], small.value, in_place=changed[1])

    def _temporaries(self, changes: Sequence[_Change]) -> set[str]:
        """Return the variables that only this branch uses."""
        function = self._ctx.tree.enclosing(self._branch, cst.FunctionDef)
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

    def _merged_straight(
        self, if_changes: list[_Change], other: list[_Change] | None, condition: Predicate
    ) -> list[str] | None:
        """Return the lines for two sides without further branches."""
        if other is None:
            return None
        temporaries = self._temporaries([*if_changes, *other])
        if temporaries & {c.target for c in if_changes} & {c.target for c in other}:
            return None
        first, second = (
            self._one_change_per_target(if_changes, temporaries, "then"),
            self._one_change_per_target(other, temporaries, "else"),
        )
        return None if first is None or second is None else self._picks(first, second, condition)

    def _picks(self, if_changes: list[_Change], other: list[_Change], condition: Predicate) -> list[str] | None:
        """Return the lines that pick the value of one target after the other."""
        taken_by, other_by = ({c.target: c for c in side if not c.is_temporary} for side in (if_changes, other))
        order = [c for c in (*if_changes, *other) if c.is_temporary or c is (taken_by | other_by)[c.target]]
        # Picked numbers become tensors, so they are picked last.
        order.sort(key=lambda c: not c.is_temporary and is_int(self._ctx.value(c.value)))
        lines: list[str] = []
        merged: set[str] = set()
        for change in order:
            target = change.target
            if not all(self._reads_the_same(side, target, merged) for side in (if_changes, other)):
                return None
            if change.is_temporary:
                lines.append(f"{target} = {change.text}")
            else:
                line = self._pick_statement(target, taken_by.get(target), other_by.get(target), condition)
                if line is None:
                    return None
                lines.append(line)
            merged.add(target)
        return lines

    def _one_change_per_target(
        self, changes: Sequence[_Change], temporaries: set[str], word: str, deferred: Collection[str] = ()
    ) -> list[_Change] | None:
        """Return the changes of a side with one change for each target.

        Values of targets that are assigned again, that others read as numbers, or that are picked last (``deferred``),
        are assigned to temporaries first.
        """
        ctx, names = self._ctx, dict[str, str]()
        found: list[_Change] = []
        last: list[_Change] = []
        for number, change in enumerate(changes):
            target, later = change.target, changes[number + 1 :]
            text = text_with_renamed(ctx, change.value, names)
            if text is None or (change.in_place and names):
                return None
            change = replace(change, text=text, reads=_mentioned(ctx, change.value) - names.keys())
            last = [c for c in last if c.target != target]
            reassigned = any(target == c.target for c in later)
            read = is_int(ctx.value(change.value)) and any(target in _mentioned(ctx, c.value) for c in later)
            if target in temporaries:
                found.append(replace(change, is_temporary=True))
            elif target in deferred or reassigned or read:
                if change.augmented or change.in_place or not target.isidentifier():
                    return None
                temporary = names.setdefault(target, free_name(ctx, self._branch, f"{target}_{word}"))
                found.append(replace(change, target=temporary, is_temporary=True))
                last.append(replace(change, text=temporary, reads=frozenset()))
            else:
                found.append(change)
        return found + last

    def _reads_the_same(self, side: list[_Change], target: str, merged: set[str]) -> bool:
        """Return whether the value of a side for ``target`` is the same after the variables ``merged`` are picked.

        Variables that its own side assigns before must have been picked, and those that it assigns later must not.
        Variables of the other side must still have their old values.
        """
        position = next((i for i, change in enumerate(side) if change.target == target), None)
        if position is None:
            return True
        reads = side[position].reads
        for i, change in enumerate(side):
            if i == position or change.root not in reads:
                continue
            # A tensor that is changed in place may be aliased by another variable.
            if change.in_place or change.augmented or (i < position) != (change.target in merged):
                return False
        return True

    def _pick_statement(self, target: str, yes: _Change | None, no: _Change | None, condition: Predicate) -> str | None:
        """Return the statement that picks the value of one target; None if ``torch.where`` cannot pick one."""
        ctx = self._ctx
        only = yes or no
        if only is None:
            return None
        if any(each is not None and each.in_place for each in (yes, no)):
            one, other = (target if each is None else each.in_place for each in (yes, no))
            return f"{target}.copy_({condition.pick(one, other)})" if one and other else None
        if yes is not None and no is not None:
            if yes.augmented or no.augmented or not self._can_pick_for(target, *map(ctx.value, (yes.value, no.value))):
                return None
            if reduces(ctx, yes.value, no.text) or reduces(ctx, no.value, yes.text):
                return None
            if not self._is_new_if_written(target, yes.value, no.value):
                return None
            return f"{target} = {condition.pick(yes.text, no.text)}"
        value = only.text
        if only.augmented is not None:
            neutral = next(n for kind, n in _NEUTRAL.items() if isinstance(only.augmented.operator, kind))
            if not is_tensor(value_before(ctx, self._branch, target)):
                return None
            picked = condition.pick(value, neutral) if yes else condition.pick(neutral, value)
            return f"{target}{operator_text(only.augmented)}{picked}"
        old = value_before(ctx, self._branch, target)
        if old is None or not self._can_pick_for(target, old, ctx.value(only.value)):
            return None
        if not is_zero_dim(old) and reduces(ctx, only.value, target):
            return None
        if not self._is_new_if_written(target, only.value, *self._values_before(target)):
            return None
        return f"{target} = {condition.pick(value, target) if yes else condition.pick(target, value)}"

    def _is_new_if_written(self, target: str, *values: cst.BaseExpression) -> bool:
        """Return whether no later write to ``target`` in place is meant for another tensor, of which it is a view."""
        if not target.isidentifier() or not is_written(self._ctx, target, self._ctx.tree.bounds(self._branch)[1]):
            return True
        return bool(values) and all(is_fresh_tensor(self._ctx, value, frozenset()) for value in values)

    def _values_before(self, name: str) -> list[cst.BaseExpression]:
        """Return the expressions that the function assigns to a variable before the branch."""
        ctx = self._ctx
        function = ctx.tree.enclosing(self._branch, cst.FunctionDef)
        target = match.Assign(targets=[match.AssignTarget(match.Name(name))])
        found = [] if function is None else match.findall(function, target)
        start = ctx.tree.bounds(self._branch)[0]
        return [each.value for each in found if isinstance(each, cst.Assign) and ctx.tree.bounds(each)[0] < start]

    def _can_pick_for(self, target: str, one: Value | None, other: Value | None) -> bool:
        """Return whether one of two values can be picked for ``target``.

        Two integers are possible only if all later uses are in tensor arithmetic.
        """
        return same_kind(one, other) or (is_int(one) and is_int(other) and self._is_used_with_tensors(target))

    def _is_used_with_tensors(self, name: str) -> bool:
        """Return whether all uses of the number after the branch are in tensor arithmetic."""
        ctx, branch = self._ctx, self._branch
        function = ctx.tree.enclosing(branch, cst.FunctionDef)
        loop = ctx.tree.enclosing(branch, cst.For) or ctx.tree.enclosing(branch, cst.While)
        if function is None or loop is not None or not name.isidentifier():
            return False
        uses = [n for n in match.findall(function, match.Name(name)) if isinstance(n, cst.Name)]
        uses_after = [n for n in uses if ctx.tree.bounds(n)[0] >= ctx.tree.bounds(branch)[1]]
        consumers = [consumer_of(ctx, n, ScalarRead(n, "int", True, False)) for n in uses_after]
        is_temporary = all(
            ctx.tree.enclosing(n, cst.FunctionDef) is function and not ctx.tree.enclosing(n, cst.Lambda) for n in uses
        )
        return (
            bool(consumers)
            and is_temporary
            and all(consumer is not None and not consumer.replace for consumer in consumers)
        )


def orelse_lines(ctx: FixContext, other: cst.If | cst.Else | None) -> list[str] | None:
    """Return the lines of an ``else`` or ``elif``; None if they are too long to be repeated."""
    if other is None:
        return []
    lines = _block(ctx, other.body) if len(other.body.body) <= 2 else None
    rest = orelse_lines(ctx, other.orelse) if isinstance(other, cst.If) else []
    head = f"elif {ctx.code(other.test)}:" if isinstance(other, cst.If) else "else:"
    return None if lines is None or rest is None else [head, *lines, *rest]


def _block(ctx: FixContext, suite: cst.BaseSuite) -> list[str] | None:
    """Return the lines of a block of simple statements, indented; None for other blocks."""
    if not all(isinstance(line, cst.SimpleStatementLine) for line in suite.body):
        return None
    return [f"    {ctx.code(small)}" for line in suite.body for small in getattr(line, "body", ())]


def _mentioned(ctx: FixContext, node: cst.BaseExpression) -> frozenset[str]:
    """Return the variables, and attributes of variables, that occur in ``node``."""
    return frozenset(map(ctx.code, match.findall(node, match.Name() | match.Attribute() | match.Subscript())))


def operator_text(small: cst.Assign | cst.AugAssign) -> str:
    """Return the operator of an assignment with the spaces around it."""
    if isinstance(small, cst.Assign):
        return " = "
    return cst.Module([]).code_for_node(small.operator)
