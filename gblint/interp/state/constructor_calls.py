"""The arguments that the project's calls of classes pass to their constructors."""

from __future__ import annotations

from gblint.interp.state.call_args import Args
from gblint.project.modules import Module
from gblint.values.objects import Class

MAX_NOTED = 64
"""Calls of one class that are noted."""


class ConstructorCalls:
    """The calls of the project's classes outside of any region.

    wanted: whether they tell what parameters are of which nothing else is known.  They do so for what is compiled and
        not resolved otherwise: to look for them takes time.
    by_class: the arguments of each call, with the module whose evaluation led to it.
    searched: the classes whose callers were evaluated.
    caller: the module with the caller that is evaluated at the moment.
    rests_on_tests: whether something is known from calls in tests only.
    steps: the steps that the evaluation of callers took.
    """

    def __init__(self) -> None:
        self.wanted = False
        self.by_class: dict[Class, list[tuple[Args, Module | None]]] = {}
        self.searched: set[Class] = set()
        self.caller: Module | None = None
        self.rests_on_tests = False
        self.steps = 0

    def note(self, cls: Class, args: Args, scanned: Module | None) -> None:
        """Note a call of a class, made while the module ``scanned`` is searched."""
        if cls.module.origin == "user":
            known = self.by_class.setdefault(cls, [])
            if len(known) < MAX_NOTED:
                known.append((args, self.caller or scanned))
