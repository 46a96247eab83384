"""Dependencies of a work unit: the modules that it read and the words that it searched for in the user's files.

The result of the unit stays valid while these modules are unchanged and no other file of the user contains one of the
words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gblint.project.modules import Module


class DependencyRecorder:
    """The modules and words of the current work unit, and the paths of other ``files`` that it read.

    ``resolved`` has the names whose modules are already recorded.
    """

    __slots__ = ("files", "modules", "resolved", "words")

    def __init__(self) -> None:
        self.modules: set[Module] = set()
        self.words: set[str] = set()
        self.files: set[str] = set()
        self.resolved: set[tuple[str, str]] = set()

    def mentioning(self, words: Iterable[str], found: Iterable[Module]) -> None:
        """Record words that were searched for, and the modules with one of them."""
        self.words.update(words)
        self.modules.update(found)

    def mentions(self, module: Module, words: Iterable[str]) -> bool:
        """Return whether the text of a module has one of the words; if so, record the module."""
        searched = tuple(words)
        self.words.update(searched)
        found = any(module.contains(word) for word in searched)
        if found:
            self.modules.add(module)
        return found
