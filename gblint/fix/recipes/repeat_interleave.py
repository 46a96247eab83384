"""``repeat_interleave`` by counts that are Python numbers: the length of the result is their sum."""

from __future__ import annotations

import libcst as cst

from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import bind_arguments, called_name
from gblint.fix.recipes._values import is_number_sequence


def with_output_size(ctx: FixContext) -> Rewrite | None:
    """Add ``output_size=sum(counts)`` to ``x.repeat_interleave(torch.tensor(counts))``.

    Safe: torch computes the same size itself.
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
    return Rewrite("say how long the result is", "safe", {call: call.with_changes(args=args)})


def _listed(ctx: FixContext, counts: cst.BaseExpression | None) -> cst.BaseExpression | None:
    """Return the list of numbers from which the tensor of counts is made in the call."""
    if not isinstance(counts, cst.Call) or called_name(ctx, counts) != "torch.tensor" or not counts.args:
        return None
    listed = counts.args[0].value
    plain = isinstance(listed, (cst.Name, cst.Attribute, cst.List, cst.Tuple))
    return listed if plain and not counts.args[0].star and is_number_sequence(ctx.value(listed)) else None
