"""Pieces of a function that can become functions of their own: what they need, and what they leave behind."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Sequence

import libcst as cst

from gblint.fix.context import FixContext
from gblint.fix.names import Names, parameters_of
from gblint.fix.recipes._build import is_free, line_of
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
class Given:
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
    given: Sequence[Given]
    leaves: Sequence[str] = ()
    returns: bool = False
    is_value: bool = False
    result: Value | None = None

    def call(self, name: str) -> str:
        """What takes the place of the piece when ``name`` is the function."""
        text = f"{name}({', '.join(each.argument for each in self.given)})"
        if self.is_value:
            return text
        if self.returns:
            return f"return {text}"
        return f"{', '.join(self.leaves)} = {text}" if self.leaves else text

    def lines(self) -> list[str]:
        """The lines of the function's body."""
        if self.is_value:
            return [f"return {self.body}"]
        lines = self.body.splitlines()
        if self.leaves:
            lines.append(f"return {', '.join(self.leaves)}")
        return lines


def expression_piece(site: FixContext) -> ExtractableRun | None:
    """The smallest expression around the site that is a tensor."""
    node: cst.BaseExpression | None = site.node
    while node is not None and not is_tensor(site.value(node)):
        outer = next(
            (n for n in site.tree.ancestors(node) if isinstance(n, (cst.BaseExpression, cst.BaseStatement))), None
        )
        if isinstance(outer, (cst.Lambda, cst.BaseComp)):
            return None
        node = outer if isinstance(outer, cst.BaseExpression) else None
    if node is None or isinstance(node, cst.Name):
        return None
    if any(isinstance(outer, (cst.Lambda, cst.BaseComp)) for outer in _up_to_function(site, node)):
        return None
    parent = site.tree.parent(node)
    if isinstance(parent, (cst.AssignTarget, cst.AugAssign)) and getattr(parent, "target", None) is node:
        return None
    text = site.code(node)
    if "\n" in text:
        return None
    try:
        parsed = ast.parse(text, mode="eval")
    except SyntaxError:
        return None
    if any(isinstance(each, _LEAVES) for each in ast.walk(parsed)):
        return None
    names = Names.of([parsed])
    start, end = site.tree.bounds(node)
    given = _given(site, names.read, text, [parsed])
    if given is None:
        return None
    return ExtractableRun(start, end, _without_self(text), given, is_value=True, result=site.value(node))


def statement_piece(site: FixContext, *, widest: bool) -> ExtractableRun | None:
    """The statement of the site; the ``widest`` is the outermost loop, ``with`` or ``try`` around it."""
    chosen: cst.BaseStatement | None = line_of(site) if isinstance(site.statement, cst.BaseSmallStatement) else None
    if isinstance(site.statement, (cst.For, cst.With, cst.Try, cst.If, cst.While)):
        chosen = site.statement
    if widest:
        for outer in _up_to_function(site, site.node):
            if isinstance(outer, (cst.For, cst.While, cst.With, cst.Try)):
                chosen = outer
    if chosen is None or not isinstance(site.tree.parent(chosen), cst.IndentedBlock):
        return None
    start, end = site.tree.bounds(chosen)
    line, column = site.tree.offsets.place(start)
    text = textwrap.dedent(" " * (column - 1) + site.tree.text[start:end].rstrip())
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
    around = _around(site, line, site.tree.offsets.place(end)[0])
    if around is None:
        return None
    before, after = around
    names = Names.of(nodes)
    leaves = sorted(names.set & after.read)
    compound = not isinstance(nodes[0], (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Assert))
    # What a loop or a branch may leave as it was has to be there before.
    kept = {name for name in leaves if compound and name in before}
    if compound and set(leaves) - kept - _surely_set(nodes):
        return None
    if (names.read & (Names.of(_body_of(site)).set - before)) - names.set:
        return None
    given = _given(site, (names.read & before) | kept, text, nodes)
    if given is None or any(isinstance(each, ast.Attribute) and not isinstance(each.ctx, ast.Load) for each in inner):
        return None
    return ExtractableRun(
        start, start + len(site.tree.text[start:end].rstrip()), _without_self(text), given, leaves, returns
    )


