"""The merge of equal findings."""

from __future__ import annotations

from collections.abc import Iterable

from gblint.diagnostics.finding import Finding, SeverityCause
from gblint.diagnostics.reach import rank
from gblint.runtime.lazy_dataclasses import replace


def merge_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Merge findings of one code, place and message; the result has all entry points and the worst consequence."""
    found: dict[object, Finding] = {}
    for finding in findings:
        key = finding.identity
        other = found.get(key)
        if other is None:
            found[key] = finding
            continue
        nearer = min(other, finding, key=lambda each: rank(each.reach))
        worse = max(other, finding, key=lambda each: each.cost)
        found[key] = replace(
            other,
            entries=tuple(dict.fromkeys((*other.entries, *finding.entries))),
            severity=max(other.severity, finding.severity, key=lambda severity: severity.rank),
            confidence=max(other.confidence, finding.confidence, key=lambda level: level.rank),
            consequence=worse.consequence,
            cost=worse.cost,
            reach=nearer.reach,
            when=nearer.when,
            setting=other.setting or finding.setting,
            severity_cause=SeverityCause(other.raised_by or finding.raised_by, other.allowed_by or finding.allowed_by),
        )
    return list(found.values())
