"""The filters that decide which findings are shown."""

from __future__ import annotations

from collections.abc import Iterable

from gblint.config.settings import Config
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.reach import rank
from gblint.filters.noqa import Comment, can_silence, comments
from gblint.filters.per_file_ignores import PerFileIgnores
from gblint.filters.selection import Selection
from gblint.project.source_text import Source
from gblint.runtime.lazy_dataclasses import dataclass


@dataclass(slots=True)
class FilteredFindings:
    """The findings to show, those that a comment silences, and the number of those that are left out.

    ``below_confidence``: those below the wanted confidence; ``beyond_reach``: those beyond the wanted reach.
    """

    shown: list[Finding]
    silenced: list[Finding]
    below_confidence: int
    beyond_reach: int


def filter_findings(
    findings: Iterable[Finding], selection: Selection, config: Config, source: Source
) -> FilteredFindings:
    """Apply the selected codes, the per-file ignores, the noqa comments, the confidence and the reach."""
    rules = config.selection
    ignores = PerFileIgnores((*rules.per_file_ignores, *rules.extend_per_file_ignores), config.root)
    noqa: dict[str, list[Comment]] = {}
    result = FilteredFindings([], [], 0, 0)
    for finding in sorted(findings, key=lambda each: each.position):
        path = finding.span.path
        if not selection.wants(finding.code) or ignores.silences(finding.code, path):
            continue
        if path not in noqa:
            text = source.text(path)
            noqa[path] = comments(text) if can_silence(text) else []
        first, last = finding.span.line, max(finding.span.line, finding.span.end_line)
        is_silenced = any(comment.silences(finding.code, first, last) for comment in noqa[path])
        if finding.confidence.rank < config.min_confidence.rank:
            result.below_confidence += not is_silenced
        elif is_beyond_reach(finding, config):
            result.beyond_reach += not is_silenced
        else:
            (result.silenced if is_silenced else result.shown).append(finding)
    return result


def is_beyond_reach(finding: Finding, config: Config) -> bool:
    """Return whether a finding is harder to reach than wanted."""
    return config.reach != "all" and rank(finding.reach) > rank(config.reach)