def _up_to_function(site: FixContext, node: cst.CSTNode) -> list[cst.CSTNode]:
    """What ``node`` stands in, as far as the function."""
    found = []
    for outer in site.tree.ancestors(node):
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
    return Names.of(n for n in nodes[0].body if isinstance(n, (ast.Assign, ast.With))).set


def _around(site: FixContext, first: int, last: int) -> tuple[set[str], Names] | None:
    """The variables that are there before the lines, and what the function does with variables behind them."""
    function = function_of(site)
    if function is None:
        return None
    before = set(parameters_of(function)) | Names.of(n for n in statements_of(function) if n.lineno < first).set
    in_loop = any(
        isinstance(node, (ast.For, ast.While)) and node.lineno < first and (node.end_lineno or 0) >= last
        for node in ast.walk(function)
    )
    outside = [n for n in _expressions(function) if n.lineno > last or (in_loop and n.lineno < first)]
    return before, Names.of(outside)


def function_of(site: FixContext) -> ast.FunctionDef | None:
    """The function that the site stands in, with the lines of the file; None for one inside of another function."""
    holder = site.tree.around(site.node, cst.FunctionDef)
    if holder is None or site.tree.around(holder, cst.FunctionDef) is not None or holder.asynchronous is not None:
        return None
    line = site.tree.offsets.place(site.tree.bounds(holder.name)[0])[0]
    found = (node for node in ast.walk(site.tree.ast) if isinstance(node, ast.FunctionDef) and node.lineno == line)
    return next(found, None)


def _body_of(site: FixContext) -> Sequence[ast.stmt]:
    function = function_of(site)
    return function.body if function is not None else ()


def statements_of(function: ast.FunctionDef) -> list[ast.stmt]:
    return [node for body in function.body for node in ast.walk(body) if isinstance(node, ast.stmt)]


def _expressions(function: ast.FunctionDef) -> list[ast.expr]:
    return [node for body in function.body for node in ast.walk(body) if isinstance(node, ast.expr)]


def _given(site: FixContext, read: set[str], text: str, nodes: Sequence[ast.AST]) -> list[Given] | None:
    """What the piece needs of the function that it stands in; None where it cannot be handed over."""
    function = function_of(site)
    if function is None:
        return None
    if "super" in read:
        return None
    local = set(parameters_of(function)) | Names.of(function.body).set
    uses = {node.id: node for part in nodes for node in ast.walk(part) if isinstance(node, ast.Name)}
    given = []
    for name in sorted(
        read & local, key=lambda name: (uses[name].lineno, uses[name].col_offset) if name in uses else (0, 0)
    ):
        if name == "self":
            continue
        given.append(Given(name, name, value_of(site, name)))
    if "self" in read & local:
        members = list(dict.fromkeys(_MEMBER.findall(text)))
        bare = len(re.findall(r"\bself\b", text)) - len(_MEMBER.findall(text))
        taken = Names.of(nodes)
        if bare or any(name in taken.read | taken.set or name in local for name in members):
            return None
        given += [Given(name, f"self.{name}", value_of(site, f"self.{name}")) for name in members]
    return given


def value_of(site: FixContext, text: str) -> Value | None:
    """What the variable or the attribute is at the site."""
    function = site.tree.around(site.node, cst.FunctionDef)
    assert function is not None
    first, last = site.tree.bounds(function)
    here = site.tree.bounds(site.statement)[0]
    found = [
        (abs(start - here), value)
        for (start, end), value in site.values.items()
        if first <= start and end <= last and end - start == len(text) and site.tree.text[start:end] == text
    ]
    return min(found, key=lambda each: each[0])[1] if found else None


def _without_self(text: str) -> str:
    return _MEMBER.sub(r"\1", text)


def name_for(site: FixContext) -> str | None:
    """A name for the new function, after what the site calls; None where all are taken."""
    node = site.node
    called = node.func if isinstance(node, cst.Call) else node
    last = called.attr.value if isinstance(called, cst.Attribute) else getattr(called, "value", "")
    function = site.tree.around(node, cst.FunctionDef)
    base = last if isinstance(last, str) and last.isidentifier() else (function.name.value if function else "step")
    base = base.strip("_")
    names = [f"_{base}", *(f"_{base}_{number}" for number in range(2, 10))]
    return next((name for name in names if is_free(site.tree, name)), None)
