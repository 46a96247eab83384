"""The catalogue of rules: one folder for each family, one module for each rule.

``index.json`` lists the rules; ``make rule`` writes it.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.index import all_codes, codes_for, default_codes
from gblint.rules.registry import all_rules, rule_by_code, rule_for
from gblint.rules.rule import On, Rule

__all__ = [
    "Example",
    "FixExample",
    "On",
    "Rule",
    "all_codes",
    "all_rules",
    "codes_for",
    "default_codes",
    "rule_by_code",
    "rule_for",
]
