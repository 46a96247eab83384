"""Work on the parts of a tensor that is split by data-dependent sizes: as a ``leaf_function``."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, TextRewrite
from gblint.fix.names import NameUses, parameters_of
from gblint.fix.recipes._build import EXITS, is_unused_name
from gblint.fix.recipes._extract_function import enclosing_function, statements_of, value_of
from gblint.fix.recipes._values import is_tensor
from gblint.fix.recipes.escape_hatches import annotation, has_no_in_place_call, insertion_before, is_plain
from gblint.values.base import Value
from gblint.values.objects import is_nn_module

MAX_MOVED = 60
"""Statements that are moved to a function of their own."""
_READS = re.compile(r"\.(tolist|item)\(")


def split_in_leaf_function(ctx: FixContext) -> TextRewrite | None:
    """Move ``torch.split(x, n.tolist())`` and the work on the parts to a ``leaf_function``.

    The moved code ends where only tensors are left. The sizes add up to that of the tensor, so that the fake may work
    on a single part. Preconditions: the statements change nothing in place, and their inputs are tensors, numbers,
    strings, containers of them or modules. Displayed unless the configuration chooses it, since inductor refuses it.
    """
    single_size = _single_size(ctx) if ctx.supports_leaf_functions() else None
    function = enclosing_function(ctx) if single_size is not None else None
    lines = _lines(ctx) if function is not None else None
    torch, imports = ctx.module_reference("torch")
    if single_size is None or function is None or lines is None or imports:
        return None
    start, end = ctx.tree.bounds(lines[0])[0], ctx.tree.bounds(lines[-1])[1]
    column = ctx.tree.offsets.position(start)[1]
    text = textwrap.dedent(" " * (column - 1) + ctx.tree.text[start:end]).rstrip()
    low, high = ctx.tree.bounds(ctx.node)
    faked = textwrap.dedent(
        " " * (column - 1) + ctx.tree.text[start:low] + single_size + ctx.tree.text[high:end]
    ).rstrip()
    if len(_READS.findall(text)) != 1 or not has_no_in_place_call(text) or "self =" in text:
        return None
    outputs = _outputs(ctx, function, lines)
    name = f"_{_snake_case_name(ctx, function)}_in_parts"
    inputs = _inputs(ctx, function, lines)
    if (
        not outputs
        or inputs is None
        or not is_unused_name(ctx.tree, name)
        or not is_unused_name(ctx.tree, f"{name}_fake")
    ):
        return None
    passed, before = inputs
    returns = f"{torch}.Tensor" if len(outputs) == 1 else f"tuple[{', '.join([f'{torch}.Tensor'] * len(outputs))}]"
    parameters = ", ".join(_parameter(ctx, each, torch) for each in passed)
    bodies = [
        [*(_for_module(line) for line in [*before, *body.splitlines()]), f"return {', '.join(outputs)}"]
        for body in (text, faked)
    ]
    made = [
        f"@{torch}._dynamo.decorators.leaf_function",
        f"def {name}({parameters}) -> {returns}:",
        *textwrap.indent("\n".join(bodies[0]), "    ").splitlines(),
        "",
        "",
        f"@{name}.register_fake",
        f"def {name}_fake({parameters}) -> {returns}:",
        "    # The sizes of the parts are not known: this is the result for a single part.",
        *textwrap.indent("\n".join(bodies[1]), "    ").splitlines(),
    ]
    call = f"{', '.join(outputs)} = {name}({', '.join(passed)})"
    stop = start + len(ctx.tree.text[start:end].rstrip())
    return TextRewrite(
        "move the work on the parts to a `leaf_function`, which inductor cannot compile",
        ctx.opt_in_applicability("split-in-leaf-function"),
        [insertion_before(ctx, made), (start, stop, call)],
    )


def _snake_case_name(ctx: FixContext, function: ast.FunctionDef) -> str:
    """Return the name of the class or function of the finding in snake case."""
    owner = ctx.tree.enclosing(ctx.node, cst.ClassDef)
    name = function.name if owner is None else re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", owner.name.value).lower()
    return name.strip("_")


def _parameter(ctx: FixContext, name: str, torch: str) -> str:
    if name == "self":
        return f"module: {torch}.nn.Module"
    kind = annotation(value_of(ctx, name), torch)
    return f"{name}: {kind}" if kind else name


def _single_size(ctx: FixContext) -> str | None:
    """Return the list with one size that replaces the list of sizes in the fake."""
    arg = ctx.tree.parent(ctx.node)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute) or call.func.attr.value != "split":
        return None
    named = {each.keyword.value: each.value for each in call.args if each.keyword}
    plain = [each.value for each in call.args if not each.keyword]
    tensor = (
        plain.pop(0) if ctx.code(call.func.value) == ctx.module_reference("torch")[0] and plain else call.func.value
    )
    if not plain or plain[0] is not ctx.node or set(named) - {"dim"} or any(each.star for each in call.args):
        return None
    dim = named.get("dim") or (plain[1] if len(plain) == 2 else None)
    if len(plain) > 2 or not isinstance(tensor, (cst.Name, cst.Attribute)):
        return None
    return f"[{ctx.code(tensor)}.size({ctx.code(dim) if dim is not None else 0})]"


def _lines(ctx: FixContext) -> Sequence[cst.BaseStatement] | None:
    """Return the fewest statements from that of the finding on that leave only tensors behind."""
    line = ctx.tree.parent(ctx.statement) if isinstance(ctx.statement, cst.BaseSmallStatement) else None
    block = None if line is None else ctx.tree.parent(line)
    function = enclosing_function(ctx)
    if not isinstance(block, cst.IndentedBlock) or function is None or ctx.tree.enclosing(block, cst.For) is not None:
        return None
    first = next(i for i, each in enumerate(block.body) if each is line)
    for last in range(first, min(len(block.body), first + MAX_MOVED)):
        lines = block.body[first : last + 1]
        if match.findall(lines[-1], EXITS | match.Raise() | match.Del() | match.NamedExpr() | match.FunctionDef()):
            return None
        outputs = _outputs(ctx, function, lines)
        if outputs and all(is_tensor(_last_value(ctx, name, lines)) for name in outputs):
            return lines
    return None


def _outputs(ctx: FixContext, function: ast.FunctionDef, lines: Sequence[cst.BaseStatement]) -> list[str]:
    """Return the variables that the lines assign and later code reads."""
    first, last = _line_numbers(ctx, lines)
    inside = NameUses.of(node for node in statements_of(function) if first <= node.lineno <= last)
    behind = NameUses.of(node for node in ast.walk(function) if isinstance(node, ast.Name) and node.lineno > last)
    return sorted(inside.assigned & behind.read)


def _inputs(
    ctx: FixContext, function: ast.FunctionDef, lines: Sequence[cst.BaseStatement]
) -> tuple[list[str], list[str]] | None:
    """Return the variables to pass, and lines that compute the other variables in the function.

    Returns None if that is not possible.
    """
    first, last = _line_numbers(ctx, lines)
    nodes = [node for node in statements_of(function) if first <= node.lineno <= last]
    local = set(parameters_of(function)) | NameUses.of(function.body).assigned
    passed: list[str] = []
    before: list[str] = []
    own: set[str] = set()
    for node in nodes:
        for name in sorted(NameUses.of([node]).read & local - own):
            if name in passed:
                continue
            value = value_of(ctx, name)
            rest = function.args.kwarg is not None and function.args.kwarg.arg == name
            is_self = name == "self" and _is_nn_module(value)
            if rest or is_self or (value is not None and is_plain(value, modules=True)):
                passed.append(name)
                continue
            made = _module_assignment(ctx, function, name, first, local)
            if made is None:
                return None
            before += [made] if made not in before else []
            if "self" not in passed and re.search(r"\bself\b", made):
                passed.insert(0, "self")
        own |= NameUses.of([node]).assigned
    if "self" in passed:
        passed.remove("self")
        passed.insert(0, "self")
    return passed, before


def _module_assignment(
    ctx: FixContext, function: ast.FunctionDef, name: str, first: int, local: set[str]
) -> str | None:
    """Return the one statement that assigns ``name`` from the module and from globals."""
    sets = [node for node in statements_of(function) if node.lineno < first and name in NameUses.of([node]).assigned]
    if len(sets) != 1 or sets[0] not in function.body or not isinstance(sets[0], (ast.Assign, ast.AnnAssign)):
        return None
    if NameUses.of([sets[0]]).read & local - {"self"}:
        return None
    found = ast.get_source_segment(ctx.tree.text, sets[0], padded=True)
    return None if found is None else textwrap.dedent(found)


def _last_value(ctx: FixContext, name: str, lines: Sequence[cst.BaseStatement]) -> Value | None:
    """Return the value of the last assignment to the variable in the lines."""
    for line in reversed(lines):
        for small in reversed(line.body) if isinstance(line, cst.SimpleStatementLine) else ():
            if match.matches(small, match.Assign(targets=[match.AssignTarget(match.Name(name))])):
                return ctx.value(cst.ensure_type(small, cst.Assign).value)
        if match.findall(line, match.Name(name)):
            return None
    return None


def _line_numbers(ctx: FixContext, lines: Sequence[cst.BaseStatement]) -> tuple[int, int]:
    start, end = ctx.tree.bounds(lines[0])[0], ctx.tree.bounds(lines[-1])[1]
    return ctx.tree.offsets.position(start)[0], ctx.tree.offsets.position(max(end - 1, start))[0]


def _is_nn_module(value: Value | None) -> bool:
    return value is not None and is_nn_module(value)


def _for_module(line: str) -> str:
    return re.sub(r"\bself\b", "module", line)
