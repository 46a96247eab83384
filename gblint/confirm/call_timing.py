"""Timing of calls with and without compilation, and of the first compiled call."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from gblint.confirm import devices
from gblint.confirm.jobs import CallTiming, TimeQuartiles

BACKEND = "inductor"
WARM_UP_CALLS = 3  # calls before the timed ones
MIN_TIMED, MAX_TIMED = 5, 200  # timed calls
TIMED_SECONDS = 3.0  # after this time no further call is timed, once there are MIN_TIMED


def time_calls(
    function: Any,
    compiled: Any,
    arguments: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]],
    *,
    backward: bool,
) -> CallTiming:
    """Time ``function`` and its ``compiled`` version with the same arguments.

    With ``backward`` a call is one forward pass and, if the result has gradients, one backward pass.
    """
    args, kwargs = arguments()

    def caller(callable: Any) -> Callable[[], None]:
        return lambda: _call(callable, args, kwargs, backward)

    eager = _quartiles(caller(function))
    start = time.perf_counter()
    caller(compiled)()
    devices.synchronize()
    first = time.perf_counter() - start
    return CallTiming(eager=eager, compiled=_quartiles(caller(compiled)), first=round(first, 6))


def _call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], backward: bool) -> None:
    result = function(*args, **kwargs)
    if backward:
        _backward(result)


def _backward(result: Any) -> None:
    """Run the backward pass from every tensor in the result, including those in attributes of objects."""
    import torch
    from torch.utils import _pytree

    leaves = _pytree.tree_leaves(result)
    leaves += [
        inner for leaf in leaves for inner in _pytree.tree_leaves(vars(leaf) if hasattr(leaf, "__dict__") else ())
    ]
    wanted = [each for each in leaves if isinstance(each, torch.Tensor) and each.requires_grad]
    if wanted:
        torch.autograd.backward([(leaf.abs() if leaf.is_complex() else leaf).sum() for leaf in wanted])


def _quartiles(call: Callable[[], None]) -> TimeQuartiles:
    """Return the median time of a call in seconds, and the quartiles."""
    for _ in range(WARM_UP_CALLS):
        call()
    devices.synchronize()
    times: list[float] = []
    begin = time.perf_counter()
    while len(times) < MIN_TIMED or (len(times) < MAX_TIMED and time.perf_counter() - begin < TIMED_SECONDS):
        start = time.perf_counter()
        call()
        devices.synchronize()
        times.append(time.perf_counter() - start)
    low, median, high = (round(value, 9) for value in statistics.quantiles(times, n=4))
    return TimeQuartiles(median, low, high, len(times))
