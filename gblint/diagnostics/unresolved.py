"""Compiled objects that were not analysed, with the reason."""

from __future__ import annotations

from typing import Literal

from gblint.diagnostics.entry_point import EntryKind
from gblint.runtime.lazy_dataclasses import dataclass

Reason = Literal[
    "unknown-value", "parameter", "factory", "not-installed", "no-source", "base-class", "not-reached", "run-eagerly"
]
REASONS: tuple[Reason, ...] = (
    "unknown-value",
    "parameter",
    "factory",
    "not-installed",
    "no-source",
    "base-class",
    "not-reached",
    "run-eagerly",
)


@dataclass(frozen=True, slots=True)
class UnresolvedTarget:
    """A place that compiles an object which gblint could not resolve, or only in part.

    ``expression`` is the compiled expression, ``kind`` the way it is compiled. ``explanation`` is the reason as a
    sentence, ``hint`` tells the user how to specify the object. ``partly`` is true if other objects that are compiled
    at the same place were analysed.
    """

    path: str
    line: int
    column: int
    expression: str
    kind: EntryKind
    reason: Reason
    explanation: str
    hint: str
    partly: bool = False

    @property
    def message(self) -> str:
        """The message about the place, without the place."""
        analysed = "was analysed only in part" if self.partly else "was not analysed"
        return f"`{self.expression}`, compiled here, {analysed}: {self.explanation}; {self.hint}"
