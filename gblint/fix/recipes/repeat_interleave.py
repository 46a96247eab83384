"""``repeat_interleave`` whose result has a known length: the sum of Python numbers, or the size of another operand."""

from __future__ import annotations

import libcst as cst

from gblint.diagnostics.fix import Applicability
from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.names import NameUses
from gblint.fix.recipes._build import EXITS, bind_arguments, called_name, lines_after, own_line
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import is_int, is_number_sequence, is_tensor
from gblint.runtime.quiet_parse import parse_module
from gblint.values.base import Const, Scalar, Tensor, Value, members
from gblint.values.containers import Seq


def add_output_size(ctx: FixContext) -> Rewrite | None:
    """Add ``output_size=sum(counts)`` to ``x.repeat_interleave(torch.tensor(counts))``.

    Precondition: the counts are integers that are not negative, and can be evaluated twice. Safe if all are known and
    there are at least two, as torch computes the same size itself. Else unsafe: torch repeats every element by a single
    count, and does not check the size that it gets, so that a negative count would write outside of the result.
    """
    arguments = _arguments(ctx)
    counts = None if arguments is None else arguments.get("repeats")
    listed = _listed(ctx, counts)
    if listed is None:
        return None
    applicability: Applicability = "safe" if _are_several(ctx.value(listed)) else "unsafe"
    call = _with_size(cst.ensure_type(ctx.node, cst.Call), f"sum({ctx.code(listed)})")
    return Rewrite("pass `output_size=`, the length of the result", applicability, {ctx.node: call})


