"""Lookup of rules by code and by event. The module of a rule is imported when the rule is first needed."""

from __future__ import annotations

import importlib
from functools import cache

from gblint.diagnostics.break_event import BreakEvent
from gblint.rules.index import IndexEntry, index
from gblint.rules.rule import On, Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule of the catalogue, sorted by code."""
    return tuple(map(_load, index().values()))


def rule_by_code(code: str) -> Rule | None:
    """Return the rule with this code or name; None if there is none."""
    entry = index().get(code) or next((entry for entry in index().values() if entry.name == code), None)
    return None if entry is None else _load(entry)


def rule_for(event: BreakEvent) -> Rule | None:
    """Return the rule that describes ``event`` most closely; None for a kind that no rule describes."""
    return _closest(event.kind, event.subject, event.context)


def rules_in(module: str) -> list[type[Rule]]:
    """Return the rules that a module defines, without those that it imports."""
    return [
        value
        for value in vars(importlib.import_module(module)).values()
        if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module
    ]


@cache
def _load(entry: IndexEntry) -> Rule:
    return next(rule() for rule in rules_in(f"{__package__}.{entry.module}") if rule.code == entry.code)


@cache
def _closest(kind: str, subject: str, context: frozenset[str]) -> Rule | None:
    best: IndexEntry | None = None
    highest = -1
    for on, entry in (*_by_kind().get(kind, ()), *_by_kind().get("*", ())):
        specificity = on.specificity(subject, context)
        if specificity > highest:
            best, highest = entry, specificity
    return None if best is None else _load(best)


@cache
def _by_kind() -> dict[str, list[tuple[On, IndexEntry]]]:
    table: dict[str, list[tuple[On, IndexEntry]]] = {}
    for entry in index().values():
        for on in entry.on:
            table.setdefault(on.kind, []).append((on, entry))
    return table
