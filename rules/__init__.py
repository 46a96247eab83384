"""The catalogue of rules: one folder for each family, one module for each rule.

A module in a family folder is found by itself; there is no list of rules.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.registry import all_rules, rule_by_code, rule_for
from gblint.rules.rule import On, Rule

__all__ = ["Example", "FixExample", "On", "Rule", "all_rules", "rule_by_code", "rule_for"]
