"""Options of NumPy that Dynamo's copy of it refuses, apart from their defaults (torch/_numpy).

The parameters are those annotated with ``NotImplementedType`` in ``_funcs_impl.py``, ``_reductions_impl.py`` and
``_ndarray.py``, and those that ``array`` and ``ndarray.astype`` check.
"""

from __future__ import annotations

from typing import Final

from gblint.interp.state.call_context import CallContext
from gblint.values.base import Const, Tensor, Value

_CAUSES: Final = ("unsupported-fake-tensor-exception-in-fx-node",)
_DEFAULTS: Final[dict[str, tuple[tuple[object, str], ...]]] = {
    "order": (
        ("K", "array asarray copy empty_like full_like ones_like zeros_like ndarray.astype"),
        ("C", "empty full ones zeros eye reshape ravel ndarray.copy ndarray.flatten ndarray.reshape ndarray.ravel"),
        (None, "sort argsort ndarray.sort ndarray.argsort"),
    ),
    "subok": ((False, "array copy empty_like full_like ones_like zeros_like broadcast_to broadcast_arrays"),),
    "where": (
        (None, "any all amax amin max min sum prod mean std var copyto"),
        (None, "ndarray.any ndarray.all ndarray.max ndarray.min ndarray.sum ndarray.prod ndarray.mean ndarray.std"),
    ),
    "initial": ((None, "amax amin max min sum prod ndarray.max ndarray.min ndarray.sum ndarray.prod"),),
    "copy": ((True, "nan_to_num ndarray.astype"),),
    "casting": (("unsafe", "ndarray.astype"),),
    "mode": (("raise", "take put choose ndarray.take"),),
    "interpolation": ((None, "quantile percentile"),),
    "return_index": ((False, "unique"),),
    "equal_nan": ((True, "unique"),),
    "like": ((None, "array asarray arange empty full ones zeros eye identity tri"),),
}
_REFUSED: Final[dict[str, dict[str, object]]] = {}
for _option, _groups in _DEFAULTS.items():
    for _default, _names in _groups:
        for _name in _names.split():
            _REFUSED.setdefault(f"numpy.{_name}", {})[_option] = _default


def check(ctx: CallContext, name: str) -> None:
    """Report an option with another value than its default in a call of the function or method ``name``."""
    for option, default in _REFUSED.get(name, {}).items():
        given = ctx.args.kw.get(option)
        if given is not None and _differs(given, default):
            ctx.emit("call", f"{name}({option}=...)", _CAUSES)
            return


def _differs(value: Value, default: object) -> bool:
    return isinstance(value, Tensor) or (isinstance(value, Const) and value.value != default)
