"""Applying an edit inside functions to an interpreter that has run, and dropping the summaries that depend on them.

Findings may be stale if other results depend on the effects of such a function; the later run of the whole project
corrects them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from gblint.interp import Interpreter
from gblint.interp.state.summary_cache import SummaryCache
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.pipeline.context import Session
from gblint.pipeline.edits import Change
from gblint.project.modules import Module
from gblint.project.project import Project
from gblint.runtime import ast_text, ast_walk
from gblint.runtime.ast_walk import DEFINITIONS
from gblint.runtime.files import normalise_newlines
from gblint.runtime.lazy_dataclasses import dataclass

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_WITH_POSITION = (ast.stmt, ast.expr, ast.excepthandler, ast.arg, ast.keyword, ast.alias, ast.pattern)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef
# Words in edits that may have effects elsewhere: calls that configure compilation.  Special methods are excluded below.
_FAR_REACHING = ("compile", "_dynamo", "torch.library", "allow_in_graph")


@dataclass(frozen=True, slots=True)
class FunctionEdit:
    """The functions whose bodies an edit changes, each in the old and in the new tree; nothing else is changed."""

    functions: list[tuple[Function, Function]]
    change: Change

    @classmethod
    def between(cls, module: Module, text: str, tree: ast.Module) -> FunctionEdit | None:
        """Return the difference of a module and a new text of it; None if it is not confined to functions."""
        before, after = module.lines, text.split("\n")
        pairs = _edited_functions(module.tree.body, tree.body, before, after)
        if pairs is None or any(_reaches_far(old, new, before, after) for old, new in pairs):
            return None
        return cls(pairs, Change.between(before, after))

    def moves(self, line: int) -> bool:
        """Return whether the edit changes a line, or moves it."""
        return self.change.moved(line, line) != 0


def apply_edit(
    project: Project, session: Session, path: Path, text: str, tree: ast.Module, *, alone: bool = True
) -> bool:
    """Apply the new ``text`` of the file ``path``, parsed as ``tree``, to a session on ``project``.

    Return false if it cannot be applied, or if it is an edit and not the only one (``alone``): if one of several edits
    cannot be applied, the others must not be either.
    """
    module, normalised = project.module_at(path), normalise_newlines(text)
    if module is None or not _is_current(session, module):
        return False
    if module.source != normalised and not (alone and _amend(session, module, normalised, tree)):
        return False
    project.set_overlay(path, text)
    return True


def _amend(session: Session, module: Module, text: str, tree: ast.Module) -> bool:
    """Set the text and the syntax tree of ``module``; return false for an edit of anything but bodies of functions.

    Return false, too, if such a function compiles something, or if a call of ``torch.compile`` moves to another line.
    The old tree stays, since values refer to its nodes: it gets the new bodies, and the new positions.
    """
    edit = FunctionEdit.between(module, text, tree)
    if edit is None:
        return False
    for line in _lines_that_compile(session, module):
        if any(old.body[0].lineno <= line <= (old.end_lineno or 0) for old, _ in edit.functions):
            return False
        if edit.change.shift and edit.moves(line):
            return False
    interp = session.interpreter
    for old, new in edit.functions:
        interp.caches.keep_alive.append(old.body)
        old.body = new.body
        interp.caches.forget_function(old)
        interp.budget.forget_function(old)
    if edit.change.shift:
        _copy_positions(module.tree, tree)
    if edit.functions or edit.change.shift:
        _forget(interp, module)
    module.replace_text(text)
    return True


def _is_current(session: Session, module: Module) -> bool:
    """Return whether the session has evaluated no other object for this module: other runs may read a file again."""
    frame = session.interpreter.caches.module_frames.get(module.name)
    return frame is None or frame.module is module


def _lines_that_compile(session: Session, module: Module) -> list[int]:
    """Return the lines of calls of ``torch.compile`` and of entry points, which many places keep."""
    found = [each.node for each in session.interpreter.compilation.objects if each.module is module]
    points = [entry.point.line for entry in session.search.entries if entry.module is module]
    return [*points, *(getattr(node, "lineno", 0) for node in found)]


def _edited_functions(
    olds: list[ast.stmt], news: list[ast.stmt], before: Sequence[str], after: Sequence[str]
) -> list[tuple[Function, Function]] | None:
    """Return the innermost functions that contain all differences of two blocks; None if something else differs."""
    if len(olds) != len(news):
        return None
    found: list[tuple[Function, Function]] = []
    for old, new in zip(olds, news):
        if type(old) is type(new) and _lines(old, before) == _lines(new, after):
            continue
        inside = None
        if isinstance(old, DEFINITIONS) and isinstance(new, DEFINITIONS) and _header(old) == _header(new):
            inside = _edited_functions(old.body, new.body, before, after)
            if inside is None and isinstance(old, _FUNCTIONS) and isinstance(new, _FUNCTIONS):
                inside = [(old, new)]
        if inside is None:
            return None
        found += inside
    return found


def _lines(node: ast.stmt, text: Sequence[str]) -> Sequence[str]:
    """Return the lines of a statement, with its decorators."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return text[first - 1 : node.end_lineno]


def _header(node: Definition) -> list[str]:
    """Return the code of a definition before its body, without positions."""
    parts: tuple[ast.AST | None, ...]
    parts = (*node.bases, *node.keywords) if isinstance(node, ast.ClassDef) else (node.args, node.returns)
    return [type(node).__name__, node.name, *(ast.dump(part) for part in (*parts, *node.decorator_list) if part)]


def _reaches_far(old: Function, new: Function, before: Sequence[str], after: Sequence[str]) -> bool:
    """Return whether the edit of a function may change what the search has found elsewhere."""
    if old.name.startswith("__") or _effects(old) != _effects(new):
        return True
    lines, others = _lines(old, before), _lines(new, after)
    change = Change.between(lines, others)
    touched = [*lines[change.head : change.old - change.tail], *others[change.head : change.new - change.tail]]
    return any(word in line for line in touched for word in _FAR_REACHING)


def _copy_positions(old: ast.Module, new: ast.Module) -> None:
    """Give the nodes of a tree the positions of those of another one that differs from it in positions only."""
    for node, moved in zip(ast_walk.walk(old), ast_walk.walk(new)):
        if isinstance(node, _WITH_POSITION) and isinstance(moved, _WITH_POSITION):
            node.lineno, node.end_lineno = moved.lineno, moved.end_lineno


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


def _forget(interp: Interpreter, module: Module) -> None:
    """Drop the summaries of the functions of the module, and of all their callers."""
    stale: dict[int, bool] = {}
    for place in [place for place, summary in interp.caches.summaries.items() if _is_stale(summary, module, stale)]:
        del interp.caches.summaries[place]
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
