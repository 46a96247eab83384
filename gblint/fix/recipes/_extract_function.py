"""Extraction of expressions and statements into functions: their inputs and outputs."""

from __future__ import annotations

import ast
import re
import textwrap
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache

import libcst as cst

from gblint.fix.context import FixContext
from gblint.fix.names import NameUses, parameters_of
from gblint.fix.recipes._build import is_unused_name, own_line
from gblint.fix.recipes._values import is_tensor
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.runtime.quiet_parse import parse_expression, parse_module
from gblint.values.base import Value

_NOT_EXTRACTABLE = (
    ast.Return,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.Global,
    ast.Nonlocal,
    ast.Delete,
    ast.NamedExpr,
)
_WITH_STATEMENTS = (ast.stmt, ast.ExceptHandler, ast.match_case)
_MEMBER = re.compile(r"\bself\.([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class FunctionInput:
    """One input of an extracted function: its ``parameter``, the ``argument`` that is passed, and its value."""

    parameter: str
    argument: str
    value: Value | None


@dataclass(frozen=True, slots=True)
class ExtractableRun:
    """A range of the text, ``start`` to ``end``, that can be replaced by a call of a function.

    * ``body``: the code of the function, dedented.
    * ``inputs``: its parameters.
    * ``outputs``: the variables that are read after the code.
    * ``returns``: the code is a ``return`` statement.
    * ``is_expression``: the code is an expression; ``result`` is its value.
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
        """Return the code that replaces the range when ``name`` is the function."""
        text = f"{name}({', '.join(each.argument for each in self.inputs)})"
        if self.is_expression:
            return text
        if self.returns:
            return f"return {text}"
        return f"{', '.join(self.outputs)} = {text}" if self.outputs else text

    def lines(self) -> list[str]:
        """Return the lines of the function's body."""
        if self.is_expression:
            return [f"return {self.body}"]
        lines = self.body.splitlines()
        if self.outputs:
            lines.append(f"return {', '.join(self.outputs)}")
        return lines


def extractable_expression(ctx: FixContext) -> ExtractableRun | None:
    """Return the smallest tensor expression around the finding; None if it cannot be extracted."""
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
        parsed = parse_expression(text)
    except SyntaxError:
        return None
    if any(isinstance(each, _NOT_EXTRACTABLE) for each in ast.walk(parsed)):
        return None
    names = NameUses.of([parsed])
    start, end = ctx.tree.bounds(node)
    inputs = _inputs(ctx, names.read, text, [parsed])
    if inputs is None:
        return None
    return ExtractableRun(start, end, _without_self(text), inputs, is_expression=True, result=ctx.value(node))


def extractable_statement(ctx: FixContext, *, widest: bool) -> ExtractableRun | None:
    """Return the statement of the finding, or with ``widest`` the outermost loop, ``with`` or ``try`` around it.

    Returns None if it cannot be extracted.
    """
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
        nodes = parse_module(text).body
    except SyntaxError:
        return None
    if not nodes:
        return None
    returns = len(nodes) == 1 and isinstance(nodes[0], ast.Return) and nodes[0].value is not None
    inner = [each for node in nodes for each in ast.walk(node)]
    if any(isinstance(each, _NOT_EXTRACTABLE) and not (returns and each is nodes[0]) for each in inner) or _jumps(
        nodes
    ):
        return None
    if any(isinstance(each, ast.Constant) and each.end_lineno != each.lineno for each in inner):
        return None
    function = enclosing_function(ctx)
    if function is None:
        return None
    before, read_after = _surroundings(function, line, ctx.tree.offsets.position(end)[0])
    names = NameUses.of(nodes)
    outputs = sorted(names.assigned & read_after)
    compound = not isinstance(nodes[0], (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Assert))
    # A variable that a loop or a branch may leave unchanged has to exist before.
    conditional = {name for name in outputs if compound and name in before}
    if compound and set(outputs) - conditional - _always_assigned(nodes):
        return None
    if (names.read & (_names_in(function).assigned - before)) - names.assigned:
        return None
    inputs = _inputs(ctx, (names.read & before) | conditional, text, nodes)
    if inputs is None or any(isinstance(each, ast.Attribute) and not isinstance(each.ctx, ast.Load) for each in inner):
        return None
    return ExtractableRun(
        start, start + len(ctx.tree.text[start:end].rstrip()), _without_self(text), inputs, outputs, returns
    )


def _up_to_function(ctx: FixContext, node: cst.CSTNode) -> list[cst.CSTNode]:
    """Return the ancestors of ``node`` inside its function."""
    found = []
    for outer in ctx.tree.ancestors(node):
        if isinstance(outer, cst.FunctionDef):
            break
        found.append(outer)
    return found


def _jumps(nodes: Sequence[ast.stmt]) -> bool:
    """Return whether a ``break`` or ``continue`` leaves the nodes."""
    return any(
        isinstance(node, (ast.Break, ast.Continue))
        or (
            not isinstance(node, (ast.For, ast.While, ast.FunctionDef, ast.ClassDef))
            and _jumps([each for each in ast.iter_child_nodes(node) if isinstance(each, (ast.stmt, ast.ExceptHandler))])  # type: ignore[misc]
        )
        for node in nodes
    )


def _always_assigned(nodes: Sequence[ast.stmt]) -> set[str]:
    """Return the variables that a ``with`` statement assigns unconditionally."""
    if len(nodes) != 1 or not isinstance(nodes[0], ast.With):
        return set()
    return NameUses.of(n for n in nodes[0].body if isinstance(n, (ast.Assign, ast.With))).assigned


@dataclass(frozen=True, slots=True)
class _NamesInFunction:
    """The names that a function uses, by line.

    * ``assigned``: all names that it assigns.
    * ``by_statement``: the line of each statement, and the names that it assigns.
    * ``reads``: the line of each use of a name that reads it.
    * ``loops``: the first and last lines of the loops.
    """

    assigned: set[str]
    by_statement: Sequence[tuple[int, set[str]]]
    reads: Sequence[tuple[int, str]]
    loops: Sequence[tuple[int, int]]


@lru_cache(maxsize=256)
def _names_in(function: ast.FunctionDef) -> _NamesInFunction:
    """Collect the names of a function; the cache saves one walk for each finding in it."""
    nodes = [node for body in function.body for node in ast.walk(body)]
    return _NamesInFunction(
        NameUses.of(function.body).assigned,
        [(node.lineno, NameUses.of([node]).assigned) for node in statements_of(function)],
        [(node.lineno, node.id) for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)],
        [(node.lineno, node.end_lineno or 0) for node in nodes if isinstance(node, (ast.For, ast.While))],
    )


