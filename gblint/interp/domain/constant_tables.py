"""Tables: large dicts of constants that a library looks up names of classes and functions in."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from gblint.interp.state.frame import Frame
from gblint.runtime import ast_walk
from gblint.values.base import Const, Value
from gblint.values.containers import Mapping, Seq

MAX_TABLE = 2048


def of_pairs(pairs: Iterable[tuple[Value, Value]]) -> Mapping | None:
    """The dict with these entries, if all keys are constants."""
    entries = dict(pairs)
    if len(entries) > MAX_TABLE or not all(isinstance(key, Const) for key in entries):
        return None
    return Mapping(tuple(entries.items()))


def of_items(items: Iterable[Value]) -> Mapping | None:
    """The dict that is made of a sequence of pairs, if all keys are constants."""
    pairs = [item.items for item in items if isinstance(item, Seq) and item.items is not None]
    return of_pairs((pair[0], pair[1]) for pair in pairs if len(pair) == 2)


def most_items(generator: ast.comprehension, taken: Iterable[ast.expr], frame: Frame, otherwise: int) -> int:
    """How many items of what a comprehension goes through are taken one by one.

    Outside of compiled code, where nothing is called for an item, it only turns one table into another.
    """
    parts = (*taken, *generator.ifs)
    calls = any(isinstance(node, ast.Call) for part in parts for node in ast_walk.walk(part))
    return otherwise if frame.mode.tracing or calls else MAX_TABLE
