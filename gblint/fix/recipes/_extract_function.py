"""Pieces of a function that can become functions of their own: what they need, and what they leave behind."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Sequence

import libcst as cst

from gblint.fix.context import FixContext
from gblint.fix.names import NameUses, parameters_of
from gblint.fix.recipes._build import is_unused_name, own_line
from gblint.fix.recipes._values import is_tensor
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import Value

_LEAVES = (
    ast.Return,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.Global,
    ast.Nonlocal,
    ast.Delete,
    ast.NamedExpr,
)
_MEMBER = re.compile(r"\bself\.([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class FunctionInput:
    """One thing that a piece needs: the ``parameter`` that takes it, what is passed, and what that is."""

    parameter: str
    argument: str
    value: Value | None


@dataclass(frozen=True, slots=True)
class ExtractableRun:
    """A stretch of the text, ``start`` to ``end``, that can be a call of a function.

    ``body`` is what the function does, in lines that are not indented; the piece is an expression if it ``is_value``.
    ``leaves`` are the variables that are read behind it; ``returns`` says that the piece is a ``return``.  ``result``
    is what an expression is.
    """

    start: int
    end: int
    body: str
    inputs: Sequence[FunctionInput]
    outputs: Sequence[str] = ()
    returns: bool = False
    is_expression: bool = False
    result: Value | None = None

    def call(self, name: str) -> str:
        """What takes the place of the piece when ``name`` is the function."""
        text = f"{name}({', '.join(each.argument for each in self.inputs)})"
        if self.is_expression:
            return text
        if self.returns:
            return f"return {text}"
        return f"{', '.join(self.outputs)} = {text}" if self.outputs else text

    def lines(self) -> list[str]:
        """The lines of the function's body."""
        if self.is_expression:
            return [f"return {self.body}"]
        lines = self.body.splitlines()
        if self.outputs:
            lines.append(f"return {', '.join(self.outputs)}")
        return lines


def extractable_expression(ctx: FixContext) -> ExtractableRun | None:
    """The smallest expression around the site that is a tensor."""
    node: cst.BaseExpression | None = ctx.node
    while node is not None and not is_tensor(ctx.value(node)):
        outer = next(
            (n for n in ctx.tree.ancestors(node) if isinstance(n, (cst.BaseExpression, cst.BaseStatement))), None
        )
        if isinstance(outer, (cst.Lambda, cst.BaseComp)):
            return None
        node = outer if isinstance(outer, cst.BaseExpression) else None
    if node is None or isinstance(node, cst.Name):
        return None
    if any(isinstance(outer, (cst.Lambda, cst.BaseComp)) for outer in _up_to_function(ctx, node)):
        return None
    parent = ctx.tree.parent(node)
    if isinstance(parent, (cst.AssignTarget, cst.AugAssign)) and getattr(parent, "target", None) is node:
        return None
    text = ctx.code(node)
    if "\n" in text:
        return None
    try:
        parsed = ast.parse(text, mode="eval")
    except SyntaxError:
        return None
    if any(isinstance(each, _LEAVES) for each in ast.walk(parsed)):
        return None
    names = NameUses.of([parsed])
    start, end = ctx.tree.bounds(node)
    given = _given(ctx, names.read, text, [parsed])
    if given is None:
        return None
    return ExtractableRun(start, end, _without_self(text), given, is_expression=True, result=ctx.value(node))


def extractable_statement(ctx: FixContext, *, widest: bool) -> ExtractableRun | None:
    """The statement of the site; the ``widest`` is the outermost loop, ``with`` or ``try`` around it."""
    chosen: cst.BaseStatement | None = own_line(ctx) if isinstance(ctx.statement, cst.BaseSmallStatement) else None
    if isinstance(ctx.statement, (cst.For, cst.With, cst.Try, cst.If, cst.While)):
        chosen = ctx.statement
    if widest:
        for outer in _up_to_function(ctx, ctx.node):
            if isinstance(outer, (cst.For, cst.While, cst.With, cst.Try)):
                chosen = outer
    if chosen is None or not isinstance(ctx.tree.parent(chosen), cst.IndentedBlock):
        return None
    start, end = ctx.tree.bounds(chosen)
    line, column = ctx.tree.offsets.position(start)
    text = textwrap.dedent(" " * (column - 1) + ctx.tree.text[start:end].rstrip())
    try:
        nodes = ast.parse(text).body
    except SyntaxError:
        return None
    if not nodes:
        return None
    returns = len(nodes) == 1 and isinstance(nodes[0], ast.Return) and nodes[0].value is not None
    inner = [each for node in nodes for each in ast.walk(node)]
    if any(isinstance(each, _LEAVES) and not (returns and each is nodes[0]) for each in inner) or _jumps(nodes):
        return None
    if any(isinstance(each, ast.Constant) and each.end_lineno != each.lineno for each in inner):
        return None
    around = _around(ctx, line, ctx.tree.offsets.position(end)[0])
    if around is None:
        return None
    before, after = around
    names = NameUses.of(nodes)
    leaves = sorted(names.assigned & after.read)
    compound = not isinstance(nodes[0], (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Assert))
    # What a loop or a branch may leave as it was has to be there before.
    kept = {name for name in leaves if compound and name in before}
    if compound and set(leaves) - kept - _surely_set(nodes):
        return None
    if (names.read & (NameUses.of(_body_of(ctx)).assigned - before)) - names.assigned:
        return None
    given = _given(ctx, (names.read & before) | kept, text, nodes)
    if given is None or any(isinstance(each, ast.Attribute) and not isinstance(each.ctx, ast.Load) for each in inner):
        return None
    return ExtractableRun(
        start, start + len(ctx.tree.text[start:end].rstrip()), _without_self(text), given, leaves, returns
    )


