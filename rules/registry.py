"""Discovery of the rules, and lookup by code and by event."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Iterator
from functools import cache

from gblint.diagnostics.break_event import BreakEvent
from gblint.rules.rule import On, Rule


def all_rules() -> tuple[Rule, ...]:
    """Return every rule of the catalogue, sorted by code."""
    return _discover()


def rule_by_code(code: str) -> Rule | None:
    """Return the rule with this code or name; None if there is none."""
    return next((rule for rule in _discover() if code in (rule.code, rule.name)), None)


def rule_for(event: BreakEvent) -> Rule | None:
    """Return the rule that describes ``event`` most closely; None for a kind that no rule describes."""
    return _closest(event.kind, event.subject, event.context)


@cache
def _closest(kind: str, subject: str, context: frozenset[str]) -> Rule | None:
    best: Rule | None = None
    highest = -1
    for on, rule in (*_by_kind().get(kind, ()), *_by_kind().get("*", ())):
        specificity = on.specificity(subject, context)
        if specificity > highest:
            best, highest = rule, specificity
    return best


@cache
def _by_kind() -> dict[str, list[tuple[On, Rule]]]:
    table: dict[str, list[tuple[On, Rule]]] = {}
    for rule in _discover():
        for on in rule.on:
            table.setdefault(on.kind, []).append((on, rule))
    return table


@cache
def _discover() -> tuple[Rule, ...]:
    """Import every module of every family, and instantiate the rules that they define."""
    modules = (importlib.import_module(name) for name in _module_names())
    rules = (rule() for module in modules for rule in _defined_in(vars(module), module.__name__))
    return tuple(sorted(rules, key=lambda rule: rule.code))


def _module_names() -> Iterator[str]:
    """Yield the dotted name of each module in a family, which is a package in this folder."""
    folder = os.path.dirname(__file__)
    for family in pkgutil.iter_modules([folder]):
        if family.ispkg:
            for module in pkgutil.iter_modules([os.path.join(folder, family.name)]):
                yield f"gblint.rules.{family.name}.{module.name}"


def _defined_in(names: dict[str, object], module: str) -> list[type[Rule]]:
    """Return the rules among the values of a module, without those that it imports."""
    return [
        value
        for value in names.values()
        if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module
    ]
