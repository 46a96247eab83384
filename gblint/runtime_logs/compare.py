"""What a check of the source foresees, held against what a log tells of."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.span import ChainLink
from gblint.runtime_logs.findings import LoggedFinding

_BREAKS = (Category.GRAPH_BREAK, Category.COMPILE_ERROR)
_SITE = re.compile(r".*[/\\](?:site|dist)-packages[/\\]")

_Table = Mapping[tuple[str, int], Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """``unseen`` was predicted and is not in the log: it does not hold, or its line did not run."""

    unseen: tuple[Finding, ...]
    torch_version: str

    @staticmethod
    def counts(found: Iterable[LoggedFinding]) -> tuple[int, int]:
        """How many breaks were predicted, and how many were not."""
        breaks = [each for each in found if each.finding.category in _BREAKS and each.predicted is not None]
        return sum(bool(each.predicted) for each in breaks), sum(not each.predicted for each in breaks)


def compare(
    found: Sequence[LoggedFinding], shown: Sequence[Finding], everything: Sequence[Finding], torch_version: str
) -> tuple[list[LoggedFinding], Comparison]:
    """Mark what was predicted: ``shown`` are the findings of the check, ``everything`` those also that it left out."""
    inside, reported = _tables(everything)
    marked: list[LoggedFinding] = []
    met: set[int] = set()
    for each in found:
        if each.finding.category not in _BREAKS:
            marked.append(each)
            continue
        exact, near = _predictions(each, inside, reported)
        met.update(id(finding) for finding in exact or near)
        codes = tuple(dict.fromkeys(finding.code for finding in exact or near))
        marked.append(replace(_as_predicted(each, exact[0]) if exact else each, predicted=codes))
    unseen = tuple(
        finding
        for finding in shown
        if finding.category in _BREAKS and finding.severity is not Severity.INFO and id(finding) not in met
    )
    return marked, Comparison(unseen, torch_version)


def _tables(findings: Sequence[Finding]) -> tuple[_Table, _Table]:
    """The findings by where Dynamo gives up inside a library, and the others by the lines they are reported at."""
    inside: dict[tuple[str, int], list[Finding]] = {}
    reported: dict[tuple[str, int], list[Finding]] = {}
    for finding in findings:
        if finding.category not in _BREAKS:
            continue
        span = finding.span
        # An entry point may itself be in a library, so that what is reported there is inside one as well.
        if finding.chain and _key(finding.chain[-1]) != (os.path.abspath(span.path), span.line):
            inside.setdefault(_key(finding.chain[-1]), []).append(finding)
        for line in range(span.line, max(span.line, span.end_line) + 1):
            reported.setdefault((os.path.abspath(span.path), line), []).append(finding)
    return inside, reported


def _predictions(seen: LoggedFinding, inside: _Table, reported: _Table) -> tuple[list[Finding], list[Finding]]:
    """The findings that say the same, and those that speak of the same place and name another id."""
    span = seen.finding.span
    there = list(reported.get((os.path.abspath(span.path), span.line), ()))
    if seen.innermost is not None:
        # Much may be reached through one call: what counts is the line in the library.
        there = list(inside.get(_key(seen.innermost), ()))
    exact = [finding for finding in there if set(finding.gb_ids) & set(seen.finding.gb_ids)]
    return exact, there


def _key(link: ChainLink) -> tuple[str, int]:
    """A place, the same on every machine if it is in an installed package."""
    inside = _SITE.match(link.path)
    return (link.path[inside.end() :] if inside else os.path.abspath(link.path)), link.line


def _as_predicted(seen: LoggedFinding, finding: Finding) -> LoggedFinding:
    """What was seen, under the rule and at the very expression that the check names."""
    span = seen.finding.span
    here = os.path.abspath(finding.span.path) == os.path.abspath(span.path) and finding.span.line <= span.line
    found = replace(
        seen.finding,
        code=finding.code,
        rule=finding.rule,
        span=finding.span if here and seen.innermost is None else span,
        help=finding.help or seen.finding.help,
        entries=finding.entries,
        fixes=finding.fixes,
    )
    advice = seen.advice if finding.code == seen.finding.code else (finding.help,)
    return replace(seen, finding=found, advice=tuple(filter(None, advice)))
