"""What a check of the source foresees, held against what a log tells of."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gblint.findings import Category, Finding, Severity
from gblint.runtime_logs.judge import Seen

_BREAKS = (Category.GRAPH_BREAK, Category.COMPILE_ERROR)


@dataclass(frozen=True, slots=True)
class Comparison:
    """``unseen`` was predicted and is not in the log: it does not hold, or its line did not run."""

    unseen: tuple[Finding, ...]
    torch_version: str

    @staticmethod
    def counts(found: Iterable[Seen]) -> tuple[int, int]:
        """How many breaks were predicted, and how many were not."""
        breaks = [each for each in found if each.finding.category in _BREAKS and each.predicted is not None]
        return sum(bool(each.predicted) for each in breaks), sum(not each.predicted for each in breaks)


def compare(
    found: Sequence[Seen], shown: Sequence[Finding], everything: Sequence[Finding], torch_version: str
) -> tuple[list[Seen], Comparison]:
    """Mark what was predicted: ``shown`` are the findings of the check, ``everything`` those also that it left out."""
    by_place: dict[tuple[str, int], list[Finding]] = {}
    for finding in everything:
        if finding.category in _BREAKS:
            for line in range(finding.span.line, max(finding.span.line, finding.span.end_line) + 1):
                by_place.setdefault((os.path.abspath(finding.span.path), line), []).append(finding)
    marked: list[Seen] = []
    met: set[int] = set()
    for each in found:
        if each.finding.category not in _BREAKS:
            marked.append(each)
            continue
        span = each.finding.span
        there = by_place.get((os.path.abspath(span.path), span.line), [])
        exact = [finding for finding in there if set(finding.gb_ids) & set(each.finding.gb_ids)]
        met.update(id(finding) for finding in exact or there)
        codes = tuple(dict.fromkeys(finding.code for finding in exact or there))
        marked.append(replace(_as_predicted(each, exact[0]) if exact else each, predicted=codes))
    unseen = tuple(
        finding
        for finding in shown
        if finding.category in _BREAKS and finding.severity is not Severity.INFO and id(finding) not in met
    )
    return marked, Comparison(unseen, torch_version)


def _as_predicted(seen: Seen, finding: Finding) -> Seen:
    """What was seen, under the rule and at the very expression that the check names."""
    found = replace(
        seen.finding,
        code=finding.code,
        rule=finding.rule,
        span=finding.span,
        help=finding.help or seen.finding.help,
        entries=finding.entries,
        fixes=finding.fixes,
    )
    advice = seen.advice if finding.code == seen.finding.code else (finding.help,)
    return replace(seen, finding=found, advice=tuple(filter(None, advice)))
