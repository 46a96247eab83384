"""The stage of a run in which the rules turn breaks into findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gblint.diagnostics.break_event import Confidence, ReachedBreak
from gblint.diagnostics.count_range import CountRange
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.knowledge.catalog import Knowledge
from gblint.project.source_text import Source
from gblint.rules import rule_for
from gblint.runtime.lazy_dataclasses import replace


def judge(reached: Iterable[ReachedBreak], knowledge: Knowledge) -> Iterator[Finding]:
    """Yield the findings that the rules make of breaks, for the version of torch at hand."""
    for each in reached:
        rule = rule_for(each.event)
        if rule is not None and rule.is_valid_for(knowledge.version):
            finding = rule.finding(each)
            yield replace(finding, gb_ids=tuple(filter(knowledge.gives, finding.gb_ids)))


def graphs_of_call(point: EntryPoint, findings: Iterable[Finding]) -> CountRange | None:
    """Return the number of graphs that a call of an entry point runs: none if a break raises an error instead."""
    if point.graphs is None or not point.region.raises:
        return point.graphs
    raising = [each for each in findings if each.raises and point.name in each.entries]
    if not raising:
        return point.graphs
    sure = any(each.reach == "always" and each.confidence is not Confidence.POSSIBLE for each in raising)
    return CountRange(0, 0 if sure else point.graphs.high)


def with_character_columns(finding: Finding, source: Source) -> Finding:
    """Return the finding with columns that count characters; the columns of ``ast`` count bytes of UTF-8."""
    span = finding.span
    last = span.end_line or span.line
    if source.text(span.path).isascii():
        return finding
    lines = source.lines(span.path)
    column, end_column = (
        len(lines[line - 1].encode("utf-8", "surrogatepass")[: col - 1].decode("utf-8", "ignore")) + 1
        if 1 <= line <= len(lines)
        else col
        for line, col in ((span.line, span.column), (last, span.end_column))
    )
    return replace(finding, span=replace(span, column=column, end_column=end_column))
