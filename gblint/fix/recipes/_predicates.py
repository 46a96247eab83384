"""Conditions on tensor values, as expressions for tensors with one truth value."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext
from gblint.fix.imports import Import
from gblint.fix.recipes._build import called_name, operand_text, operands, primary_text
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import computes_tensor, is_bool_tensor, is_number, is_tensor, is_zero_dim, may_be_tensor
from gblint.fix.recipes.numbers import ScalarRead, scalar_read
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import Const, Scalar, Value, members


@dataclass(frozen=True, slots=True)
class Predicate:
    """The text of a condition that is a tensor without dimensions; ``negated``: the condition is its opposite."""

    text: str
    negated: bool
    torch: str
    imports: tuple[Import, ...]

    @property
    def true_text(self) -> str:
        """The text of a tensor that is true where the condition holds."""
        return f"{self.torch}.logical_not({self.text})" if self.negated else self.text

    def pick(self, if_true: str, if_false: str) -> str:
        """Return the text of the ``torch.where`` call that picks one of two values."""
        one, other = (if_false, if_true) if self.negated else (if_true, if_false)
        return f"{self.torch}.where({self.text}, {one}, {other})"

    def in_variable(self, name: str) -> Predicate:
        """Return the predicate for the condition stored in the variable ``name``."""
        return Predicate(name, False, self.torch, self.imports)


@dataclass(frozen=True, slots=True)
class GuardedPredicate:
    """A condition after operands that Python decides: ``before and condition``."""

    before: tuple[str, ...]
    condition: Predicate

    @property
    def guard(self) -> str:
        """The operands that Python decides, as one expression."""
        return " and ".join(self.before)


def scalar_predicate(ctx: FixContext, node: cst.BaseExpression) -> Predicate | None:
    """Return the predicate of ``node``; None if it is not one truth value of a tensor, or not repeatable."""
    negated = False
    while isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        node, negated = node.expression, not negated
    torch, imports = ctx.module_reference("torch")
    found = truth_tensor(ctx, node, torch)
    return None if found is None else Predicate(found.text, negated, torch, imports)


def guarded_predicate(ctx: FixContext, test: cst.BaseExpression) -> GuardedPredicate | None:
    """Split ``test`` into the leading operands that Python decides, and the rest that tensors decide."""
    parts = operands(test, cst.And)
    before: list[str] = []
    for number, part in enumerate(parts):
        if may_be_tensor(ctx, part) or reads_tensor(ctx, part) or _compares_random(ctx, part):
            tensor_operands = parts[number:]
            break
        before.append(operand_text(ctx, part))
    else:
        return None
    if len(tensor_operands) == 1:
        condition = scalar_predicate(ctx, tensor_operands[0])
        return None if condition is None else GuardedPredicate(tuple(before), condition)
    torch, imports = ctx.module_reference("torch")
    found = [truth_tensor(ctx, part, torch) for part in tensor_operands]
    truths = [each for each in found if each is not None]
    # A draw after another operand happens only if that operand is true.
    if len(truths) < len(found) or any(each.random for each in truths[1:]):
        return None
    joined = " & ".join(parenthesized(each.text) for each in truths)
    return GuardedPredicate(tuple(before), Predicate(joined, False, torch, imports))


@dataclass(frozen=True, slots=True)
class Truth:
    """A tensor with one truth value.

    It is ``exact`` unless it is computed in lower precision than Python numbers, and ``random`` if it compares a
    random number.
    """

    text: str
    exact: bool = True
    random: bool = False


def _compares_state(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` asks whether two tensors that ``self`` holds are equal.

    Such tensors are often sizes, and then the side that is not taken raises an error.
    """
    if not isinstance(node, cst.Comparison) or len(node.comparisons) != 1:
        return False
    target = node.comparisons[0]
    held = match.Attribute(match.Name("self"))
    equal = isinstance(target.operator, (cst.Equal, cst.NotEqual))
    return equal and match.matches(node.left, held) and match.matches(target.comparator, held)


def truth_tensor(ctx: FixContext, node: cst.BaseExpression, torch: str) -> Truth | None:
    """Return the tensor that holds the truth value of ``node``; None if there is none."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        inner = truth_tensor(ctx, node.expression, torch)
        return None if inner is None else Truth(f"~{parenthesized(inner.text)}", inner.exact, inner.random)
    if isinstance(node, cst.BooleanOperation):
        left, right = (truth_tensor(ctx, side, torch) for side in (node.left, node.right))
        sign = "&" if isinstance(node.operator, cst.And) else "|"
        if left is None or right is None or right.random:
            return None
        return Truth(
            f"{parenthesized(left.text)} {sign} {parenthesized(right.text)}", left.exact and right.exact, left.random
        )
    if isinstance(node, cst.Call) and match.matches(node, match.Call(match.Name("bool"), args=[match.Arg()])):
        return truth_tensor(ctx, node.args[0].value, torch)
    read = scalar_read(ctx, node)
    if read is not None:
        return truth_tensor(ctx, read.tensor, torch)
    if isinstance(node, cst.Comparison):
        if _compares_state(ctx, node):
            return None
        if len(node.comparisons) > 1:
            return _chained_comparison(ctx, node)
        if _compares_random(ctx, node):
            return _random_comparison(ctx, node, torch)
        compared = _number_comparison(ctx, node)
        if compared is not None:
            return compared
    value = ctx.value(node)
    if not computes_tensor(ctx, node) or not is_pure(ctx, node):
        return None
    text = ctx.code(node) if is_bool_tensor(value) else f"{primary_text(ctx.tree, node)} != 0"
    return Truth(text if is_zero_dim(value) else f"{parenthesized(text)}.all()")


def reads_tensor(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` reads Python numbers from tensors."""
    return any(isinstance(call, cst.Call) and _is_read(ctx, call) for call in match.findall(node, match.Call()))


