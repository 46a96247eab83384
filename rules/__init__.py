"""The catalogue: one module a rule, named after what it says.  A module put here is found; no list names it."""

from __future__ import annotations

from gblint.rules.base import Example, FixExample, On, Rule, all_rules, rule_by_code, rule_for

__all__ = ["Example", "FixExample", "On", "Rule", "all_rules", "rule_by_code", "rule_for"]
