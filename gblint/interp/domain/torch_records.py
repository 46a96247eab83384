"""Fields of objects of torch that are named tuples."""

from __future__ import annotations

from typing import Final

from gblint.values.base import NONE, Tensor, Value
from gblint.values.lattice import join
from gblint.values.objects import ExternalObject

_INDICES: Final = join(NONE, Tensor(1, "int"))
_FIELDS: Final[dict[str, dict[str, Value]]] = {
    "torch.nn.utils.rnn.PackedSequence": {
        "data": Tensor(),
        "batch_sizes": Tensor(1, "int"),
        "sorted_indices": _INDICES,
        "unsorted_indices": _INDICES,
    },
}


def field(value: ExternalObject, name: str) -> Value | None:
    """Return the field ``name`` of a named tuple; None if there is no such field."""
    return _FIELDS.get(value.cls, {}).get(name)


def fields(value: ExternalObject) -> tuple[Value, ...] | None:
    """Return all fields of a named tuple, in order; None for any other object."""
    known = _FIELDS.get(value.cls)
    return None if known is None else tuple(known.values())
