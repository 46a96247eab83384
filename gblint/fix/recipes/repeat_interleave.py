"""``repeat_interleave`` by counts that are Python numbers: the length of the result is their sum."""

from __future__ import annotations

import libcst as cst

from gblint.diagnostics.fix import Applicability
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import bind_arguments, called_name
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import is_int, is_number_sequence
from gblint.values.base import Const, Scalar, Value, members
from gblint.values.containers import Seq


def add_output_size(ctx: FixContext) -> Rewrite | None:
    """Add ``output_size=sum(counts)`` to ``x.repeat_interleave(torch.tensor(counts))``.

    Precondition: the counts are integers that are not negative, and can be evaluated twice. Safe if all are known and
    there are at least two, as torch computes the same size itself. Else unsafe: torch repeats every element by a single
    count, and does not check the size that it gets, so that a negative count would write outside of the result.
    """
    call, name = ctx.node, called_name(ctx)
    if not isinstance(call, cst.Call):
        return None
    names = ["repeats", "dim", "output_size"]
    if name in ("torch.repeat_interleave", "torch.functional.repeat_interleave"):
        names.insert(0, "input")
    elif not isinstance(call.func, cst.Attribute) or call.func.attr.value != "repeat_interleave":
        return None
    arguments = bind_arguments(call, names)
    counts = None if arguments is None or "output_size" in arguments else arguments.get("repeats")
    listed = _listed(ctx, counts)
    if listed is None:
        return None
    last = call.args[-1]
    new = cst.ensure_type(cst.parse_expression(f"f(output_size=sum({ctx.code(listed)}))"), cst.Call).args[0]
    comma = call.args[0].comma if len(call.args) > 1 else cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    args = [*call.args[:-1], last.with_changes(comma=comma), new.with_changes(comma=last.comma)]
    after = last.whitespace_after_arg
    if not isinstance(after, cst.SimpleWhitespace):
        args[-2] = args[-2].with_changes(whitespace_after_arg=cst.SimpleWhitespace(""))
        args[-1] = args[-1].with_changes(whitespace_after_arg=after)
    applicability: Applicability = "safe" if _are_several(ctx.value(listed)) else "unsafe"
    return Rewrite("pass `output_size=`, the length of the result", applicability, {call: call.with_changes(args=args)})


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
