"""Lookup of rules by torch's graph-break ids."""

from __future__ import annotations

from collections import Counter

from gblint.knowledge.id_examples import id_examples
from gblint.rules.registry import rule_by_code
from gblint.rules.rule import Rule


def rules_for_id(gb_id: str) -> tuple[Rule, ...]:
    """Return the rules that have an example of one of torch's ids, the most specific one first."""
    examples = id_examples().get(gb_id)
    if examples is None:
        return ()
    counts = Counter(line.rule for line in examples.lines)
    rules = [rule for rule in map(rule_by_code, sorted(counts)) if rule is not None]
    return tuple(sorted(rules, key=lambda rule: rank_for_id(gb_id, rule, counts[rule.code])))


def rank_for_id(gb_id: str, rule: Rule, lines: int) -> tuple[bool, int, int, str]:
    """Return the sort key of a rule for an id: lower is more specific; ``lines`` counts its example lines."""
    return gb_id not in rule.gb_ids[:1], len(rule.gb_ids), -lines, rule.code
