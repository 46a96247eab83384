"""The merge of equal findings."""

from __future__ import annotations

from collections.abc import Iterable

from gblint.diagnostics.break_event import of_both
from gblint.diagnostics.finding import Finding, SeverityCause
from gblint.diagnostics.reach import rank
from gblint.runtime.lazy_dataclasses import replace


def merge_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Merge findings of one code, place and message; the result has all entry points.

    The chain, the conditions and the consequence are those of the finding that is reached most easily, of two equal
    ones those of the one that costs most.
    """
    found: dict[object, Finding] = {}
    for finding in findings:
        key = finding.identity
        other = found.get(key)
        if other is None:
            found[key] = finding
            continue
        first = min(other, finding, key=lambda each: (rank(each.reach), -each.cost))
        found[key] = replace(
            first,
            entries=tuple(dict.fromkeys((*first.entries, *other.entries, *finding.entries))),
            severity=max(other.severity, finding.severity, key=lambda severity: severity.rank),
            confidence=max(other.confidence, finding.confidence, key=lambda level: level.rank),
            setting=other.setting or finding.setting,
            consequence=of_both(first.consequence, (finding if first is other else other).consequence),
            severity_cause=SeverityCause(other.raised_by or finding.raised_by, other.allowed_by or finding.allowed_by),
        )
    return list(found.values())
