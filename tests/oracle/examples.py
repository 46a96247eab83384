"""All examples of a rule: those in the module of the rule, and those in ``tests/rules/<family>/<rule>``.

The second place is a module with tuples of the same names (``BREAKS``, ``CLEAN``, ``FIXES`` ...) as those of the rule.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from gblint.rules.examples import Example, FixExample
from gblint.rules.registry import all_rules
from gblint.rules.rule import Rule

# The tuples of examples, in the order in which tests and benchmarks use them.
KINDS = ("BREAKS", "DIVERGES", "RECOMPILES", "ADVISES", "CLEAN")
FIXES = "FIXES"


@dataclass(frozen=True)
class Case:
    """One example of a rule; ``kind`` is the name of the tuple that it is in."""

    rule: Rule
    example: Example
    kind: str
    name: str


@cache
def cases() -> tuple[Case, ...]:
    """Return every example of every rule."""
    return tuple(
        Case(rule, example, kind, f"{rule.code}-{rule.name}-{kind.lower()}{number}")
        for rule in all_rules()
        for kind in KINDS
        for number, example in enumerate(examples_of(rule, kind))
    )


def examples_of(rule: Rule, kind: str) -> tuple[Example, ...]:
    """Return the examples of one of ``KINDS``: first those of the documentation page, then the others."""
    return (*getattr(rule, kind), *getattr(more_examples(rule), kind, ()))


def fixes_of(rule: Rule) -> tuple[FixExample, ...]:
    """Return the examples of fixes: first those of the documentation page, then the others."""
    return (*rule.FIXES, *getattr(more_examples(rule), FIXES, ()))


def more_examples(rule: Rule) -> ModuleType | None:
    """Return the module in ``tests/rules`` with more examples of ``rule``; None if there is none."""
    name = name_of_data(rule)
    return importlib.import_module(name) if _exists(name) else None


def name_of_data(rule: Rule) -> str:
    """Return the dotted name of the module in ``tests/rules`` that belongs to ``rule``."""
    return "tests." + type(rule).__module__.removeprefix("gblint.")


def kinds_in(module: ModuleType) -> Iterator[str]:
    """Yield the names of the tuples of examples in a module."""
    return (kind for kind in (*KINDS, FIXES) if hasattr(module, kind))


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # a family without more examples has no folder
        return False