def _up_to_function(ctx: FixContext, node: cst.CSTNode) -> list[cst.CSTNode]:
    """What ``node`` stands in, as far as the function."""
    found = []
    for outer in ctx.tree.ancestors(node):
        if isinstance(outer, cst.FunctionDef):
            break
        found.append(outer)
    return found


def _jumps(nodes: Sequence[ast.stmt]) -> bool:
    """Whether a ``break`` or ``continue`` leaves the nodes."""
    return any(
        isinstance(node, (ast.Break, ast.Continue))
        or (
            not isinstance(node, (ast.For, ast.While, ast.FunctionDef, ast.ClassDef))
            and _jumps([each for each in ast.iter_child_nodes(node) if isinstance(each, (ast.stmt, ast.ExceptHandler))])  # type: ignore[misc]
        )
        for node in nodes
    )


def _surely_set(nodes: Sequence[ast.stmt]) -> set[str]:
    """The variables that a ``with`` sets, whatever happens."""
    if len(nodes) != 1 or not isinstance(nodes[0], ast.With):
        return set()
    return NameUses.of(n for n in nodes[0].body if isinstance(n, (ast.Assign, ast.With))).assigned


def _around(ctx: FixContext, first: int, last: int) -> tuple[set[str], NameUses] | None:
    """The variables that are there before the lines, and what the function does with variables behind them."""
    function = enclosing_function(ctx)
    if function is None:
        return None
    before = set(parameters_of(function)) | NameUses.of(n for n in statements_of(function) if n.lineno < first).assigned
    in_loop = any(
        isinstance(node, (ast.For, ast.While)) and node.lineno < first and (node.end_lineno or 0) >= last
        for node in ast.walk(function)
    )
    outside = [n for n in _expressions(function) if n.lineno > last or (in_loop and n.lineno < first)]
    return before, NameUses.of(outside)


def enclosing_function(ctx: FixContext) -> ast.FunctionDef | None:
    """The function that the site stands in, with the lines of the file; None for one inside of another function."""
    holder = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    if holder is None or ctx.tree.enclosing(holder, cst.FunctionDef) is not None or holder.asynchronous is not None:
        return None
    line = ctx.tree.offsets.position(ctx.tree.bounds(holder.name)[0])[0]
    found = (node for node in ast.walk(ctx.tree.ast) if isinstance(node, ast.FunctionDef) and node.lineno == line)
    return next(found, None)


def _body_of(ctx: FixContext) -> Sequence[ast.stmt]:
    function = enclosing_function(ctx)
    return function.body if function is not None else ()


def statements_of(function: ast.FunctionDef) -> list[ast.stmt]:
    return [node for body in function.body for node in ast.walk(body) if isinstance(node, ast.stmt)]


def _expressions(function: ast.FunctionDef) -> list[ast.expr]:
    return [node for body in function.body for node in ast.walk(body) if isinstance(node, ast.expr)]


def _given(ctx: FixContext, read: set[str], text: str, nodes: Sequence[ast.AST]) -> list[FunctionInput] | None:
    """What the piece needs of the function that it stands in; None where it cannot be handed over."""
    function = enclosing_function(ctx)
    if function is None:
        return None
    if "super" in read:
        return None
    local = set(parameters_of(function)) | NameUses.of(function.body).assigned
    uses = {node.id: node for part in nodes for node in ast.walk(part) if isinstance(node, ast.Name)}
    given = []
    for name in sorted(
        read & local, key=lambda name: (uses[name].lineno, uses[name].col_offset) if name in uses else (0, 0)
    ):
        if name == "self":
            continue
        given.append(FunctionInput(name, name, value_of(ctx, name)))
    if "self" in read & local:
        members = list(dict.fromkeys(_MEMBER.findall(text)))
        bare = len(re.findall(r"\bself\b", text)) - len(_MEMBER.findall(text))
        taken = NameUses.of(nodes)
        if bare or any(name in taken.read | taken.assigned or name in local for name in members):
            return None
        given += [FunctionInput(name, f"self.{name}", value_of(ctx, f"self.{name}")) for name in members]
    return given


def value_of(ctx: FixContext, text: str) -> Value | None:
    """What the variable or the attribute is at the site."""
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    assert function is not None
    first, last = ctx.tree.bounds(function)
    here = ctx.tree.bounds(ctx.statement)[0]
    found = [
        (abs(start - here), value)
        for (start, end), value in ctx.values.items()
        if first <= start and end <= last and end - start == len(text) and ctx.tree.text[start:end] == text
    ]
    return min(found, key=lambda each: each[0])[1] if found else None


def _without_self(text: str) -> str:
    return _MEMBER.sub(r"\1", text)


def function_name(ctx: FixContext) -> str | None:
    """A name for the new function, after what the site calls; None where all are taken."""
    node = ctx.node
    called = node.func if isinstance(node, cst.Call) else node
    last = called.attr.value if isinstance(called, cst.Attribute) else getattr(called, "value", "")
    function = ctx.tree.enclosing(node, cst.FunctionDef)
    base = last if isinstance(last, str) and last.isidentifier() else (function.name.value if function else "step")
    base = base.strip("_")
    names = [f"_{base}", *(f"_{base}_{number}" for number in range(2, 10))]
    return next((name for name in names if is_unused_name(ctx.tree, name)), None)
