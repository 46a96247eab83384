"""Reach: how far a finding is reached from its entry point, and the conditions on the path."""

from __future__ import annotations

from typing import Final, Literal

from gblint.runtime.lazy_dataclasses import dataclass

Reach = Literal["always", "default", "input", "option", "error"]

REACHES: Final[tuple[Reach, ...]] = ("always", "default", "input", "option", "error")
"""From the easiest to the hardest."""


@dataclass(frozen=True, slots=True)
class ReachCondition:
    """An undecided condition on the path to a finding.

    ``text``: the source text of the condition.
    ``path``, ``line``: its place.
    ``holds``: the outcome with which the finding is reached.
    ``reach``: how far this outcome is reached.
    """

    text: str
    path: str
    line: int
    holds: bool
    reach: Reach


def rank(reach: Reach) -> int:
    """Return 0 for always up to 4 for error."""
    return REACHES.index(reach)
