"""Functions of ``math`` on known numbers: Dynamo computes them while it traces, as Python does."""

from __future__ import annotations

import math
from typing import Final

from gblint.interp.state.call_args import Args
from gblint.values import folding
from gblint.values.base import Const, Value

# All of them take a time that does not depend on the numbers; ``factorial``, ``comb`` and ``perm`` do not.
_FUNCTIONS: Final = frozenset(
    "atan atan2 ceil copysign cos degrees exp fabs floor fmod gcd hypot isfinite isinf isnan isqrt lcm log log10 log1p "
    "log2 pow radians sin sqrt tan tanh trunc".split()
)


def result(name: str, args: Args) -> Value | None:
    """Return what the function with the qualified ``name`` returns for numbers; None if that is not known.

    It is not known, either, if the result is not a number: such a value does not equal itself.
    """
    module, _, function = name.rpartition(".")
    if module != "math" or function not in _FUNCTIONS or args.kw or args.star is not None:
        return None
    numbers = [each.value for each in args.pos if isinstance(each, Const) and isinstance(each.value, (int, float))]
    if len(numbers) < len(args.pos):
        return None
    try:
        found = folding.fold(getattr(math, function), *numbers)
    except (ArithmeticError, TypeError, ValueError):
        return None
    return None if isinstance(found, Const) and found.value != found.value else found
