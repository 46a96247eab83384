"""Printing, logging and progress bars: in the graph, left out of compiled runs, or removed."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.imports import import_of, imported_as
from gblint.fix.recipes._build import (
    after_imports,
    called_name,
    compiles,
    operand_text,
    own_line,
    parse_like,
    parse_statement,
    sole_statement,
)
from gblint.fix.recipes._effects import has_effect
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._values import may_be_tensor
from gblint.values.base import Const, Scalar, Tensor, Value, members
from gblint.values.containers import Iterator
from gblint.values.objects import ExternalObject

_BAR_METHODS = (
    "update",
    "set_description",
    "set_description_str",
    "set_postfix",
    "set_postfix_str",
    "refresh",
    "write",
)
# Functions that only produce output, whenever they are called.
_WARNING_FUNCTIONS = (
    "warnings.warn",
    "logging.debug",
    "logging.info",
    "logging.warning",
    "logging.error",
    "logging.critical",
)
# Functions of torch that change no result.
_WITHOUT_RESULT = (
    ".set_num_threads",
    ".set_num_interop_threads",
    ".set_printoptions",
    ".empty_cache",
    ".ipc_collect",
    ".synchronize",
    ".reset_peak_memory_stats",
    ".reset_accumulated_memory_stats",
    ".reset_max_memory_allocated",
    ".reset_max_memory_cached",
)
_QUOTE = str.maketrans({"{": "{{", "}": "}}"})


def print_in_graph(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``print(a, b)`` to ``torch._higher_order_ops.print("{!s} {!s}", a, b)``, which the graph holds.

    Preconditions: a plain ``print`` statement with tensors, numbers, strings and None, and no random number, which
    Dynamo holds as a tensor. Unsafe: if later code raises while Dynamo traces it, the text is not printed; and the text
    of a tensor that requires a gradient names the function that made it, which in compiled code is another one.
    """
    line = own_line(ctx)
    call = ctx.node
    if line is None or not isinstance(call, cst.Call) or ctx.code(call.func) != "print" or not _is_statement(ctx):
        return None
    parts = [_part(ctx, arg) for arg in call.args]
    if not parts or any(part is None for part in parts):
        return None
    form = " ".join(part[0] for part in parts if part is not None)
    if not form:  # the operator takes no empty format
        return None
    values = [text for part in parts if part is not None for text in part[1]]
    torch, imports = ctx.module_reference("torch")
    arguments = ", ".join([_quoted(form), *values])
    new = parse_statement(ctx.tree, f"{torch}._higher_order_ops.print({arguments})")
    new = new.with_changes(leading_lines=line.leading_lines)
    assert isinstance(new, cst.SimpleStatementLine)
    new = new.with_changes(trailing_whitespace=line.trailing_whitespace)
    return Rewrite("print from the graph with `torch._higher_order_ops.print`", "unsafe", {line: new}, imports)


def _quoted(text: str) -> str:
    escaped = (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    )
    return f'"{escaped}"'


def _part(ctx: FixContext, arg: cst.Arg) -> tuple[str, list[str]] | None:
    """Return the format and the values that one argument adds; None if the operator cannot take it."""
    if arg.star or arg.keyword is not None:
        return None
    return _printed(ctx, arg.value)


def _printed(ctx: FixContext, node: cst.BaseExpression) -> tuple[str, list[str]] | None:
    if isinstance(node, cst.SimpleString) and "b" not in node.prefix.lower():
        text = node.evaluated_value
        return (text.translate(_QUOTE), []) if isinstance(text, str) and text.isprintable() else None
    if isinstance(node, cst.FormattedString):
        return _formatted(ctx, node)
    return ("{!s}", [ctx.code(node)]) if _is_leaf(ctx.value(node)) else None


