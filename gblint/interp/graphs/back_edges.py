"""Jumps back in the bytecode of loops: Dynamo does not resume where it may come to one.

At a break Dynamo looks through the bytecode from there to the first ``return``.  If one of the jumps on the way goes to
an instruction before the break, the break is in a loop for Dynamo (torch/_dynamo/symbolic_convert.py,
``maybe_has_backedge``).  The bytecode has the statements in the order of the source.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

from gblint.runtime import ast_walk

_Loop = (ast.For, ast.AsyncFor, ast.While)
# Line, column, and whether the bytecode returns there; otherwise it jumps back.
_Exit = tuple[int, int, bool]

# A loop is partitioned once for each state it is entered in.
_EXITS: WeakKeyDictionary[ast.AST, list[_Exit]] = WeakKeyDictionary()


def turns_back(loops: Iterable[ast.AST], node: ast.AST, *, skips_tests: bool) -> bool:
    """Return whether the bytecode jumps back after ``node`` before it returns.

    loops: the loops around the node, the innermost first.
    skips_tests: a jump back at the test of a ``while`` loop does not count.
    """
    for loop in loops:
        if not isinstance(loop, _Loop):
            continue
        if isinstance(loop, ast.While) and any(part is node for part in ast_walk.walk(loop.test)):
            # The bytecode has the test twice: before the loop, and at its end, where it is the jump back.
            if skips_tests:
                continue
            return True
        returns = _first_exit(loop, node)
        if returns is not None:
            return not returns
    return False


def _first_exit(loop: ast.For | ast.AsyncFor | ast.While, node: ast.AST) -> bool | None:
    """Return whether the first exit after ``node`` in the body of a loop is a ``return``; None if there is no exit."""
    here = (getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0)
    exits = _EXITS.get(loop)
    if exits is None:
        returns = [each for each in ast_walk.walk_scope(loop.body) if isinstance(each, ast.Return)]
        exits = [(each.lineno, each.col_offset, True) for each in returns]
        exits += [(line, column, False) for line, column in (*_continues(loop.body), *_ends(loop.body))]
        exits = _EXITS[loop] = sorted(exits)
    return next((returns for line, column, returns in exits if (line, column) >= here), None)


def _ends(body: list[ast.stmt]) -> Iterator[tuple[int, int]]:
    """Yield where a block comes to its end; each branch of a last ``if`` has an end of its own."""
    last = body[-1]
    if isinstance(last, ast.If):
        yield from _ends(last.body)
        if last.orelse:
            yield from _ends(last.orelse)
            return
    if not isinstance(last, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
        yield last.end_lineno or last.lineno, last.end_col_offset or last.col_offset


def _continues(body: Iterable[ast.stmt]) -> Iterator[tuple[int, int]]:
    """Yield where the ``continue`` statements of a loop are."""
    for statement in body:
        if isinstance(statement, ast.Continue):
            yield statement.lineno, statement.col_offset
        elif isinstance(statement, _Loop):
            yield from _continues(statement.orelse)
        else:
            for block in _blocks(statement):
                yield from _continues(block)


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if block and not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield block
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body
