"""Comparison of the findings on a file of tests with the record of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.accuracy.source import Source
from benchmarks.counts import Counts

CATEGORIES = ("graph-break", "compile-error")
Statement = tuple[int, int]


@dataclass(frozen=True)
class Record:
    """The traced lines of a file of tests, and its breaks.

    traced: the lines that Dynamo traced.
    breaks: the lines where Dynamo broke the graph, each with the types of the breaks.
    errors: the lines where Dynamo raised another error, each with the types of the errors.
    """

    traced: frozenset[int]
    breaks: Mapping[int, Sequence[str]]
    errors: Mapping[int, Sequence[str]]


@dataclass
class Score(Counts):
    """Counts of statements that broke, and of findings.

    found, missed: the statements that broke, with and without a finding.
    right, wrong: the findings at such a statement, and those on a traced line of a function in which nothing broke or
        raised; all others are not judged.
    """

    found: int = 0
    missed: int = 0
    right: int = 0
    wrong: int = 0
    not_judged: int = 0
    entries: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """The share of the statements that broke and have a finding."""
        return self.found / max(1, self.found + self.missed)

    @property
    def precision(self) -> float:
        """The share of right findings among those that are judged."""
        return self.right / max(1, self.right + self.wrong)


def read(path: Path) -> Record:
    """Read a record; raises OSError or ValueError."""
    data = json.loads(path.read_text(encoding="utf-8"))
    traced = frozenset(line for span in data["traced"].split() for line in _lines(span))
    breaks, errors = ({int(line): kinds for line, kinds in data[key].items()} for key in ("breaks", "errors"))
    return Record(traced, breaks, errors)


def _lines(span: str) -> range:
    first, _, last = span.partition("-")
    return range(int(first), int(last or first) + 1)


def score(report: Mapping[str, Any], record: Record, tests: Path) -> Score:
    """Compare a JSON report on the file ``tests`` with the record of it; ``possible`` findings do not count."""
    source = Source(tests)
    broken: dict[Statement, int] = {}
    for line in record.breaks:
        broken.setdefault(source.statement(line), line)
    ended_early = {source.function(line) for line in (*record.breaks, *record.errors)}
    result = Score(entries=len(report["entries"]))
    covered: set[Statement] = set()
    seen: set[tuple[int, str]] = set()
    for finding in _of_file(report, tests.name):
        line = finding["line"]
        statements = {source.statement(at) for at in range(line, (finding.get("end_line") or line) + 1)}
        covered |= statements
        if (line, finding["code"]) in seen:
            continue
        seen.add((line, finding["code"]))
        if statements & broken.keys():
            result.right += 1
        elif line in record.traced and source.function(line) not in ended_early:
            result.wrong += 1
            result.notes.append(f"wrong  {tests.name}:{line} {finding['code']} {source.text(line)}")
        else:
            result.not_judged += 1
    for statement, line in broken.items():
        if statement in covered:
            result.found += 1
        else:
            result.missed += 1
            result.notes.append(f"missed {tests.name}:{line} {source.text(line)} | {record.breaks[line][0]}")
    return result


def _of_file(report: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    for finding in report["findings"]:
        judged = finding["category"] in CATEGORIES and finding["confidence"] != "possible"
        if judged and Path(finding["path"]).name == name:
            yield finding