def _formatted(ctx: FixContext, node: cst.FormattedString) -> tuple[str, list[str]] | None:
    form, values = "", []
    for part in node.parts:
        if isinstance(part, cst.FormattedStringText):
            if "\\" in part.value:
                return None
            form += part.value  # doubled braces stay doubled in a format
            continue
        assert isinstance(part, cst.FormattedStringExpression)
        spec = "".join(getattr(piece, "value", "{") for piece in part.format_spec or ())
        if part.equal is not None or "{" in spec or not _is_leaf(ctx.value(part.expression)):
            return None
        form += "{" + (f"!{part.conversion}" if part.conversion else "") + (f":{spec}" if spec else "") + "}"
        values.append(ctx.code(part.expression))
    return form, values


def _is_leaf(value: Value | None) -> bool:
    """Return whether the operator prints a value as Python does: a tensor, a string, None, a number not drawn."""
    return value is not None and all(
        isinstance(each, Const)
        or (isinstance(each, Scalar) and each.origin != "random")
        or (isinstance(each, Tensor) and not each.ndarray and not each.layout)
        for each in members(value)
    )


def _is_statement(ctx: FixContext) -> bool:
    """Return whether the finding is a call whose result is not used."""
    return isinstance(ctx.statement, cst.Expr) and ctx.statement.value is ctx.node


def _have_effect(ctx: FixContext) -> bool:
    """Return whether an argument of the call changes something, or assigns a variable."""
    arguments = ctx.node.args if isinstance(ctx.node, cst.Call) else ()
    odd = match.NamedExpr() | match.Await() | match.Yield()
    return any(match.findall(each, odd) for each in arguments) or has_effect(ctx, arguments, by_chance=False)


def guard_with_is_compiling(ctx: FixContext) -> Rewrite | None:
    """Put the statement under ``if not torch.compiler.is_compiling()``.

    Precondition: the arguments have no effect. Unsafe: compiled runs lose the output.
    """
    line = own_line(ctx)
    if line is None or not _is_statement(ctx) or _have_effect(ctx):
        return None
    torch, imports = ctx.module_reference("torch")
    title = "skip the statement in compiled runs with `torch.compiler.is_compiling()`"
    once = _guarding_branch(ctx, line)
    if once is not None:
        text = f"{operand_text(ctx, once.test)} and not {torch}.compiler.is_compiling()"
        return Rewrite(title, "unsafe", {once.test: parse_like(once.test, text)}, imports, quiet=True)
    guard = parse_statement(ctx.tree, f"if not {torch}.compiler.is_compiling():\n    pass\n")
    assert isinstance(guard, cst.If)
    inner = line.with_changes(leading_lines=[])
    new = guard.with_changes(leading_lines=line.leading_lines, body=cst.IndentedBlock([inner]))
    return Rewrite(title, "unsafe", {line: new}, imports, quiet=True)


def _guarding_branch(ctx: FixContext, line: cst.SimpleStatementLine) -> cst.If | None:
    """Return the branch around the statement if it does nothing else, or only sets a flag that it tests.

    The flag must not be set in compiled runs, or the output would be missing in eager runs as well.
    """
    block = ctx.tree.parent(line)
    branch = None if block is None else ctx.tree.parent(block)
    if not isinstance(branch, cst.If) or not isinstance(block, cst.IndentedBlock) or branch.orelse is not None:
        return None
    flag = match.Assign(targets=[match.AssignTarget(match.Name() | match.Attribute())])
    others = [sole_statement([each]) for each in block.body if each is not line]
    if not all(each is not None and match.matches(each, flag) for each in others):
        return None
    flags = [cst.ensure_type(each, cst.Assign) for each in others]
    read = {ctx.code(node) for node in match.findall(branch.test, match.Name() | match.Attribute())}
    constant = all(match.matches(each.value, match.Name("True") | match.Name("False")) for each in flags)
    return branch if constant and all(ctx.code(each.targets[0].target) in read for each in flags) else None


