"""Ways out that leave the code as it is: it becomes a function of its own that Dynamo does not look into."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from gblint.diagnostics.fix import Applicability
from gblint.fix.context import FixContext, Patched
from gblint.fix.recipes._extract_function import ExtractableRun, Given, expression_piece, name_for, statement_piece
from gblint.fix.recipes._values import is_tensor
from gblint.values.base import Const, Scalar, Tensor, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import is_module

_DTYPES = {"bool": "bool", "int": "int64", "uint8": "uint8"}
_SCALARS = {"int": "int", "float": "float", "bool": "bool", "str": "str"}


def leaf(site: FixContext) -> Patched | None:
    """The code as a ``leaf_function``, which the graph calls as it is, with its fake."""
    piece = expression_piece(site) or _without_result(site) if site.has_leaf_functions() else None
    if piece is None or not _takes(piece, modules=True) or not changes_nothing(piece.body):
        return None
    torch, imports = site.named("torch")
    name = name_for(site)
    fake = _fake(piece, torch)
    if imports or name is None or fake is None:
        return None
    parameters = _parameters(piece.given, torch)
    returns = f"{torch}.Tensor" if piece.is_value else "None"
    title = "keep it in the graph as a `leaf_function`, which inductor cannot compile"
    title += ": say what it returns" if piece.is_value else ""
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
    return _patched(site, piece, name, lines, title)


def nonstrict(site: FixContext) -> Patched | None:
    """The code as a ``nonstrict_trace`` function: AOTAutograd traces through it, Dynamo does not."""
    piece = expression_piece(site) or _with_tensors(site)
    if piece is None or not _takes(piece, modules=True) or not changes_nothing(piece.body):
        return None
    torch, imports = site.named("torch")
    name = name_for(site)
    if imports or name is None:
        return None
    returns = f" -> {torch}.Tensor" if piece.is_value else ""
    lines = [
        f"@{torch}._dynamo.nonstrict_trace",
        f"def {name}({_parameters(piece.given, torch)}){returns}:",
        *_indented(piece.lines()),
    ]
    return _patched(site, piece, name, lines, "let AOTAutograd trace it with `nonstrict_trace`")


def custom_op(site: FixContext) -> Patched | None:
    """The code as a custom operator, with its fake."""
    piece = expression_piece(site)
    if piece is None or not piece.is_value or not _takes(piece, modules=False) or not changes_nothing(piece.body):
        return None
    torch, imports = site.named("torch")
    name = name_for(site)
    fake = _fake(piece, torch)
    kinds = [annotation(each.value, torch) for each in piece.given]
    if imports or name is None or fake is None or any(kind is None or "|" in kind for kind in kinds):
        return None
    parameters = _parameters(piece.given, torch)
    space = "".join(c if c.isalnum() else "_" for c in site.tree.path.rpartition("/")[2].removesuffix(".py"))
    if any(isinstance(v, Tensor) and v.history for each in piece.given for v in members(each.value or Const(None))):
        return None
    needs = any(is_tensor(each.value) and _may_need_gradient(each.value) for each in piece.given)
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
    return _patched(site, piece, name, lines, "make it an operator with `torch.library.custom_op`: say what it returns")


def disabled(site: FixContext) -> Patched | None:
    """The statement, and the loop around it, behind one call of a function that is not compiled."""
    return _disabled(site, "display")


def moved_out(site: FixContext) -> Patched | None:
    """As ``disabled``, where one break takes the place of worse: in a loop, a ``try`` or a ``with``."""
    worse = site.finding.consequence is not None and site.finding.consequence.outcome != "resumes"
    return _disabled(site, "unsafe") if worse else None


def recorded(site: FixContext) -> Patched | None:
    """A statement that only leaves something outside, as a ``leaf_function``, which needs no more than a name."""
    piece = _without_result(site)
    if piece is None or expression_piece(site) is not None:
        return None
    found = leaf(site)
    return None if found is None else Patched(found.title, site.unless_inductor("recorded"), found.parts)


def allowed(site: FixContext) -> Patched | None:
    """The statement under ``error_on_graph_break(False)``, where a break raises."""
    said = site.finding.raised_by
    piece = statement_piece(site, widest=False)
    torch, imports = site.named("torch")
    if said is None or said.option != "error_on_graph_break" or piece is None or imports:
        return None
    place = site.tree.offsets.place(piece.start)
    margin = " " * (place[1] - 1)
    text = site.tree.text[piece.start : piece.end]
    inner = [("    " + line if line.strip() else line) for line in (margin + text).splitlines()]
    new = "\n".join([f"with {torch}._dynamo.error_on_graph_break(False):", *inner])
    title = "allow this break with `error_on_graph_break(False)`"
    return Patched(title, "display", [(piece.start, piece.end, _with_newlines(site, new))])


def _disabled(site: FixContext, how: Applicability) -> Patched | None:
    piece = statement_piece(site, widest=True) or statement_piece(site, widest=False)
    torch, imports = site.named("torch")
    name = name_for(site)
    if piece is None or imports or name is None:
        return None
    lines = [
        f"@{torch}.compiler.disable",
        f"def {name}({_parameters(piece.given, torch)}):",
        *_indented(piece.lines()),
    ]
    if not piece.returns and not piece.leaves:
        lines[1] = lines[1].removesuffix(":") + " -> None:"
    return _patched(site, piece, name, lines, "move it behind a function with `torch.compiler.disable`", how)


def _patched(
    site: FixContext, piece: ExtractableRun, name: str, lines: Sequence[str], title: str, how: Applicability = "display"
) -> Patched:
    """The function put before what the site stands in, and its call put where the code was."""
    return Patched(title, how, [put_before(site, lines), (piece.start, piece.end, piece.call(name))])


def put_before(site: FixContext, lines: Sequence[str], top: cst.CSTNode | None = None) -> tuple[int, int, str]:
    """The part of a patch that puts ``lines`` before ``top``, or what the site stands in at the top of the file."""
    at = _before(site, top)
    return at, at, _with_newlines(site, "\n".join([*lines, "", "", ""]))


def _before(site: FixContext, top: cst.CSTNode | None) -> int:
    """Where the statement at the top of the file begins that the site stands in, with the comments above it."""
    if top is None:
        *_, top, _ = [site.node, *site.tree.ancestors(site.node)]
    first = top.decorators[0] if isinstance(top, (cst.FunctionDef, cst.ClassDef)) and top.decorators else top
    line = site.tree.offsets.place(site.tree.bounds(first)[0])[0]
    lines = site.tree.offsets.lines
    while line > 1 and lines[line - 2].startswith("#"):
        line -= 1
    return site.tree.offsets.offset(line, 1)


def _with_newlines(site: FixContext, text: str) -> str:
    newline = site.tree.module.default_newline
    return text if newline == "\n" else text.replace("\n", newline)


def _indented(lines: Sequence[str]) -> list[str]:
    return ["    " + line if line else line for line in lines]


def _without_result(site: FixContext) -> ExtractableRun | None:
    """The statement, if it leaves nothing behind in the function."""
    piece = statement_piece(site, widest=False)
    return piece if piece is not None and not piece.leaves and not piece.returns else None


def _with_tensors(site: FixContext) -> ExtractableRun | None:
    """The widest statement, if all that it leaves behind are tensors."""
    piece = statement_piece(site, widest=True)
    if piece is None or piece.returns or not piece.leaves:
        return None
    return piece if all(is_tensor(_left(site, name)) for name in piece.leaves) else None


def _left(site: FixContext, name: str) -> Value | None:
    """What a variable is behind the site."""
    end = site.tree.bounds(site.statement)[1]
    after = [
        (place, value)
        for place, value in site.values.items()
        if place[0] > end and site.tree.text[place[0] : place[1]] == name
    ]
    return min(after, key=lambda each: each[0])[1] if after else None


def _takes(piece: ExtractableRun, *, modules: bool) -> bool:
    """Whether all that is given are tensors, numbers, texts and containers of them, or modules."""
    return all(is_plain(each.value, modules) for each in piece.given) and any(
        is_tensor(each.value) for each in piece.given
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


def changes_nothing(text: str) -> bool:
    """Whether no operator in place is in it, as far as names tell."""
    return re.search(r"\w_\(|\]\s*[-+*/]?=[^=]|\.(append|extend|pop|update|insert|clear)\(", text) is None


def _parameters(given: Sequence[Given], torch: str) -> str:
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
    if not piece.is_value:
        return ["return None"]
    results = list(members(piece.result)) if piece.result is not None else []
    tensors = [each for each in piece.given if is_tensor(each.value)]
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
