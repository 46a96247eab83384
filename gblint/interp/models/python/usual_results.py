"""Results of functions that mostly are the same: nothing is distributed, and messages for debugging are not logged."""

from __future__ import annotations

from typing import Final

from gblint.interp.domain import reach
from gblint.interp.state.call_args import Args
from gblint.values.base import FALSE, Const, Value

_FALSE: Final = frozenset(
    f"torch.distributed.{name}"
    for name in (
        "is_initialized",
        "is_torchelastic_launched",
        "distributed_c10d.is_initialized",
        "distributed_c10d.is_torchelastic_launched",
    )
)
_ENABLED: Final = "logging.Logger.isEnabledFor"
_LEVEL: Final = "logging.Logger.getEffectiveLevel"
_WARNING: Final = 30


def usually(name: str, args: Args, result: Value) -> Value:
    """Return the result of the function ``name`` with its usual value, if it has one.

    The arguments of a method begin with its receiver. A logger has the level of the root logger by default, WARNING.
    """
    if name in _FALSE:
        return reach.expected(result, FALSE)
    if name == _LEVEL:
        return reach.expected(result, Const(_WARNING))
    if name == _ENABLED and args.pos:
        level = args.pos[-1]
        if isinstance(level, Const) and isinstance(level.value, int):
            return reach.expected(result, Const(level.value >= _WARNING))
    return result
