"""Graph-break ids that static analysis cannot detect, with the reason: ``data/unseen.json``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from gblint.knowledge.data_files import stored
from gblint.runtime.lazy_dataclasses import dataclass

# The meaning of each kind of reason, in the order of the tables.
KINDS: Mapping[str, str] = {
    "runtime": "It depends on how the program is run: on arguments, on how often it is called, on another library.",
    "fallout": "It follows from another break, which is the one to look at.",
    "internal": "A check inside Dynamo: no source is known to reach it, and what does is a bug of Dynamo's.",
    "hardware": "It takes hardware, or something built in C++, that the examples cannot be run on.",
    "python": "It happens with other versions of Python than the examples are run on.",
    "hard": "Source could show it, but only where values are known that gblint does not follow.",
    "retired": "Torch still lists it, but no code raises it any more.",
    "version": "Another version of torch has it than the one that the examples are run on.",
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