def take_size_of_operand(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``x - m.repeat_interleave(n, dim=0)`` to ``x - m.repeat_interleave(n, dim=0, output_size=x.shape[0])``.

    The result may be a variable, and the operator in one of the next statements. Preconditions: the operator is always
    evaluated, and ``x`` is the same tensor until then; the ranks of both are equal, or the sum or difference is the new
    ``x``, where the dimension is counted from the end. Unsafe: where ``x`` has another size, which torch may broadcast,
    or a count is negative, the call raises or writes outside of its result.
    """
    arguments, call = _arguments(ctx), ctx.node
    if arguments is None or not isinstance(call, cst.Call) or not is_tensor(ctx.value(arguments["repeats"])):
        return None
    repeated = arguments.get("input") or cst.ensure_type(call.func, cst.Attribute).value
    place = ctx.value(arguments["dim"]) if "dim" in arguments else Const(0)
    other = _always_combined(ctx, call)
    if other is None or not isinstance(place, Const) or type(place.value) is not int:
        return None
    rank, other_rank = _rank(ctx.value(repeated)) if "dim" in arguments else 1, _rank(ctx.value(other))
    if rank and rank == other_rank:
        size = f"{other.value}.shape[{place.value}]"
    elif other_rank == 0 or (rank is not None and other_rank is not None) or not _is_changed_by(ctx, other):
        return None
    elif place.value < 0 or "dim" not in arguments:
        size = f"{other.value}.shape[{min(place.value, -1)}]"
    elif isinstance(repeated, cst.Name):
        size = f"{other.value}.shape[{f'{place.value} - ' if place.value else '-'}{repeated.value}.dim()]"
    else:
        return None
    title = "pass `output_size=`, the size of the other operand; torch does not check for negative counts then"
    return Rewrite(title, "unsafe", {call: _with_size(call, size)})


def _rank(value: Value | None) -> int | None:
    """Return the number of dimensions of a tensor if it is known."""
    ranks = {v.rank if isinstance(v, Tensor) else None for v in members(value)} if value is not None else {None}
    return ranks.pop() if len(ranks) == 1 else None


def _always_combined(ctx: FixContext, call: cst.Call) -> cst.Name | None:
    """Return the variable with which an operator always combines the result of ``call``."""
    assign, line = ctx.tree.parent(call), own_line(ctx)
    if not isinstance(assign, cst.Assign):
        return _operand_of(ctx, call)
    target = assign.targets[0].target
    if line is None or len(assign.targets) != 1 or not isinstance(target, cst.Name):
        return None
    assigned = set[str]()
    for each in lines_after(ctx, line) or ():
        if not isinstance(each, cst.SimpleStatementLine):
            return None
        for use in match.findall(each, match.Name(target.value)):
            other = _operand_of(ctx, use) if isinstance(use, cst.Name) else None
            if other is not None:
                return None if assigned & {target.value, other.value} else other
        if match.findall(each, EXITS | match.Raise()):
            return None
        assigned |= NameUses.of(parse_module(ctx.code(each)).body).assigned
    return None


def _operand_of(ctx: FixContext, node: cst.BaseExpression) -> cst.Name | None:
    """Return the variable with which an operator combines ``node`` elementwise."""
    parent = ctx.tree.parent(node)
    other: cst.BaseExpression | None = None
    if isinstance(parent, cst.BinaryOperation) and not isinstance(parent.operator, cst.MatrixMultiply):
        other = parent.right if parent.left is node else parent.left
    elif isinstance(parent, cst.AugAssign) and parent.value is node:
        other = parent.target
    if not isinstance(other, cst.Name) or not is_tensor(ctx.value(other)) or _may_be_skipped(ctx, node):
        return None
    return other


def _is_changed_by(ctx: FixContext, other: cst.Name) -> bool:
    """Return whether a variable is assigned its sum or difference with what it is combined with."""
    operation = ctx.tree.parent(other)
    if isinstance(operation, cst.AugAssign):
        return isinstance(operation.operator, (cst.AddAssign, cst.SubtractAssign))
    assign = None if operation is None else ctx.tree.parent(operation)
    if not isinstance(operation, cst.BinaryOperation) or not isinstance(operation.operator, (cst.Add, cst.Subtract)):
        return False
    return isinstance(assign, cst.Assign) and match.matches(assign.targets[0].target, match.Name(other.value))


def _may_be_skipped(ctx: FixContext, node: cst.CSTNode) -> bool:
    """Return whether a part of a statement may not be evaluated."""
    for outer in ctx.tree.ancestors(node):
        if isinstance(outer, (cst.IfExp, cst.BooleanOperation, cst.Lambda, cst.BaseComp)):
            return True
        if isinstance(outer, cst.SimpleStatementLine):
            return False
    return True


def _arguments(ctx: FixContext) -> dict[str, cst.BaseExpression] | None:
    """Return the arguments of the call of ``repeat_interleave`` if it gets counts and no size."""
    call, name = ctx.node, called_name(ctx)
    if not isinstance(call, cst.Call):
        return None
    names = ["repeats", "dim", "output_size"]
    if name in ("torch.repeat_interleave", "torch.functional.repeat_interleave"):
        names.insert(0, "input")
    elif not isinstance(call.func, cst.Attribute) or call.func.attr.value != "repeat_interleave":
        return None
    arguments = bind_arguments(call, names)
    return None if arguments is None or "output_size" in arguments or "repeats" not in arguments else arguments


def _with_size(call: cst.Call, size: str) -> cst.Call:
    """Return the call with ``output_size=``, in the style of its other arguments."""
    last = call.args[-1]
    new = cst.ensure_type(cst.parse_expression(f"f(output_size={size})"), cst.Call).args[0]
    comma = call.args[0].comma if len(call.args) > 1 else cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    args = [*call.args[:-1], last.with_changes(comma=comma), new.with_changes(comma=last.comma)]
    after = last.whitespace_after_arg
    if not isinstance(after, cst.SimpleWhitespace):
        args[-2] = args[-2].with_changes(whitespace_after_arg=cst.SimpleWhitespace(""))
        args[-1] = args[-1].with_changes(whitespace_after_arg=after)
    return call.with_changes(args=args)


def _are_several(value: Value | None) -> bool:
    """Return whether a list certainly has two known elements or more."""
    return value is not None and all(
        isinstance(v, Seq) and len(v.items or ()) > 1 and all(isinstance(each, Const) for each in v.items or ())
        for v in members(value)
    )


def _is_no_negative(value: Value) -> bool:
    """Return whether a value is a size, or a known integer that is not negative."""
    return all(
        v.origin == "size" if isinstance(v, Scalar) else isinstance(v, Const) and v.value >= 0  # type: ignore[operator]
        for v in members(value)
    )


def _listed(ctx: FixContext, counts: cst.BaseExpression | None) -> cst.BaseExpression | None:
    """Return the list of integers from which the tensor of counts is made in the call."""
    if not isinstance(counts, cst.Call) or called_name(ctx, counts) != "torch.tensor" or not counts.args:
        return None
    listed = counts.args[0].value
    plain = isinstance(listed, (cst.Name, cst.Attribute, cst.List, cst.Tuple))
    value = ctx.value(listed)
    if not plain or counts.args[0].star or not is_pure(ctx, listed) or not is_number_sequence(value) or value is None:
        return None
    rows = [v for v in members(value) if isinstance(v, Seq)]
    if any(v.items is not None and len(v.items) == 1 for v in rows):
        return None
    counts_found = [each for v in rows for each in ([v.rest] if v.items is None else v.items)]
    return listed if all(is_int(each) and _is_no_negative(each) for each in counts_found) else None
