"""Comparison of the findings of a log with those of a check."""

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
_SITE_PACKAGES = re.compile(r".*[/\\](?:site|dist)-packages[/\\]")

_Table = Mapping[tuple[str, int], Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Result of the comparison; ``unseen`` are predicted findings that the log does not have: wrong ones, or of lines
    that did not run."""

    unseen: tuple[Finding, ...]
    torch_version: str

    @staticmethod
    def counts(found: Iterable[LoggedFinding]) -> tuple[int, int]:
        """Return the number of breaks that were predicted, and of those that were not."""
        breaks = [each for each in found if each.finding.category in _BREAKS and each.predicted is not None]
        return sum(bool(each.predicted) for each in breaks), sum(not each.predicted for each in breaks)


def compare(
    found: Sequence[LoggedFinding], shown: Sequence[Finding], everything: Sequence[Finding], torch_version: str
) -> tuple[list[LoggedFinding], Comparison]:
    """Set ``predicted`` of the findings of a log: ``shown`` are the check's findings, ``everything`` also the ones it
    did not show."""
    in_libraries, by_line = _tables(everything)
    compared: list[LoggedFinding] = []
    matched: set[int] = set()
    for each in found:
        if each.finding.category not in _BREAKS:
            compared.append(each)
            continue
        exact, near = _predictions(each, in_libraries, by_line)
        matched.update(id(finding) for finding in exact or near)
        codes = tuple(dict.fromkeys(finding.code for finding in exact or near))
        compared.append(replace(_as_predicted(each, exact[0]) if exact else each, predicted=codes))
    unseen = tuple(
        finding
        for finding in shown
        if finding.category in _BREAKS and finding.severity is not Severity.INFO and id(finding) not in matched
    )
    return compared, Comparison(unseen, torch_version)


def _tables(findings: Sequence[Finding]) -> tuple[_Table, _Table]:
    """Return two tables: findings by the place in a library at which Dynamo breaks, and findings by the lines they are
    reported at."""
    in_libraries: dict[tuple[str, int], list[Finding]] = {}
    by_line: dict[tuple[str, int], list[Finding]] = {}
    for finding in findings:
        if finding.category not in _BREAKS:
            continue
        span = finding.span
        # An entry point may itself be in a library; then its findings are reported at lines in the library.
        if finding.chain and _key(finding.chain[-1]) != (os.path.abspath(span.path), span.line):
            in_libraries.setdefault(_key(finding.chain[-1]), []).append(finding)
        for line in range(span.line, max(span.line, span.end_line) + 1):
            by_line.setdefault((os.path.abspath(span.path), line), []).append(finding)
    return in_libraries, by_line


def _predictions(logged: LoggedFinding, in_libraries: _Table, by_line: _Table) -> tuple[list[Finding], list[Finding]]:
    """Return the findings with the same place and id, and those with the same place."""
    span = logged.finding.span
    at_place = list(by_line.get((os.path.abspath(span.path), span.line), ()))
    if logged.innermost is not None:
        # One call may reach many breaks: compare the line in the library.
        at_place = list(in_libraries.get(_key(logged.innermost), ()))
    exact = [finding for finding in at_place if set(finding.gb_ids) & set(logged.finding.gb_ids)]
    return exact, at_place


def _key(link: ChainLink) -> tuple[str, int]:
    """Return a place that is equal on all machines if it is in an installed package."""
    installed = _SITE_PACKAGES.match(link.path)
    return (link.path[installed.end() :] if installed else os.path.abspath(link.path)), link.line


def _as_predicted(logged: LoggedFinding, finding: Finding) -> LoggedFinding:
    """Return the logged finding with the rule and the expression of the predicted one."""
    span = logged.finding.span
    here = os.path.abspath(finding.span.path) == os.path.abspath(span.path) and finding.span.line <= span.line
    found = replace(
        logged.finding,
        code=finding.code,
        rule=finding.rule,
        span=finding.span if here and logged.innermost is None else span,
        help=finding.help or logged.finding.help,
        entries=finding.entries,
        fixes=finding.fixes,
    )
    advice = logged.advice if finding.code == logged.finding.code else (finding.help,)
    return replace(logged, finding=found, advice=tuple(filter(None, advice)))
