"""Indices of tensors: the rank and the strides of what they select, and masks."""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain.access_paths import last_name
from gblint.values.base import NONE, Const, Scalar, Tensor, Value, members
from gblint.values.containers import Seq, Slice
from gblint.values.lattice import element

# Words in the names of masks, and those that make the name one of positions: ``mask_idx``.
_MASKS: Final = frozenset(("mask", "masks"))
_POSITIONS: Final = frozenset(
    "id ids idx idxs ind inds index indexes indices len length lengths num number pos position positions size sizes "
    "token tokens".split()
)
# Methods and attributes whose result has the elements of the tensor.
_SAME_ELEMENTS: Final = frozenset(
    "T mT clone contiguous cpu cuda detach expand expand_as flatten movedim permute ravel repeat reshape squeeze "
    "swapaxes t to transpose unsqueeze view view_as".split()
)


def is_written_as_mask(index: ast.expr | None) -> bool:
    """Return whether an index is ``~m``, ``a & b`` or ``a | b``, or has the name of a mask: mostly one of bools.

    A part of such a tensor is one, too, and so is one of another shape: ``mask[0]``, ``mask.view(-1)``.
    """
    index = _whole(index)
    if isinstance(index, ast.UnaryOp):
        return isinstance(index.op, ast.Invert)
    if isinstance(index, ast.BinOp):
        return isinstance(index.op, (ast.BitAnd, ast.BitOr))
    words = set() if index is None else set(last_name(index).lower().split("_"))
    return not words.isdisjoint(_MASKS) and words.isdisjoint(_POSITIONS)


def _whole(index: ast.expr | None) -> ast.expr | None:
    """Return the tensor of which an expression selects a part, or changes the shape."""
    while True:
        read = index.func if isinstance(index, ast.Call) else index
        if isinstance(index, ast.Subscript):
            index = index.value
        elif isinstance(read, ast.Attribute) and read.attr in _SAME_ELEMENTS:
            index = read.value
        else:
            return index


def advanced_rank(rank: int | None, indices: list[Tensor]) -> int | None:
    """Return the rank of a tensor of rank ``rank`` that is indexed by tensors."""
    if rank is None or len(indices) != 1 or indices[0].rank is None:
        return None
    index = indices[0]
    assert index.rank is not None
    if index.dtype == "bool":
        return rank - index.rank + 1
    return rank - 1 + index.rank if index.dtype is not None else None


def is_strided(parts: tuple[Value, ...]) -> bool:
    """Return whether basic indices select a part that is not contiguous: ``[::2]``, ``[:, 0]`` or ``[:, 1:]``."""
    if not parts or not all(isinstance(part, (Slice, Scalar, Const)) for part in parts):
        return False
    first = parts[0]
    if not isinstance(first, Slice):
        return False
    steps = [part.step for part in parts if isinstance(part, Slice)]
    if any(isinstance(step, Const) and step.value not in (None, 1) for step in steps):
        return True
    return any(_selects(part) for part in parts[1:])


def _selects(part: Value) -> bool:
    """Return whether an index selects a part of a dimension, or one item of it."""
    if isinstance(part, Slice):
        return any(bound not in (NONE, Const(0)) for bound in (part.lower, part.upper))
    return isinstance(part, Scalar) or (isinstance(part, Const) and type(part.value) is int)


def is_bool_list(value: Value) -> bool:
    """Return whether an index is a list of truth values, which selects as a mask does."""
    if not isinstance(value, Seq) or value.cls != "list":
        return False
    items = value.items if value.items is not None else members(element(value))
    return bool(items) and all(
        (isinstance(v, Const) and isinstance(v.value, bool)) or (isinstance(v, Scalar) and v.kind == "bool")
        for item in items
        for v in members(item)
    )
