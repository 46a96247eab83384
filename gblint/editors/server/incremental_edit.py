"""Applying an edit inside one function to an interpreter that has run, and dropping the summaries that depend on it.

Findings may be stale if other results depend on the effects of the function; the later run of the whole project
corrects them.
"""

from __future__ import annotations

import ast

from gblint.editors.server.edits import Change
from gblint.interp import Interpreter
from gblint.interp.state.summary_cache import SummaryCache
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.project.modules import Module
from gblint.runtime import ast_text, ast_walk

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef
# Words in edits that may have effects elsewhere: calls that configure compilation.  Special methods are excluded below.
_FAR_REACHING = ("compile", "_dynamo", "torch.library", "allow_in_graph")


def amend(interp: Interpreter, module: Module, text: str, tree: ast.Module) -> bool:
    """Set the text and the syntax tree of ``module``; return false if the edit is not confined to one function."""
    before, after = module.lines, text.split("\n")
    change = Change.between(before, after)
    if change.shift:
        return False
    touched = [*before[change.head : change.old - change.tail], *after[change.head : change.new - change.tail]]
    if any(word in line for line in touched for word in _FAR_REACHING):
        return False
    first, last = change.head + 1, change.old - change.tail
    pair = _function_around(module.tree, tree, first, last)
    if pair is None:
        return False
    old, new = pair
    if old.name.startswith("__") or _effects(old) != _effects(new):
        return False
    interp.caches.keep_alive.append(old.body)
    old.body = new.body
    _forget(interp, module, old)
    module.replace_text(text)
    return True


def _function_around(old: ast.AST, new: ast.AST, first: int, last: int) -> tuple[Function, Function] | None:
    """Return the innermost function that contains the lines, in two trees that differ in these lines only."""
    best: tuple[Function, Function] | None = None
    while True:
        pairs = list(zip(ast_walk.statements_in(old), ast_walk.statements_in(new)))
        if len(pairs) != len(list(ast_walk.statements_in(old))) or len(pairs) != len(list(ast_walk.statements_in(new))):
            return best
        if any(_shape(a) != _shape(b) for a, b in pairs if not _covers(a, first, last)):
            return None
        inner = next(((a, b) for a, b in pairs if _covers(a, first, last)), None)
        if inner is None or _shape(inner[0]) != _shape(inner[1]):
            return best
        old, new = inner
        if isinstance(old, _FUNCTIONS) and isinstance(new, _FUNCTIONS) and old.body[0].lineno <= first:
            if old.body[0].lineno == new.body[0].lineno:
                best = (old, new)


def _covers(node: ast.stmt, first: int, last: int) -> bool:
    return node.lineno <= first and last <= (node.end_lineno or node.lineno)


def _shape(node: ast.stmt) -> tuple[object, ...]:
    return type(node), node.lineno, node.end_lineno, getattr(node, "name", "")


def _effects(function: Function) -> tuple[object, ...]:
    """Return the attributes that a function assigns, and the kinds of its statements that affect other code."""
    stores, kinds = set(), set()
    for node in ast_walk.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
            stores.add(ast_text.unparse(node))
        elif isinstance(
            node, (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom)
        ):
            kinds.add(type(node))
    return frozenset(stores), frozenset(kinds)


def _forget(interp: Interpreter, module: Module, function: Function) -> None:
    """Drop the summaries of the functions of the module, and of all their callers."""
    stale: dict[int, bool] = {}
    for place in [place for place, summary in interp.caches.summaries.items() if _is_stale(summary, module, stale)]:
        del interp.caches.summaries[place]
    interp.caches.forget_function(function)
    interp.budget.unproductive.pop(function, None)
    interp.summary_cache = SummaryCache()


def _is_stale(summary: FunctionSummary, module: Module, known: dict[int, bool]) -> bool:
    """Return whether ``summary`` depends on a function of ``module``."""
    pending, seen = [summary], set()
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        found = known.get(id(each))
        if found or each.module is module or module in each.silent_modules:
            known[id(summary)] = True
            return True
        if found is None:
            pending += [callee for _, callee in each.calls.values()]
    known.update(dict.fromkeys(seen, False))
    return False
