"""Settings of ``torch._dynamo.config`` that remove a graph break."""

from __future__ import annotations

from typing import Final

from gblint.diagnostics.break_event import Category, ReachedBreak

CAPTURES: Final = ("capture_scalar_outputs", "capture_dynamic_output_shape_ops")

_SCALARS: Final = frozenset("item int float index tolist slice-bound size-arg scalar-arg".split())
_NOT_CAPTURED: Final = ("lstsq", "ctc_loss")
_LEVELS: Final = "critical debug error exception info log warn warning".split()
# Calls that are left out of compiled code if their function is in ``ignore_logging_functions``.
LOGGING: Final = {
    "builtins.print": "print",
    "warnings.warn": "warnings.warn",
    **{f"{owner}.{level}": f"{owner}.{level}" for owner in ("logging", "logging.Logger") for level in _LEVELS},
}


def removing_setting(reached: ReachedBreak) -> str:
    """Return the setting that removes a break, such as ``capture_scalar_outputs = True``; "" if there is none."""
    event = reached.event
    if event.category is not Category.GRAPH_BREAK:
        return ""
    if event.kind == "call" and event.subject in LOGGING:
        return f"ignore_logging_functions.add({LOGGING[event.subject]})"
    if reached.region.fullgraph:
        return ""  # it sets both
    scalars, shapes = CAPTURES
    if event.kind == "tensor-to-python" and event.subject in _SCALARS:
        return f"{scalars} = True"
    if event.kind == "dynamic-shape" and not event.subject.endswith(_NOT_CAPTURED):
        return f"{shapes} = True"
    return ""