def _is_read(ctx: FixContext, call: cst.Call) -> bool:
    """Return whether a call makes a Python number or bool from a tensor."""
    if match.matches(call, match.Call(match.Name("bool"), args=[match.Arg()])):
        return is_tensor(ctx.value(call.args[0].value))
    return scalar_read(ctx, call) is not None


def _number_comparison(ctx: FixContext, node: cst.Comparison) -> Truth | None:
    """Return ``t < n`` for ``t.item() < n``."""
    target = node.comparisons[0]
    if isinstance(target.operator, (cst.Is, cst.IsNot, cst.In, cst.NotIn)):
        return None
    sides = (node.left, target.comparator)
    reads = [scalar_read(ctx, side) for side in sides]
    if not any(reads):
        return None
    texts, single = [], True
    for side, read in zip(sides, reads):
        part = side if read is None else read.tensor
        if not is_pure(ctx, part) or not (read or is_number(ctx.value(side)) or is_tensor(ctx.value(side))):
            return None
        single &= read is None or read.zero_dim
        texts.append(primary_text(ctx.tree, part))
    sign = cst.Module([]).code_for_node(target.operator).strip()
    text = f"{texts[0]} {sign} {texts[1]}"
    exact = all(_is_integer(ctx, side, read) for side, read in zip(sides, reads))
    return Truth(text if single else f"({text}).all()", exact)


def _is_integer(ctx: FixContext, side: cst.BaseExpression, read: ScalarRead | None) -> bool:
    """Return whether one side of a comparison is an integer."""
    if read is not None:
        return read.dtype in ("int", "bool")
    value = ctx.value(side)
    return value is not None and all(
        (isinstance(v, Const) and type(v.value) in (int, bool)) or (isinstance(v, Scalar) and v.kind in ("int", "bool"))
        for v in members(value)
    )


def _random_comparison(ctx: FixContext, node: cst.Comparison, torch: str) -> Truth | None:
    """Return the comparison for ``p < c`` with a random number ``p``, which the graph can fill a tensor with."""
    target = node.comparisons[0]
    drawn = node.left.value if isinstance(node.left, cst.Name) else replayable_draw(ctx, node.left)
    if drawn is None or not is_number(ctx.value(target.comparator)):
        return None
    sign = cst.Module([]).code_for_node(target.operator).strip()
    filled = f"{torch}.full((), {drawn}, dtype={torch}.float64)"
    return Truth(f"{filled} {sign} {primary_text(ctx.tree, target.comparator)}", random=True)


def replayable_draw(ctx: FixContext, call: cst.BaseExpression) -> str | None:
    """Return the text of ``random.random()`` or ``random.uniform(a, b)`` as a call that Dynamo replays.

    Dynamo draws the same number in the compiled run.
    """
    name = called_name(ctx, call)
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return None
    if name == "random.uniform" and is_pure(ctx, cst.Tuple([cst.Element(arg.value) for arg in call.args])):
        return ctx.code(call)
    return f"{ctx.code(call.func.value)}.uniform(0.0, 1.0)" if name == "random.random" and not call.args else None


def _compares_random(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether ``node`` compares a random number."""
    if isinstance(node, cst.Comparison) and called_name(ctx, node.left) in ("random.random", "random.uniform"):
        return True
    return _is_random(ctx.value(node))


def _is_random(value: Value | None) -> bool:
    """Return whether a value is a random number."""
    return value is not None and any(isinstance(v, Scalar) and v.origin == "random" for v in members(value))


def _chained_comparison(ctx: FixContext, node: cst.Comparison) -> Truth | None:
    """Return ``(a < b) & (b < c)`` for ``a < b < c``."""
    left, parts, single = node.left, [], True
    if not is_pure(ctx, node):
        return None
    for target in node.comparisons:
        if isinstance(target.operator, (cst.Is, cst.IsNot, cst.In, cst.NotIn)):
            return None
        sides = [ctx.value(left), ctx.value(target.comparator)]
        tensors = [value for value in sides if is_tensor(value)]
        if not tensors or not all(is_tensor(value) or is_number(value) for value in sides):
            return None
        single &= all(is_zero_dim(value) for value in tensors)
        sign = cst.Module([]).code_for_node(target.operator).strip()
        parts.append(f"({primary_text(ctx.tree, left)} {sign} {primary_text(ctx.tree, target.comparator)})")
        left = target.comparator
    text = " & ".join(parts)
    return Truth(text if single else f"({text}).all()")


def parenthesized(text: str) -> str:
    """Return ``text``, in parentheses unless it binds more tightly than binary operators."""
    node = cst.parse_expression(text)
    primaries = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.UnaryOperation)
    return text if node.lpar or isinstance(node, primaries) else f"({text})"
