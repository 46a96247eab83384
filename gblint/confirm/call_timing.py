"""What compilation brings and costs: the time of a call without it and with it, and of the first compiled call."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from gblint.confirm import devices
from gblint.confirm.jobs import CallTiming, TimeQuartiles

BACKEND = "inductor"
WARM_UP_CALLS = 3  # calls that are not counted
MIN_CALLS, MAX_CALLS = 5, 200  # calls that are
TIMED_SECONDS = 3.0  # for the calls that are counted, once there are enough of them


def time_calls(
    function: Any,
    compiled: Any,
    arguments: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]],
    *,
    backward: bool,
) -> CallTiming:
    """Time ``function`` and what was ``compiled`` of it, each with the same arguments.

    With ``backward`` a call is one forward and, where the result has gradients, one backward pass.
    """
    args, kwargs = arguments()

    def called(what: Any) -> Callable[[], None]:
        return lambda: _call(what, args, kwargs, backward)

    eager = _spread(called(function))
    start = time.perf_counter()
    called(compiled)()
    devices.synchronize()
    first = time.perf_counter() - start
    return CallTiming(eager=eager, compiled=_spread(called(compiled)), first=round(first, 6))


def _call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], backward: bool) -> None:
    result = function(*args, **kwargs)
    if backward:
        _backward(result)


def _backward(result: Any) -> None:
    """Run back from every tensor in the result; objects that are no containers are looked into."""
    import torch
    from torch.utils import _pytree

    leaves = _pytree.tree_leaves(result)
    leaves += [
        inner for leaf in leaves for inner in _pytree.tree_leaves(vars(leaf) if hasattr(leaf, "__dict__") else ())
    ]
    wanted = [each for each in leaves if isinstance(each, torch.Tensor) and each.requires_grad]
    if wanted:
        torch.autograd.backward([(leaf.abs() if leaf.is_complex() else leaf).sum() for leaf in wanted])


def _spread(call: Callable[[], None]) -> TimeQuartiles:
    """The time of a call, in seconds: the median of many, and the quartiles."""
    for _ in range(WARM_UP_CALLS):
        call()
    devices.synchronize()
    times: list[float] = []
    begin = time.perf_counter()
    while len(times) < MIN_CALLS or (len(times) < MAX_CALLS and time.perf_counter() - begin < TIMED_SECONDS):
        start = time.perf_counter()
        call()
        devices.synchronize()
        times.append(time.perf_counter() - start)
    low, median, high = (round(value, 9) for value in statistics.quantiles(times, n=4))
    return TimeQuartiles(median, low, high, len(times))