def _surroundings(function: ast.FunctionDef, first: int, last: int) -> tuple[set[str], set[str]]:
    """Return the variables assigned before the lines, and the names read after them."""
    names = _names_in(function)
    before = set(parameters_of(function)).union(*(assigned for line, assigned in names.by_statement if line < first))
    in_loop = any(start < first and end >= last for start, end in names.loops)
    return before, {name for line, name in names.reads if line > last or (in_loop and line < first)}


def enclosing_function(ctx: FixContext) -> ast.FunctionDef | None:
    """Return the function of the finding as an ``ast`` node; None for nested and asynchronous functions."""
    holder = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    if holder is None or ctx.tree.enclosing(holder, cst.FunctionDef) is not None or holder.asynchronous is not None:
        return None
    return _functions_by_line(ctx.tree.ast).get(ctx.tree.offsets.position(ctx.tree.bounds(holder.name)[0])[0])


@lru_cache(maxsize=8)
def _functions_by_line(module: ast.Module) -> dict[int, ast.FunctionDef]:
    """Return the first function that begins in each line; the cache saves one walk for each finding in the module."""
    found: dict[int, ast.FunctionDef] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.lineno, node)
    return found


def statements_of(function: ast.FunctionDef) -> list[ast.stmt]:
    return [node for body in function.body for node in _walk(body)]


def _walk(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the statements in a statement in the order of ``ast.walk``, which also visits all expressions."""
    pending: deque[ast.AST] = deque([statement])
    while pending:
        node = pending.popleft()
        if isinstance(node, ast.stmt):
            yield node
        pending.extend(each for each in ast.iter_child_nodes(node) if isinstance(each, _WITH_STATEMENTS))


def _inputs(ctx: FixContext, read: set[str], text: str, nodes: Sequence[ast.AST]) -> list[FunctionInput] | None:
    """Return the inputs of the code; None if one of them cannot be passed."""
    function = enclosing_function(ctx)
    if function is None:
        return None
    if "super" in read:
        return None
    local = {*parameters_of(function), *_names_in(function).assigned}
    uses = {node.id: node for part in nodes for node in ast.walk(part) if isinstance(node, ast.Name)}
    inputs = []
    for name in sorted(
        read & local, key=lambda name: (uses[name].lineno, uses[name].col_offset) if name in uses else (0, 0)
    ):
        if name == "self":
            continue
        inputs.append(FunctionInput(name, name, value_of(ctx, name)))
    if "self" in read & local:
        members = list(dict.fromkeys(_MEMBER.findall(text)))
        bare = len(re.findall(r"\bself\b", text)) - len(_MEMBER.findall(text))
        uses_in_code = NameUses.of(nodes)
        if bare or any(name in uses_in_code.read | uses_in_code.assigned or name in local for name in members):
            return None
        inputs += [FunctionInput(name, f"self.{name}", value_of(ctx, f"self.{name}")) for name in members]
    return inputs


def value_of(ctx: FixContext, text: str) -> Value | None:
    """Return the recorded value of a variable or attribute nearest to the finding."""
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    assert function is not None
    first, last = ctx.tree.bounds(function)
    here = ctx.tree.bounds(ctx.statement)[0]
    places = [match.span() for match in re.finditer(re.escape(text), ctx.tree.text[first:last])]
    found = [(abs(first + start - here), ctx.values.get((first + start, first + end))) for start, end in places]
    return min(found, key=lambda each: (each[1] is None, each[0]))[1] if found else None


def _without_self(text: str) -> str:
    return _MEMBER.sub(r"\1", text)


def function_name(ctx: FixContext) -> str | None:
    """Return a free name for the new function, derived from the call; None if all are taken."""
    node = ctx.node
    called = node.func if isinstance(node, cst.Call) else node
    last = called.attr.value if isinstance(called, cst.Attribute) else getattr(called, "value", "")
    function = ctx.tree.enclosing(node, cst.FunctionDef)
    base = last if isinstance(last, str) and last.isidentifier() else (function.name.value if function else "step")
    base = base.strip("_")
    names = [f"_{base}", *(f"_{base}_{number}" for number in range(2, 10))]
    return next((name for name in names if is_unused_name(ctx.tree, name)), None)
