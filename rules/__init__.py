"""The catalogue: one module a rule, named after what it says; a module put here is found without being listed anywhere."""

from __future__ import annotations

from gblint.rules.base import Example, FixExample, On, Rule, all_rules, rule_by_code, rule_for

__all__ = ["Example", "FixExample", "On", "Rule", "all_rules", "rule_by_code", "rule_for"]
