"""Which rules show which of torch's ids: read off the marks in the examples, never listed anywhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache

from gblint.rules.examples import Example
from gblint.rules.registry import all_rules
from gblint.rules.rule import Rule
from gblint.runtime.lazy_dataclasses import dataclass

Breaks = dict[int, tuple[str, ...]]

_MARK = re.compile(r"#\s*breaks(?::\s*(?P<ids>GB\d{4}(?:\s*,\s*GB\d{4})*))?\s*$")


@dataclass(frozen=True, slots=True)
class Shown:
    """A line of an example on which Dynamo breaks with a certain id."""

    rule: Rule
    example: Example
    line: int

    @property
    def code(self) -> str:
        """The line without its mark."""
        return _MARK.sub("", self.example.source.splitlines()[self.line - 1]).strip()


def marked(source: str) -> Breaks:
    """The lines of ``source`` marked ``# breaks: GB0124``, counted from 1, each with the ids that it names."""
    found: Breaks = {}
    for number, line in enumerate(source.splitlines(), 1):
        mark = _MARK.search(line)
        if mark is not None:
            found[number] = tuple(sorted(re.findall(r"GB\d{4}", mark["ids"] or "")))
    return found


@cache
def coverage() -> Mapping[str, tuple[Shown, ...]]:
    """For each id that an example breaks with, the lines where it does."""
    shown: dict[str, list[Shown]] = {}
    for rule in all_rules():
        for example in rule.BREAKS:
            for line, ids in marked(example.source).items():
                for gb_id in ids:
                    shown.setdefault(gb_id, []).append(Shown(rule, example, line))
    return {gb_id: tuple(lines) for gb_id, lines in shown.items()}


def rules_for(gb_id: str) -> tuple[Rule, ...]:
    """The rules with an example that breaks with ``gb_id``: first those that are most about it."""
    counts = Counter(shown.rule.code for shown in coverage().get(gb_id, ()))
    by_code = {shown.rule.code: shown.rule for shown in coverage().get(gb_id, ())}

    def rank(code: str) -> tuple[bool, int, int, str]:
        own = by_code[code].gb_ids
        return gb_id not in own[:1], len(own), -counts[code], code

    return tuple(by_code[code] for code in sorted(counts, key=rank))
