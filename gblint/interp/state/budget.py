"""Errands: library code that has nothing to do with torch.

Outside of the compiled region only what it returns matters, and what that is shows soon or never: making a version or a
settings object takes a few hundred steps, while asking a server or compiling a regular expression goes through whole
packages.  In the region its breaks matter too, but they are all told at the line that calls it: once one is certain,
the rest of those packages has nothing to add.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gblint.runtime.lazy_dataclasses import dataclass

if TYPE_CHECKING:
    from gblint.interp.state.frame import TracingMode
    from gblint.interp.state.interpreter import Interpreter
    from gblint.project.modules import Module
    from gblint.values.objects import Function

MAX_STEPS = 3_000
# What is plain before it runs, and is run for its effects only.
MAX_STEPS_FOR_EFFECTS = 500
# A function whose errands came to nothing so often is not sent on another.
IN_VAIN = 2
# So many characters of a library that are read for the first time count as one step.
CHARACTERS_FOR_STEP = 100


@dataclass(frozen=True, slots=True)
class CallBudget:
    """What is in force while a function runs: an errand that it starts, or none in code that an errand came back to.

    ``bounded`` is false for the latter: of the project's functions that such a library calls nothing is left out.
    ``traced`` is true for one that has a bound only once it is known to break.
    ``limit`` and ``outer`` are what to go back to, ``start`` is the step at which the function begins.
    ``effects`` is true where not the result counts but what is changed.
    """

    bounded: bool
    limit: int
    outer: CallBudget | None
    start: int
    traced: bool = False
    effects: bool = False


def begin(m: Interpreter, function: Function, mode: TracingMode) -> CallBudget | None:
    """The errand that starts or pauses with a function that is about to run; None if nothing changes."""
    module, outer = function.module, m.errand
    bounded = is_bounded(m) and outer is not None and not outer.effects
    if module.origin != "library":
        if outer is None or not outer.bounded:
            return None
        m.errand = CallBudget(False, m.limit, outer, m.steps)
        m.limit = outer.limit
        return m.errand
    if bounded or module.names_torch:
        return None
    m.errand = CallBudget(True, m.limit, outer, m.steps, mode.tracing)
    if not mode.tracing:
        m.limit = min(m.limit, m.steps + MAX_STEPS)
    return m.errand


def broke(m: Interpreter) -> None:
    """A break is certain: if this is an errand in the region, it has a bound from now on."""
    if m.errand is not None and m.errand.traced:
        m.hurried = True
        m.limit = min(m.limit, max(m.steps, m.errand.start + MAX_STEPS))


def for_effects(m: Interpreter) -> CallBudget:
    """The errand of something that is run to see what it changes; to be ended by the caller."""
    m.errand = CallBudget(True, m.limit, m.errand, m.steps, effects=True)
    m.limit = min(m.limit, m.steps + MAX_STEPS_FOR_EFFECTS)
    return m.errand


def may_open(m: Interpreter, module: Module) -> bool:
    """Whether an errand goes on into a library that this interpreter has not come by; it counts as steps."""
    errand = m.errand
    if errand is None or not errand.bounded or errand.traced or module.origin != "library" or module.names_torch:
        return True
    m.limit -= len(module.source) // CHARACTERS_FOR_STEP
    return not m.exhausted


def is_vain(m: Interpreter, function: Function, mode: TracingMode) -> bool:
    """Whether errands of this function have come to nothing before; what makes an object is always run."""
    return not mode.tracing and m.vain.get(function.node, 0) >= IN_VAIN


def was_vain(m: Interpreter, function: Function) -> None:
    """Counts an errand that was cut short, and gave nothing."""
    if not function.name.endswith("__"):
        m.vain[function.node] = m.vain.get(function.node, 0) + 1


def counts_effects(m: Interpreter) -> bool:
    """Whether what is changed here counts; an errand counts for what it returns."""
    return m.errand is None or not m.errand.bounded or m.errand.effects


def end(m: Interpreter, errand: CallBudget) -> None:
    """Goes back to what was in force before."""
    m.errand, m.limit = errand.outer, errand.limit
    if errand.outer is not None and not errand.bounded:
        # What the project's code took is no part of the errand that it was called from.
        m.limit = min(errand.limit + m.steps - errand.start, errand.outer.limit)


def is_bounded(m: Interpreter) -> bool:
    """Whether an errand is in force."""
    return m.errand is not None and m.errand.bounded


def cut_short(m: Interpreter) -> bool:
    """Whether calls are not followed any more because an errand took too long: what is found now is not kept."""
    return is_bounded(m) and m.exhausted
