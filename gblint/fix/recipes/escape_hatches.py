"""Escape hatches: the code stays as it is and becomes a function that Dynamo does not trace into."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from gblint.diagnostics.fix import Applicability
from gblint.fix.context import FixContext, TextRewrite
from gblint.fix.recipes._build import operator_namespace
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
from gblint.values.objects import is_nn_module

_DTYPES = {"bool": "bool", "int": "int64", "uint8": "uint8"}
_SCALARS = {"int": "int", "float": "float", "bool": "bool", "str": "str"}


def move_to_leaf_function(ctx: FixContext) -> TextRewrite | None:
    """Move the code to a ``leaf_function`` with a fake, which the graph calls.

    Preconditions: the inputs are tensors, numbers, strings, containers of them or modules, and nothing is changed in
    place. Only displayed: the fake has to be corrected.
    """
    code = extractable_expression(ctx) or _without_result(ctx) if ctx.supports_leaf_functions() else None
    if code is None or not _has_plain_inputs(code, modules=True) or not has_no_in_place_call(code.body):
        return None
    torch, imports = ctx.module_reference("torch")
    name = function_name(ctx)
    fake = _fake(code, torch)
    if imports or name is None or fake is None:
        return None
    parameters = _parameters(code.inputs, torch)
    returns = f"{torch}.Tensor" if code.is_expression else "None"
    title = "move the code to a `leaf_function`, which inductor cannot compile"
    title += ": complete its fake implementation" if code.is_expression else ""
    lines = [
        f"@{torch}._dynamo.decorators.leaf_function",
        f"def {name}({parameters}) -> {returns}:",
        *_indented(code.lines()),
        "",
        "",
        f"@{name}.register_fake",
        f"def {name}_fake({parameters}) -> {returns}:",
        *_indented(fake),
    ]
    return _patched(ctx, code, name, lines, title)


def move_to_nonstrict_trace(ctx: FixContext) -> TextRewrite | None:
    """Move the code to a ``nonstrict_trace`` function: AOTAutograd traces it, Dynamo does not.

    Preconditions are those of ``move_to_leaf_function``. Only displayed.
    """
    code = extractable_expression(ctx) or _with_tensors(ctx)
    if code is None or not _has_plain_inputs(code, modules=True) or not has_no_in_place_call(code.body):
        return None
    torch, imports = ctx.module_reference("torch")
    name = function_name(ctx)
    if imports or name is None:
        return None
    returns = f" -> {torch}.Tensor" if code.is_expression else ""
    lines = [
        f"@{torch}._dynamo.nonstrict_trace",
        f"def {name}({_parameters(code.inputs, torch)}){returns}:",
        *_indented(code.lines()),
    ]
    return _patched(ctx, code, name, lines, "let AOTAutograd trace the code with `nonstrict_trace`")


def move_to_custom_op(ctx: FixContext) -> TextRewrite | None:
    """Move the code to a custom operator with a fake.

    Preconditions are those of ``move_to_leaf_function``, without modules, and every input has a schema type. Only
    displayed: the fake has to be corrected, and the operator has no gradient.
    """
    code = extractable_expression(ctx)
    if (
        code is None
        or not code.is_expression
        or not _has_plain_inputs(code, modules=False)
        or not has_no_in_place_call(code.body)
    ):
        return None
    torch, imports = ctx.module_reference("torch")
    name = function_name(ctx)
    fake = _fake(code, torch)
    kinds = [annotation(each.value, torch) for each in code.inputs]
    if imports or name is None or fake is None or any(kind is None or "|" in kind for kind in kinds):
        return None
    parameters = _parameters(code.inputs, torch)
    space = operator_namespace(ctx.tree)
    if any(
        isinstance(v, Tensor) and v.grad_provenance not in ("", "frozen")
        for each in code.inputs
        for v in members(each.value or Const(None))
    ):
        return None
    needs = any(is_tensor(each.value) and _may_need_gradient(each.value) for each in code.inputs)
    gradient = [f"# It has no gradient: give it one with `{name}.register_autograd`."] if needs else []
    lines = [
        *gradient,
        f'@{torch}.library.custom_op("{space}::{name.strip("_")}", mutates_args=())',
        f"def {name}({parameters}) -> {torch}.Tensor:",
        *_indented(code.lines()),
        "",
        "",
        f"@{name}.register_fake",
        f"def {name}_fake({parameters}) -> {torch}.Tensor:",
        *_indented(fake),
    ]
    return _patched(
        ctx,
        code,
        name,
        lines,
        "make the code an operator with `torch.library.custom_op`: complete its fake implementation",
    )


def move_to_disabled(ctx: FixContext) -> TextRewrite | None:
    """Move the statement, with the loop around it, to a function with ``torch.compiler.disable``. Only displayed."""
    return _disabled(ctx, "display")


def move_out_of_graph(ctx: FixContext) -> TextRewrite | None:
    """Apply ``move_to_disabled`` if the break costs more than one break: in a loop, a ``try`` or a ``with``.

    Unsafe: the code no longer runs compiled.
    """
    worse = ctx.finding.consequence is not None and ctx.finding.consequence.outcome != "resumes"
    return _disabled(ctx, "unsafe") if worse else None


def call_leaf_function(ctx: FixContext) -> TextRewrite | None:
    """Move a statement without a result to a ``leaf_function``.

    Displayed unless the configuration chooses it, since inductor refuses it.
    """
    code = _without_result(ctx)
    if code is None or extractable_expression(ctx) is not None:
        return None
    found = move_to_leaf_function(ctx)
    if found is None:
        return None
    return TextRewrite(found.title, ctx.opt_in_applicability("call-leaf-function"), found.edits)


def allow_break(ctx: FixContext) -> TextRewrite | None:
    """Put the statement under ``error_on_graph_break(False)``, where a break raises. Only displayed."""
    option = ctx.finding.raised_by
    code = extractable_statement(ctx, widest=False)
    torch, imports = ctx.module_reference("torch")
    if option is None or option.option != "error_on_graph_break" or code is None or imports:
        return None
    place = ctx.tree.offsets.position(code.start)
    margin = " " * (place[1] - 1)
    text = ctx.tree.text[code.start : code.end]
    inner = [("    " + line if line.strip() else line) for line in (margin + text).splitlines()]
    new = "\n".join([f"with {torch}._dynamo.error_on_graph_break(False):", *inner])
    title = "allow this break with `error_on_graph_break(False)`"
    return TextRewrite(title, "display", [(code.start, code.end, _with_newlines(ctx, new))])


def _disabled(ctx: FixContext, applicability: Applicability) -> TextRewrite | None:
    """Return the move of the code to a disabled function."""
    code = extractable_statement(ctx, widest=True) or extractable_statement(ctx, widest=False)
    torch, imports = ctx.module_reference("torch")
    name = function_name(ctx)
    if code is None or imports or name is None:
        return None
    lines = [
        f"@{torch}.compiler.disable",
        f"def {name}({_parameters(code.inputs, torch)}):",
        *_indented(code.lines()),
    ]
    if not code.returns and not code.outputs:
        lines[1] = lines[1].removesuffix(":") + " -> None:"
    return _patched(ctx, code, name, lines, "move the code to a function with `torch.compiler.disable`", applicability)


def _patched(
    ctx: FixContext,
    code: ExtractableRun,
    name: str,
    lines: Sequence[str],
    title: str,
    applicability: Applicability = "display",
) -> TextRewrite:
    """Return the rewrite that inserts the function before the top-level statement and calls it."""
    return TextRewrite(title, applicability, [insertion_before(ctx, lines), (code.start, code.end, code.call(name))])


def insertion_before(ctx: FixContext, lines: Sequence[str], top: cst.CSTNode | None = None) -> tuple[int, int, str]:
    """Return the edit that inserts ``lines`` before ``top``, by default the top-level statement of the finding."""
    at = _before(ctx, top)
    return at, at, _with_newlines(ctx, "\n".join([*lines, "", "", ""]))


def _before(ctx: FixContext, top: cst.CSTNode | None) -> int:
    """Return the offset of the top-level statement, with the comments above it."""
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
    """Return the statement if later code reads no variable from it."""
    code = extractable_statement(ctx, widest=False)
    return code if code is not None and not code.outputs and not code.returns else None


def _with_tensors(ctx: FixContext) -> ExtractableRun | None:
    """Return the widest statement if all its outputs are tensors."""
    code = extractable_statement(ctx, widest=True)
    if code is None or code.returns or not code.outputs:
        return None
    return code if all(is_tensor(_value_after(ctx, name)) for name in code.outputs) else None


def _value_after(ctx: FixContext, name: str) -> Value | None:
    """Return the value of a variable after the finding."""
    end = ctx.tree.bounds(ctx.statement)[1]
    after = [
        (place, value)
        for place, value in ctx.values.items()
        if place[0] > end and ctx.tree.text[place[0] : place[1]] == name
    ]
    return min(after, key=lambda each: each[0])[1] if after else None


def _has_plain_inputs(code: ExtractableRun, *, modules: bool) -> bool:
    """Return whether all inputs are plain values, and at least one is a tensor."""
    return all(is_plain(each.value, modules) for each in code.inputs) and any(
        is_tensor(each.value) for each in code.inputs
    )


def is_plain(value: Value | None, modules: bool) -> bool:
    """Return whether a value is a tensor, a number, a string or a container of them; or, if allowed, a module."""
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
    return modules and is_nn_module(value)


def has_no_in_place_call(text: str) -> bool:
    """Return whether the text contains no operation in place, judged by names."""
    return re.search(r"\w_\(|\]\s*[-+*/]?=[^=]|\.(append|extend|pop|update|insert|clear)\(", text) is None


def _parameters(inputs: Sequence[FunctionInput], torch: str) -> str:
    parts = []
    for each in inputs:
        kind = annotation(each.value, torch)
        parts.append(f"{each.parameter}: {kind}" if kind else each.parameter)
    return ", ".join(parts)


def annotation(value: Value | None, torch: str) -> str | None:
    """Return the annotation for a value; None if there is no short one."""
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
    if is_nn_module(value):
        return f"{torch}.nn.Module"
    return None


def _may_need_gradient(value: Value | None) -> bool:
    return value is not None and any(
        isinstance(v, Tensor) and v.requires_grad is not False and v.dtype in (None, "float", "complex")
        for v in members(value)
    )


def _fake(code: ExtractableRun, torch: str) -> list[str] | None:
    """Return the body of the fake: a tensor with the known properties of the result; None if nothing is known."""
    if not code.is_expression:
        return ["return None"]
    results = list(members(code.result)) if code.result is not None else []
    tensors = [each for each in code.inputs if is_tensor(each.value)]
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
    return ["# Correct the shape, dtype and device of the result.", f"return {made}"]
