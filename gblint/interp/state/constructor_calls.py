"""The arguments that the project's calls of classes pass to their constructors."""

from __future__ import annotations

from gblint.interp.state.call_args import Args
from gblint.values.objects import Class

MAX_NOTED = 64
"""Calls of one class that are noted."""


class ConstructorCalls:
    """The calls of the project's classes outside of any region.

    wanted: whether they tell what parameters are of which nothing else is known.  They do so for what is compiled and
        not resolved otherwise: to look for them takes time.
    by_class: the arguments of each call.
    searched: the classes whose callers were evaluated.
    steps: the steps that this took.
    """

    def __init__(self) -> None:
        self.wanted = False
        self.by_class: dict[Class, list[Args]] = {}
        self.searched: set[Class] = set()
        self.steps = 0

    def note(self, cls: Class, args: Args) -> None:
        """Note a call of a class."""
        if cls.module.origin == "user":
            known = self.by_class.setdefault(cls, [])
            if len(known) < MAX_NOTED:
                known.append(args)