def omit_when_compiling(ctx: FixContext) -> Rewrite | None:
    """Apply ``guard_with_is_compiling`` to a statement with an effect that a compiled run can do without.

    Preconditions: it calls a function, not a method; no argument is a tensor; a function of torch changes only how
    fast things are, or how they are printed. Unsafe: the effect is lost.
    """
    name = called_name(ctx)
    if name is None or (name.startswith("torch.") and not name.endswith(_WITHOUT_RESULT)):
        return None
    rewrite = guard_with_is_compiling(ctx)
    arguments = ctx.node.args if isinstance(ctx.node, cst.Call) else ()
    if rewrite is None or any(may_be_tensor(ctx, arg.value) for arg in arguments):
        return None
    return rewrite


def remove_statement(ctx: FixContext) -> Rewrite | None:
    """Remove the statement.

    Precondition: its arguments have no effect. Unsafe: its output is lost in eager runs as well.
    """
    line = own_line(ctx)
    if line is None or not _is_statement(ctx) or _have_effect(ctx):
        return None
    block = ctx.tree.parent(line)
    alone = isinstance(block, (cst.IndentedBlock, cst.Module)) and len(block.body) == 1
    new = line.with_changes(body=[cst.Pass()]) if alone else cst.RemoveFromParent()
    name = ctx.code(ctx.node.func).partition(".")[0] if isinstance(ctx.node, cst.Call) else ""
    unused = import_of(ctx.tree.module, name)
    return Rewrite("remove the statement", "unsafe", {line: new}, (), unused)


def register_with_dynamo(ctx: FixContext) -> Rewrite | None:
    """Register ``warnings.warn`` or ``logging.warning`` with Dynamo, which calls it after the graph.

    Precondition: a single string argument. Unsafe: the setting applies to the whole process, and the warning comes from
    another line, so that it is shown more or less often.
    """
    call = ctx.node
    if not _is_statement(ctx) or not isinstance(call, cst.Call) or len(call.args) != 1:
        return None
    only = call.args[0]
    if called_name(ctx) not in _WARNING_FUNCTIONS:
        return None
    if only.star or only.keyword is not None or not _is_text(ctx.value(only.value)):
        return None
    torch, imports = ctx.module_reference("torch")
    add = f"{torch}._dynamo.config.reorderable_logging_functions.add({ctx.code(call.func)})"
    replace = after_imports(ctx.tree, add)
    if not replace or imports or imported_as(ctx.tree.module, ctx.code(call.func).rpartition(".")[0]) is None:
        return None
    if compiles(ctx.tree.text, torch):
        return Rewrite("let Dynamo warn after the graph", "unsafe", replace)
    # The import of a library is not a place for a setting of the whole process.
    title = "let Dynamo warn after the graph, set where the program compiles"
    return Rewrite(title, "unsafe" if ctx.finding.code in ctx.settings else "display", replace)


def _is_text(value: Value | None) -> bool:
    return value is not None and all(
        (isinstance(each, Const) and isinstance(each.value, str)) or (isinstance(each, Scalar) and each.kind == "str")
        for each in members(value)
    )


