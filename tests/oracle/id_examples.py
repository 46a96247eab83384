"""Write ``gblint/knowledge/data/id_examples.json``, the examples that ``gblint explain`` shows for torch's ids.

Run ``python -m tests.oracle.id_examples`` after a change of examples; a test checks that the file is current.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from gblint.knowledge.data_files import FOLDER
from gblint.rules.examples import Example
from gblint.rules.registry import all_rules
from gblint.rules.rule import Rule
from gblint.rules.torch_ids import rank_for_id
from tests.oracle.examples import examples_of
from tests.oracle.marks import marked, without_mark

DATA = Path(FOLDER, "id_examples.json")


@dataclass(frozen=True)
class BreakingLine:
    """A line of an example that is marked with an id."""

    rule: Rule
    example: Example
    line: int

    @property
    def text(self) -> str:
        """The line without its mark."""
        return without_mark(self.example.source.splitlines()[self.line - 1])


def breaking_lines() -> dict[str, list[BreakingLine]]:
    """Return, for each id that an example is marked with, the lines with that mark."""
    found: dict[str, list[BreakingLine]] = {}
    for rule in all_rules():
        for example in examples_of(rule, "BREAKS"):
            for line, ids in marked(example.source).items():
                for gb_id in ids:
                    found.setdefault(gb_id, []).append(BreakingLine(rule, example, line))
    return found


def contents() -> str:
    """Return the text of the file."""
    table = {}
    for gb_id, lines in sorted(breaking_lines().items()):
        counts = Counter(each.rule.code for each in lines)
        first = min(lines, key=lambda each: rank_for_id(gb_id, each.rule, counts[each.rule.code]))
        table[gb_id] = (first.example.source, [(each.rule.code, each.text) for each in lines])
    return json.dumps(table, indent=0) + "\n"


if __name__ == "__main__":
    DATA.write_text(contents(), encoding="utf-8")
