"""The lines that an edit changes, and a check whether it changes the program."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gblint.runtime.lazy_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """The difference of two texts: the first ``head`` and the last ``tail`` lines are the same in both."""

    head: int
    tail: int
    old: int
    new: int

    @classmethod
    def between(cls, old: Sequence[str], new: Sequence[str]) -> Change:
        """Return the difference of two texts, given as lines."""
        shortest = min(len(old), len(new))
        head = next((i for i in range(shortest) if old[i] != new[i]), shortest)
        tail = next((i for i in range(shortest - head) if old[-1 - i] != new[-1 - i]), shortest - head)
        return cls(head, tail, len(old), len(new))

    @property
    def shift(self) -> int:
        """The number of lines by which the text after the change has moved down."""
        return self.new - self.old

    def moved(self, first: int, last: int) -> int | None:
        """Return how far the old lines ``first`` to ``last`` have moved; None if they are among the changed lines."""
        if last <= self.head:
            return 0
        return self.shift if first > self.old - self.tail else None


def same_program(old: ast.Module, new: ast.Module, before: Sequence[str], after: Sequence[str]) -> bool:
    """Return whether an edit changed only comments and blanks, so that each line has the same code as before.

    Return false if the edit may affect a ``noqa`` comment, or if it joined or split lines with code.
    """
    change = Change.between(before, after)
    lines = [*before[change.head : change.old - change.tail], *after[change.head : change.new - change.tail]]
    if any("noqa" in line.lower() for line in lines):
        return False
    if change.shift and any(line.strip() and not line.strip().startswith("#") for line in lines):
        return False
    return _same(old.body, new.body, change)


def _same(old: Sequence[ast.stmt], new: Sequence[ast.stmt], change: Change) -> bool:
    return len(old) == len(new) and all(_same_statement(a, b, change) for a, b in zip(old, new))


def _same_statement(old: ast.stmt, new: ast.stmt, change: Change) -> bool:
    moved = change.moved(old.lineno, old.end_lineno or old.lineno)
    if moved is not None:
        # The text of the whole statement is the same.
        return new.lineno == old.lineno + moved and type(old) is type(new)
    return _same_node(old, new, change)


def _same_node(old: ast.AST, new: ast.AST, change: Change) -> bool:
    if type(old) is not type(new):
        return False
    if getattr(old, "col_offset", 0) != getattr(new, "col_offset", 0):
        return False
    if not change.shift and getattr(old, "lineno", 0) != getattr(new, "lineno", 0):
        return False
    for name in old._fields:
        old_part, new_part = getattr(old, name, None), getattr(new, name, None)
        if isinstance(old_part, list) and isinstance(new_part, list):
            if len(old_part) != len(new_part) or not all(_same_part(a, b, change) for a, b in zip(old_part, new_part)):
                return False
        elif not _same_part(old_part, new_part, change):
            return False
    return True


def _same_part(old: object, new: object, change: Change) -> bool:
    if isinstance(old, ast.stmt) and isinstance(new, ast.stmt):
        return _same_statement(old, new, change)
    if isinstance(old, ast.AST) and isinstance(new, ast.AST):
        return _same_node(old, new, change)
    return type(old) is type(new) and old == new
