"""Fields of objects, and of results of torch that are named tuples."""

from __future__ import annotations

from typing import Final

from gblint.values.base import NONE, STR, Tensor, Value
from gblint.values.containers import Seq
from gblint.values.lattice import join, join_all
from gblint.values.objects import ExternalObject

GRAPH_MODULE: Final = "torch.fx.GraphModule"
EXPORTED_PROGRAM: Final = "torch.export.ExportedProgram"
MAKE_FX: Final = "torch.fx.experimental.proxy_tensor.make_fx"
"""The class under which the function that ``make_fx(f)`` returns is known: its calls return a ``GraphModule``."""
PACKED_SEQUENCE: Final = "torch.nn.utils.rnn.PackedSequence"
_INDICES: Final = join(NONE, Tensor(1, "int"))
_FIELDS: Final[dict[str, dict[str, Value]]] = {
    PACKED_SEQUENCE: {
        "data": Tensor(),
        "batch_sizes": Tensor(1, "int"),
        "sorted_indices": _INDICES,
        "unsorted_indices": _INDICES,
    },
}
_ATTRIBUTES: Final[dict[str, dict[str, Value]]] = {
    GRAPH_MODULE: {"graph": ExternalObject("torch.fx.Graph", pre_existing=True), "code": STR}
}
# The named tuples of ``torch.return_types``, without those of private functions.
_RESULTS: Final = tuple(
    tuple(names.split())
    for names in (
        "values indices",
        "min max",
        "eigenvalues eigenvectors",
        "U S Vh",
        "U S V",
        "Q R",
        "P L U",
        "sign logabsdet",
        "L info",
        "result info",
        "inverse info",
        "LU pivots",
        "LU pivots info",
        "LD pivots",
        "LD pivots info",
        "solution residuals rank singular_values",
        "solution cloned_coefficient",
        "mantissa exponent",
        "hist bin_edges",
        "a tau",
        "graph_module guards",
    )
)


def field_of_result(value: Seq, name: str) -> Value | None:
    """Return the field ``name`` of a tuple that an operator of torch returns; None if there is no such field.

    Several operators return tuples of the same length, so that a name may stand for one of two fields: ``U``.
    """
    if value.cls != "tuple" or value.items is None:
        return None
    fitting = [names.index(name) for names in _RESULTS if name in names and len(names) == len(value.items)]
    return join_all(value.items[index] for index in fitting) if fitting else None


def field(value: ExternalObject, name: str) -> Value | None:
    """Return the field ``name`` of a named tuple or of another object; None if there is no such field."""
    return _FIELDS.get(value.cls, {}).get(name) or _ATTRIBUTES.get(value.cls, {}).get(name)


def fields(value: ExternalObject) -> tuple[Value, ...] | None:
    """Return all fields of a named tuple, in order; None for any other object."""
    known = _FIELDS.get(value.cls)
    return None if known is None else tuple(known.values())
