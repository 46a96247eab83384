"""Comparisons of lists and tuples, item by item."""

from __future__ import annotations

import ast

from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Const, Scalar, Tensor, Union, Value
from gblint.values.containers import Seq
from gblint.values.lattice import join_all


def of_sequences(interp: Interpreter, op: ast.cmpop, a: Seq, b: Seq, frame: Frame, node: ast.AST) -> bool:
    """Return whether two sequences first differ in a tensor item, which is reported."""
    if a.cls != b.cls or a.cls not in ("list", "tuple"):
        return False
    if a.items is None or b.items is None:
        return _of_unknown_length(interp, a, b, frame, node)
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
            if _is_other(one) or _is_other(other):
                return False  # a tensor equals neither None nor a text
            _report(interp, one, frame, node)
            return True
        return False
    return False


def _of_unknown_length(interp: Interpreter, a: Seq, b: Seq, frame: Frame, node: ast.AST) -> bool:
    """Return whether two sequences, at least one of unknown length, may differ in a tensor item, which is reported."""
    items = [join_all(each.items) if each.items is not None else each.rest for each in (a, b)]
    if not all(map(_is_number, items)) or not any(isinstance(each, Tensor) for each in items):
        return False
    _report(interp, items[0] if isinstance(items[0], Tensor) else items[1], frame, node, likely=True)
    return True


def _is_other(item: Value) -> bool:
    """Return whether an item is known to be neither a tensor nor a number."""
    return isinstance(item, (Const, Scalar)) and not _is_number(item)


def _is_number(item: Value) -> bool:
    """Return whether an item is a tensor or a number, or one of several."""
    if isinstance(item, Union):
        return all(map(_is_number, item.members))
    if isinstance(item, Const):
        return isinstance(item.value, (int, float, complex))
    return isinstance(item, Tensor) or (isinstance(item, Scalar) and item.kind in ("int", "float", "bool", "number"))


def _report(interp: Interpreter, item: Value, frame: Frame, node: ast.AST, *, likely: bool = False) -> None:
    causes = ("list-richcompare-nonconst",)
    interp.emit(frame, node, "sequence-comparison", "sequence-compare", causes, about=item, likely=likely)


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