def loop_with_bar_in_eager_runs(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``for x in tqdm(xs, ...)`` to ``for x in (xs if torch.compiler.is_compiling() else tqdm(xs, ...))``.

    Precondition: ``xs`` is pure, since it is written twice. Unsafe: compiled runs show no progress bar.
    """
    looped = _looped(ctx)
    if looped is None or not all(is_pure(ctx, arg) for arg in cst.ensure_type(ctx.node, cst.Call).args[:1]):
        return None
    torch, imports = ctx.module_reference("torch")
    new = cst.parse_expression(
        f"({cst.Module([]).code_for_node(looped)} if {torch}.compiler.is_compiling() else {ctx.code(ctx.node)})"
    )
    return Rewrite("show the bar of the loop in eager runs only", "unsafe", {ctx.node: new}, imports)


def remove_progress_bar(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``for x in tqdm(xs, ...)`` to ``for x in xs``.

    Unsafe: there is no progress bar in eager runs either.
    """
    looped = _looped(ctx)
    if looped is None or not isinstance(ctx.node, cst.Call):
        return None
    unused = import_of(ctx.tree.module, ctx.code(ctx.node.func).partition(".")[0])
    return Rewrite("loop without the progress bar", "unsafe", {ctx.node: looped}, (), unused)


def _looped(ctx: FixContext) -> cst.BaseExpression | None:
    """Return what a loop over a progress bar goes through."""
    loop = ctx.tree.parent(ctx.node)
    if not isinstance(loop, (cst.For, cst.CompFor)) or loop.iter is not ctx.node or not isinstance(ctx.node, cst.Call):
        return None
    first = ctx.node.args[0] if ctx.node.args else None
    if first is None or first.star or first.keyword is not None:
        return None
    name = ctx.code(ctx.node.func).rpartition(".")[2]
    if name not in ("tqdm", "trange", "track"):
        return None
    return cst.parse_expression(f"range({ctx.code(first.value)})") if name == "trange" else first.value


def progress_bar_in_eager_runs(ctx: FixContext) -> Rewrite | None:
    """Enter ``with tqdm(total=n) as bar:``, and call ``bar.update()``, in eager runs only.

    Precondition: the bar is only used in statements that call its display methods. Unsafe: the bar is None in
    compiled runs.
    """
    item = ctx.tree.parent(ctx.node)
    block = None if item is None else ctx.tree.parent(item)
    if not isinstance(item, cst.WithItem) or not isinstance(block, cst.With) or not isinstance(ctx.node, cst.Call):
        return None
    value = ctx.value(ctx.node)
    alternatives = [] if value is None else list(members(value))
    if not alternatives or not all(
        isinstance(v, (ExternalObject, Iterator)) and v.cls.startswith("tqdm.") for v in alternatives
    ):
        return None
    function = ctx.tree.enclosing(block, cst.FunctionDef)
    name = item.asname.name if item.asname is not None else None
    if function is None or (name is not None and not isinstance(name, cst.Name)):
        return None
    torch, imports = ctx.module_reference("torch")
    contextlib, more = ctx.module_reference("contextlib")
    text = f"({contextlib}.nullcontext() if {torch}.compiler.is_compiling() else {ctx.code(ctx.node)})"
    new = cst.parse_expression(text)
    if name is None:
        new = new.with_changes(lpar=[], rpar=[])
    change: dict[cst.CSTNode, cst.CSTNode] = {ctx.node: new}
    for use in match.findall(function, match.Name(name.value)) if isinstance(name, cst.Name) else ():
        outer = ctx.tree.parent(use)
        if use is name or (isinstance(outer, cst.Attribute) and outer.attr is use):
            continue
        line = _bar_statement(ctx, use)
        if line is None or not any(outer is block for outer in ctx.tree.ancestors(line)):
            return None
        guard = parse_statement(ctx.tree, f"if {ctx.code(use)} is not None:\n    pass\n")
        assert isinstance(guard, cst.If)
        body = cst.IndentedBlock([line.with_changes(leading_lines=[])])
        change[line] = guard.with_changes(body=body, leading_lines=line.leading_lines)
    return Rewrite("show the progress bar in eager runs only", "unsafe", change, (*imports, *more))


def _bar_statement(ctx: FixContext, use: cst.CSTNode) -> cst.SimpleStatementLine | None:
    """Return the line that only calls ``bar.update()`` or another display method."""
    method = ctx.tree.parent(use)
    call = None if method is None else ctx.tree.parent(method)
    small = None if call is None else ctx.tree.parent(call)
    is_display = isinstance(method, cst.Attribute) and method.attr.value in _BAR_METHODS
    if not is_display or not isinstance(call, cst.Call) or call.func is not method or not isinstance(small, cst.Expr):
        return None
    return own_line(ctx, small)
