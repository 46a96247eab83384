"""The filters that decide which findings are shown."""

from __future__ import annotations

from collections.abc import Iterable

from gblint.config.settings import Config
from gblint.diagnostics.finding import Finding
from gblint.filters.noqa import Comment, can_silence, comments
from gblint.filters.per_file_ignores import PerFileIgnores
from gblint.filters.selection import Selection
from gblint.project.source_text import Source
from gblint.runtime.lazy_dataclasses import dataclass


@dataclass(slots=True)
class FilteredFindings:
    """The findings to show, those that a comment silences, and the number of those below the wanted confidence."""

    shown: list[Finding]
    silenced: list[Finding]
    below_confidence: int


def filter_findings(
    findings: Iterable[Finding], selection: Selection, config: Config, source: Source
) -> FilteredFindings:
    """Apply the selected codes, the per-file ignores, the noqa comments and the confidence, in this order."""
    rules = config.selection
    ignores = PerFileIgnores((*rules.per_file_ignores, *rules.extend_per_file_ignores), config.root)
    noqa: dict[str, list[Comment]] = {}
    result = FilteredFindings([], [], 0)
    for finding in sorted(findings, key=_position):
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
        else:
            (result.silenced if is_silenced else result.shown).append(finding)
    return result


def _position(finding: Finding) -> tuple[str, int, int, str, str]:
    return finding.span.path, finding.span.line, finding.span.column, finding.code, finding.message
