"""Ways: the undecided conditions under which a place in a function runs."""

from __future__ import annotations

import ast
from typing import Final

from gblint.project.modules import Module
from gblint.values.base import Value

ALWAYS: Final = 0
DEFAULT: Final = 1
INPUT: Final = 2
OPTION: Final = 3
ERROR: Final = 4


class Condition:
    """One outcome of an undecided condition.

    node: the condition; a case of a ``match`` or a handler of a ``try`` stands for itself.
    holds: the outcome.
    level: ALWAYS for both outcomes of a test of the training mode, DEFAULT for an outcome that the declared defaults
        bring about, INPUT for one that nothing declared decides, OPTION for one that they rule out, ERROR for a
        branch that raises.
    chosen: for the choice of one of several callables, its name; ``node`` is then what is called.
    owner: for ``self.training``, the object, unless the region has set its mode.
    """

    __slots__ = ("chosen", "holds", "level", "module", "node", "owner")

    def __init__(
        self,
        node: ast.AST,
        module: Module,
        holds: bool,
        level: int,
        chosen: str = "",
        owner: Value | None = None,
    ) -> None:
        self.node = node
        self.module = module
        self.holds = holds
        self.level = level
        self.chosen = chosen
        self.owner = owner


PathCondition = tuple[Condition, ...]
Modes = frozenset[tuple[int, bool]]
"""The training modes that a path needs: the identity of an object, and its mode."""
NO_MODES: Final[Modes] = frozenset()


def level_of(path: PathCondition) -> int:
    """Return the highest level of the conditions of a path."""
    return max([condition.level for condition in path], default=ALWAYS)


def with_modes(modes: Modes, path: PathCondition) -> Modes | None:
    """Return the modes that a path needs besides ``modes``; None if one object has to be in both modes."""
    new = {(id(condition.owner), condition.holds) for condition in path if condition.owner is not None} - modes
    if not new:
        return modes
    both = modes | new
    return None if any((owner, not mode) in both for owner, mode in new) else both


def easier(old: PathCondition, new: PathCondition) -> PathCondition:
    """Return the path with the lower level; of two with the same level the one with fewer conditions."""
    if not old or old is new:
        return old
    return new if (level_of(new), len(new)) < (level_of(old), len(old)) else old
