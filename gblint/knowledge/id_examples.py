"""Examples of torch's graph-break ids, from ``data/id_examples.json``.

The file is made from the examples of the rules by ``python -m tests.oracle.id_examples``; a test checks that it is
current.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from gblint.knowledge.data_files import stored
from gblint.runtime.lazy_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExampleLine:
    """A line of an example on which Dynamo breaks: the code of the rule, and the text of the line."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class IdExamples:
    """The lines that break with an id, and the source of the example to show for it."""

    source: str
    lines: tuple[ExampleLine, ...]


@cache
def id_examples() -> Mapping[str, IdExamples]:
    """Return the examples of each id that some example of a rule breaks with."""
    raw = stored("id_examples")
    return {
        gb_id: IdExamples(source, tuple(ExampleLine(rule, text) for rule, text in lines))
        for gb_id, (source, lines) in raw.items()
    }
