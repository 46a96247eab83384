"""Errands: library code that has nothing to do with torch.

Outside of the compiled region only what it returns matters, and what that is shows soon or never: making a version or a
settings object takes a few hundred steps, while asking a server or compiling a regular expression goes through whole
packages.  In the region its breaks matter too, but they are all told at the line that calls it: once one is certain,
the rest of those packages has nothing to add.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gblint.records import dataclass

if TYPE_CHECKING:
    from gblint.interp.frames import Mode
    from gblint.interp.machine import Machine
    from gblint.values.objects import Function

MAX_STEPS = 3_000


@dataclass(frozen=True, slots=True)
class Errand:
    """What is in force while a function runs: an errand that it starts, or none in code that an errand came back to.

    ``bounded`` is false for the latter: of the project's functions that such a library calls nothing is left out.
    ``traced`` is true for one that has a bound only once it is known to break.
    ``limit`` and ``outer`` are what to go back to, ``start`` is the step at which the function begins.
    """

    bounded: bool
    limit: int
    outer: Errand | None
    start: int
    traced: bool = False


def begin(m: Machine, function: Function, mode: Mode) -> Errand | None:
    """The errand that starts or pauses with a function that is about to run; None if nothing changes."""
    module, outer = function.module, m.errand
    bounded = is_bounded(m)
    if module.origin != "library":
        if not bounded or outer is None:
            return None
        m.errand = Errand(False, m.limit, outer, m.steps)
        m.limit = outer.limit
        return m.errand
    if bounded or module.names_torch:
        return None
    m.errand = Errand(True, m.limit, outer, m.steps, mode.tracing)
    if not mode.tracing:
        m.limit = min(m.limit, m.steps + MAX_STEPS)
    return m.errand


def broke(m: Machine) -> None:
    """A break is certain: if this is an errand in the region, it has a bound from now on."""
    if m.errand is not None and m.errand.traced:
        m.limit = min(m.limit, max(m.steps, m.errand.start + MAX_STEPS))


def end(m: Machine, errand: Errand) -> None:
    """Goes back to what was in force before."""
    m.errand, m.limit = errand.outer, errand.limit
    if errand.outer is not None and not errand.bounded:
        # What the project's code took is no part of the errand that it was called from.
        m.limit = min(errand.limit + m.steps - errand.start, errand.outer.limit)


def is_bounded(m: Machine) -> bool:
    """Whether an errand is in force."""
    return m.errand is not None and m.errand.bounded


def cut_short(m: Machine) -> bool:
    """Whether calls are not followed any more because an errand took too long: what is found now is not kept."""
    return is_bounded(m) and m.exhausted
