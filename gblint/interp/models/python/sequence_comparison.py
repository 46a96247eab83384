"""Comparisons of lists and tuples, item by item."""

from __future__ import annotations

import ast

from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Const, Tensor
from gblint.values.containers import Seq


def of_sequences(interp: Interpreter, op: ast.cmpop, a: Seq, b: Seq, frame: Frame, node: ast.AST) -> bool:
    """Return whether two sequences first differ in a tensor item, which is reported."""
    if a.items is None or b.items is None or a.cls != b.cls or a.cls not in ("list", "tuple"):
        return False
    if isinstance(op, (ast.Eq, ast.NotEq)) and len(a.items) != len(b.items):
        return False
    for index, (one, other) in enumerate(zip(a.items, b.items)):
        if _same_variable(node, index):
            continue
        if isinstance(one, Const) and isinstance(other, Const):
            if one != other:
                return False
            continue
        if isinstance(one, Tensor) or isinstance(other, Tensor):
            interp.emit(
                frame,
                node,
                "sequence-comparison",
                "sequence-compare",
                ("list-richcompare-nonconst",),
                about=a.items[index],
            )
            return True
        return False
    return False


def is_less(a: Seq, b: Seq) -> bool | None:
    """Return whether one list or tuple orders before another; None if the differing items are unknown."""
    if a.items is None or b.items is None or a.cls != b.cls or a.cls not in ("list", "tuple"):
        return None
    for one, other in zip(a.items, b.items):
        if not (isinstance(one, Const) and isinstance(other, Const)):
            return None
        if one != other:
            x, y = one.value, other.value
            return x < y if isinstance(x, (int, float)) and isinstance(y, (int, float)) else None
    return len(a.items) < len(b.items)


def _same_variable(node: ast.AST, index: int) -> bool:
    """Return whether an item is compared with itself, as in ``[x, 1] == [x, 2]``."""
    if not isinstance(node, ast.Compare):
        return False
    sides = [s.elts for s in (node.left, *node.comparators) if isinstance(s, (ast.List, ast.Tuple))]
    parts = [elts[index] for elts in sides if index < len(elts)]
    return len(parts) == 2 and all(isinstance(p, ast.Name) for p in parts) and ast.dump(parts[0]) == ast.dump(parts[1])
