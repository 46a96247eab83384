"""Constant tables: large dicts in which a library looks up the names of classes and functions."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from gblint.interp.state.frame import Frame
from gblint.runtime import ast_walk
from gblint.values.base import Const, Value
from gblint.values.containers import Mapping, Seq

MAX_TABLE = 2048


def of_pairs(pairs: Iterable[tuple[Value, Value]]) -> Mapping | None:
    """Return the dict with these entries; None if a key is not constant."""
    entries = dict(pairs)
    if len(entries) > MAX_TABLE or not all(isinstance(key, Const) for key in entries):
        return None
    return Mapping(tuple(entries.items()))


def of_items(items: Iterable[Value]) -> Mapping | None:
    """Return the dict of a sequence of pairs; None if a key is not constant."""
    pairs = [item.items for item in items if isinstance(item, Seq) and item.items is not None]
    return of_pairs((pair[0], pair[1]) for pair in pairs if len(pair) == 2)


def most_items(generator: ast.comprehension, taken: Iterable[ast.expr], frame: Frame, otherwise: int) -> int:
    """Return up to how many items a comprehension is evaluated item by item.

    Outside of compiled code a comprehension without calls only converts one table into another; it may have more items.
    """
    parts = (*taken, *generator.ifs)
    calls = any(isinstance(node, ast.Call) for part in parts for node in ast_walk.walk(part))
    return otherwise if frame.mode.tracing or calls else MAX_TABLE
