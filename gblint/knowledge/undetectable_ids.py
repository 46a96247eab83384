"""Graph-break ids that static analysis cannot detect, with the reason: ``data/unseen.json``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from gblint.knowledge.data_files import stored
from gblint.runtime.lazy_dataclasses import dataclass

# The meaning of each kind of reason, in the order of the tables.
KINDS: Mapping[str, str] = {
    "runtime": "It depends on how the program is run: on arguments, on how often it is called, on another library.",
    "fallout": "It follows from another break, which is the one to fix.",
    "internal": "A check inside Dynamo: no source is known to reach it; if some does, Dynamo has a bug.",
    "hardware": "It needs hardware, or an extension in C++, that the runs of the examples do not have.",
    "python": "It needs another version of Python than the one that runs the examples.",
    "hard": "Source could show it, but only with values that gblint does not track.",
    "retired": "Torch still lists it, but no code raises it any more.",
    "version": "The version of torch that runs the examples does not have it.",
}


@dataclass(frozen=True, slots=True)
class Unseen:
    """The reason why no rule reports an id."""

    kind: str
    why: str


@cache
def unseen() -> Mapping[str, Unseen]:
    """Return the ids that no example can show, with the reasons."""
    raw = stored("unseen")
    return {gb_id: Unseen(kind, why) for gb_id, (kind, why) in raw.items()}
