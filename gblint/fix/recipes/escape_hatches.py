"""Ways out that leave the code as it is: it becomes a function of its own that Dynamo does not look into."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from gblint.diagnostics.fix import Applicability
from gblint.fix.context import FixContext, TextRewrite
from gblint.fix.recipes._extract_function import (
    ExtractableRun,
    FunctionInput,
    extractable_expression,
    extractable_statement,
    function_name,
)
from gblint.fix.recipes._values import is_tensor
from gblint.values.base import Const, Scalar, Tensor, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import is_module

_DTYPES = {"bool": "bool", "int": "int64", "uint8": "uint8"}
_SCALARS = {"int": "int", "float": "float", "bool": "bool", "str": "str"}


def leaf(ctx: FixContext) -> TextRewrite | None:
    """The code as a ``leaf_function``, which the graph calls as it is, with its fake."""
    piece = extractable_expression(ctx) or _without_result(ctx) if ctx.supports_leaf_functions() else None
    if piece is None or not _takes(piece, modules=True) or not has_no_in_place_call(piece.body):
        return None
    torch, imports = ctx.module_reference("torch")
    name = function_name(ctx)
    fake = _fake(piece, torch)
    if imports or name is None or fake is None:
        return None
    parameters = _parameters(piece.inputs, torch)
    returns = f"{torch}.Tensor" if piece.is_expression else "None"
    title = "keep it in the graph as a `leaf_function`, which inductor cannot compile"
    title += ": say what it returns" if piece.is_expression else ""
    lines = [
        f"@{torch}._dynamo.decorators.leaf_function",
        f"def {name}({parameters}) -> {returns}:",
        *_indented(piece.lines()),
        "",
        "",
        f"@{name}.register_fake",
        f"def {name}_fake({parameters}) -> {returns}:",
        *_indented(fake),
    ]
    return _patched(ctx, piece, name, lines, title)


def nonstrict(ctx: FixContext) -> TextRewrite | None:
    """The code as a ``nonstrict_trace`` function: AOTAutograd traces through it, Dynamo does not."""
    piece = extractable_expression(ctx) or _with_tensors(ctx)
    if piece is None or not _takes(piece, modules=True) or not has_no_in_place_call(piece.body):
        return None
    torch, imports = ctx.module_reference("torch")
    name = function_name(ctx)
    if imports or name is None:
        return None
    returns = f" -> {torch}.Tensor" if piece.is_expression else ""
    lines = [
        f"@{torch}._dynamo.nonstrict_trace",
        f"def {name}({_parameters(piece.inputs, torch)}){returns}:",
        *_indented(piece.lines()),
    ]
    return _patched(ctx, piece, name, lines, "let AOTAutograd trace it with `nonstrict_trace`")


def custom_op(ctx: FixContext) -> TextRewrite | None:
    """The code as a custom operator, with its fake."""
    piece = extractable_expression(ctx)
    if (
        piece is None
        or not piece.is_expression
        or not _takes(piece, modules=False)
        or not has_no_in_place_call(piece.body)
    ):
        return None
    torch, imports = ctx.module_reference("torch")
    name = function_name(ctx)
    fake = _fake(piece, torch)
    kinds = [annotation(each.value, torch) for each in piece.inputs]
    if imports or name is None or fake is None or any(kind is None or "|" in kind for kind in kinds):
        return None
    parameters = _parameters(piece.inputs, torch)
    space = "".join(c if c.isalnum() else "_" for c in ctx.tree.path.rpartition("/")[2].removesuffix(".py"))
    if any(isinstance(v, Tensor) and v.history for each in piece.inputs for v in members(each.value or Const(None))):
        return None
    needs = any(is_tensor(each.value) and _may_need_gradient(each.value) for each in piece.inputs)
    gradient = [f"# It has no gradient: give it one with `{name}.register_autograd`."] if needs else []
    lines = [
        *gradient,
        f'@{torch}.library.custom_op("{space}::{name.strip("_")}", mutates_args=())',
        f"def {name}({parameters}) -> {torch}.Tensor:",
        *_indented(piece.lines()),
        "",
        "",
        f"@{name}.register_fake",
        f"def {name}_fake({parameters}) -> {torch}.Tensor:",
        *_indented(fake),
    ]
    return _patched(ctx, piece, name, lines, "make it an operator with `torch.library.custom_op`: say what it returns")


def disabled(ctx: FixContext) -> TextRewrite | None:
    """The statement, and the loop around it, behind one call of a function that is not compiled."""
    return _disabled(ctx, "display")


def moved_out(ctx: FixContext) -> TextRewrite | None:
    """As ``disabled``, where one break takes the place of worse: in a loop, a ``try`` or a ``with``."""
    worse = ctx.finding.consequence is not None and ctx.finding.consequence.outcome != "resumes"
    return _disabled(ctx, "unsafe") if worse else None


def recorded(ctx: FixContext) -> TextRewrite | None:
    """A statement that only leaves something outside, as a ``leaf_function``, which needs no more than a name."""
    piece = _without_result(ctx)
    if piece is None or extractable_expression(ctx) is not None:
        return None
    found = leaf(ctx)
    return None if found is None else TextRewrite(found.title, ctx.opt_in_applicability("recorded"), found.edits)


def allowed(ctx: FixContext) -> TextRewrite | None:
    """The statement under ``error_on_graph_break(False)``, where a break raises."""
    said = ctx.finding.raised_by
    piece = extractable_statement(ctx, widest=False)
    torch, imports = ctx.module_reference("torch")
    if said is None or said.option != "error_on_graph_break" or piece is None or imports:
        return None
    place = ctx.tree.offsets.position(piece.start)
    margin = " " * (place[1] - 1)
    text = ctx.tree.text[piece.start : piece.end]
    inner = [("    " + line if line.strip() else line) for line in (margin + text).splitlines()]
    new = "\n".join([f"with {torch}._dynamo.error_on_graph_break(False):", *inner])
    title = "allow this break with `error_on_graph_break(False)`"
    return TextRewrite(title, "display", [(piece.start, piece.end, _with_newlines(ctx, new))])


def _disabled(ctx: FixContext, how: Applicability) -> TextRewrite | None:
    piece = extractable_statement(ctx, widest=True) or extractable_statement(ctx, widest=False)
    torch, imports = ctx.module_reference("torch")
    name = function_name(ctx)
    if piece is None or imports or name is None:
        return None
    lines = [
        f"@{torch}.compiler.disable",
        f"def {name}({_parameters(piece.inputs, torch)}):",
        *_indented(piece.lines()),
    ]
    if not piece.returns and not piece.outputs:
        lines[1] = lines[1].removesuffix(":") + " -> None:"
    return _patched(ctx, piece, name, lines, "move it behind a function with `torch.compiler.disable`", how)


def _patched(
    ctx: FixContext, piece: ExtractableRun, name: str, lines: Sequence[str], title: str, how: Applicability = "display"
) -> TextRewrite:
    """The function put before what the site stands in, and its call put where the code was."""
    return TextRewrite(title, how, [insertion_before(ctx, lines), (piece.start, piece.end, piece.call(name))])


def insertion_before(ctx: FixContext, lines: Sequence[str], top: cst.CSTNode | None = None) -> tuple[int, int, str]:
    """The part of a patch that puts ``lines`` before ``top``, or what the site stands in at the top of the file."""
    at = _before(ctx, top)
    return at, at, _with_newlines(ctx, "\n".join([*lines, "", "", ""]))


def _before(ctx: FixContext, top: cst.CSTNode | None) -> int:
    """Where the statement at the top of the file begins that the site stands in, with the comments above it."""
    if top is None:
        *_, top, _ = [ctx.node, *ctx.tree.ancestors(ctx.node)]
    first = top.decorators[0] if isinstance(top, (cst.FunctionDef, cst.ClassDef)) and top.decorators else top
    line = ctx.tree.offsets.position(ctx.tree.bounds(first)[0])[0]
    lines = ctx.tree.offsets.lines
    while line > 1 and lines[line - 2].startswith("#"):
        line -= 1
    return ctx.tree.offsets.offset(line, 1)


def _with_newlines(ctx: FixContext, text: str) -> str:
    newline = ctx.tree.module.default_newline
    return text if newline == "\n" else text.replace("\n", newline)


def _indented(lines: Sequence[str]) -> list[str]:
    return ["    " + line if line else line for line in lines]


def _without_result(ctx: FixContext) -> ExtractableRun | None:
    """The statement, if it leaves nothing behind in the function."""
    piece = extractable_statement(ctx, widest=False)
    return piece if piece is not None and not piece.outputs and not piece.returns else None


def _with_tensors(ctx: FixContext) -> ExtractableRun | None:
    """The widest statement, if all that it leaves behind are tensors."""
    piece = extractable_statement(ctx, widest=True)
    if piece is None or piece.returns or not piece.outputs:
        return None
    return piece if all(is_tensor(_left(ctx, name)) for name in piece.outputs) else None


def _left(ctx: FixContext, name: str) -> Value | None:
    """What a variable is behind the site."""
    end = ctx.tree.bounds(ctx.statement)[1]
    after = [
        (place, value)
        for place, value in ctx.values.items()
        if place[0] > end and ctx.tree.text[place[0] : place[1]] == name
    ]
    return min(after, key=lambda each: each[0])[1] if after else None


def _takes(piece: ExtractableRun, *, modules: bool) -> bool:
    """Whether all that is given are tensors, numbers, texts and containers of them, or modules."""
    return all(is_plain(each.value, modules) for each in piece.inputs) and any(
        is_tensor(each.value) for each in piece.inputs
    )


def is_plain(value: Value | None, modules: bool) -> bool:
    """Whether a value is a tensor, a number, a text or a container of them, or a module where these are let in."""
    if value is None:
        return False
    return all(_is_plain_one(each, modules) for each in members(value))


def _is_plain_one(value: Value, modules: bool) -> bool:
    if isinstance(value, Tensor):
        return not value.ndarray and not value.layout
    if isinstance(value, Const):
        return value.value is None or isinstance(value.value, (bool, int, float, str))
    if isinstance(value, Scalar):
        return value.origin in ("python", "size")
    if isinstance(value, Seq):
        return value.cls in ("list", "tuple") and all(is_plain(v, modules) for v in value.items or (value.rest,))
    if isinstance(value, Mapping):
        return value.cls == "dict" and all(is_plain(v, modules) for _, v in value.entries)
    return modules and is_module(value)


def has_no_in_place_call(text: str) -> bool:
    """Whether no operator in place is in it, as far as names tell."""
    return re.search(r"\w_\(|\]\s*[-+*/]?=[^=]|\.(append|extend|pop|update|insert|clear)\(", text) is None


def _parameters(given: Sequence[FunctionInput], torch: str) -> str:
    parts = []
    for each in given:
        kind = annotation(each.value, torch)
        parts.append(f"{each.parameter}: {kind}" if kind else each.parameter)
    return ", ".join(parts)


def annotation(value: Value | None, torch: str) -> str | None:
    """The annotation for a value; None where there is no short one."""
    if value is None:
        return None
    kinds = {_kind_of(each, torch) for each in members(value)}
    return kinds.pop() if len(kinds) == 1 else None


def _kind_of(value: Value, torch: str) -> str | None:
    if isinstance(value, Tensor):
        return None if value.ndarray else f"{torch}.Tensor"
    if isinstance(value, Const):
        return _SCALARS.get(type(value.value).__name__)
    if isinstance(value, Scalar):
        return _SCALARS.get(value.kind)
    if is_module(value):
        return f"{torch}.nn.Module"
    return None


def _may_need_gradient(value: Value | None) -> bool:
    return value is not None and any(
        isinstance(v, Tensor) and v.requires_grad is not False and v.dtype in (None, "float", "complex")
        for v in members(value)
    )


def _fake(piece: ExtractableRun, torch: str) -> list[str] | None:
    """The body of the fake: a tensor like the result, as far as that is known; None where nothing is."""
    if not piece.is_expression:
        return ["return None"]
    results = list(members(piece.result)) if piece.result is not None else []
    tensors = [each for each in piece.inputs if is_tensor(each.value)]
    if not results or not tensors:
        return None
    model = tensors[0]
    kinds = {(v.rank, v.dtype) for v in results if isinstance(v, Tensor)}
    own = {(v.rank, v.dtype) for v in members(model.value) if isinstance(v, Tensor)} if model.value else set()
    if len(kinds) != 1 or len(own) != 1:
        return None
    (rank, dtype), (had, family) = kinds.pop(), own.pop()
    extra = f", dtype={torch}.{_DTYPES[dtype]}" if dtype in _DTYPES and dtype != family else ""
    if rank == 0 and had != 0:
        made = f"{model.parameter}.new_empty((){extra})"
    elif rank is None or had is None or rank == had:
        made = f"{torch}.empty_like({model.parameter}{extra})"
    else:
        return None
    return ["# The shape, dtype and device of what the function returns: correct them.", f"return {made}"]
