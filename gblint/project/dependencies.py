"""What a piece of work has gone by: which modules it came by, and which words it looked for in all of the user's files.

Work that is done once more on the same modules, in files of which the others have none of the words, finds the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gblint.project.modules import Module


class DependencyRecorder:
    """The modules and words so far; ``resolved`` are the names whose ways through other modules are among them."""

    __slots__ = ("modules", "resolved", "words")

    def __init__(self) -> None:
        self.modules: set[Module] = set()
        self.words: set[str] = set()
        self.resolved: set[tuple[str, str]] = set()

    def mentions(self, module: Module, words: Iterable[str]) -> bool:
        """Whether the text of a module has one of the words; if so it is one of those that count."""
        asked = tuple(words)
        self.words.update(asked)
        found = any(module.contains(word) for word in asked)
        if found:
            self.modules.add(module)
        return found
