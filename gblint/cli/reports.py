"""The report of ``gblint check`` in the chosen format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gblint.cli.output import Streams
from gblint.report import default_run, fix_first, summary, unresolved
from gblint.report.finding_notes import FindingNotes
from gblint.report.listing import Listing, listing
from gblint.report.notebooks import findings_in_files, in_files
from gblint.report.wrapping import wrapped
from gblint.runtime.lazy_dataclasses import dataclass, replace

if TYPE_CHECKING:
    from gblint.diagnostics.report import Report
    from gblint.pipeline.lint import LintResult

# Formats for programs, without a summary line.
DOCUMENTS = ("json", "json-lines", "sarif", "gitlab", "junit", "pylint", "rdjson", "html")
_LINES = ("github", "azure")  # for programs, one entry per line


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a report.

    ``statistics``: the counts of the rules instead of the findings.  ``show_all``: in text formats an entry for each
    finding, and not only for each line.  ``every_reach``: entries that only an option leads to are listed as well.
    ``is_selection``: options or the configuration select some of the findings.  ``has_all_objects``: the report is
    about all compiled objects.
    """

    statistics: bool = False
    show_all: bool = False
    every_reach: bool = False
    is_selection: bool = False
    has_all_objects: bool = True


def lines(
    outcome: LintResult,
    form: str,
    contents: Contents,
    streams: Streams,
    settings: Sequence[tuple[str, str]] = (),
) -> Iterator[str]:
    """Yield the lines of the report; the module of a format is imported when it is used.

    ``settings`` are pairs of name and value, for the head of an HTML page.
    """
    if form in DOCUMENTS:
        document = _document(outcome, form, contents, settings)
        if document:
            yield document
        return
    yield from entries(outcome, form, contents, streams)
    yield from ending(outcome, form, contents, streams)


def entries(outcome: LintResult, form: str, contents: Contents, streams: Streams) -> Iterator[str]:
    """Yield the lines of a text report without its last lines."""
    yield from wrapped(_entries(outcome, form, contents, streams), streams.columns if form == "full" else 0)


def ending(outcome: LintResult, form: str, contents: Contents, streams: Streams) -> Iterator[str]:
    """Yield the last lines of a text report: a default run, where to begin, and the summary."""
    yield from wrapped(_ending(outcome, form, contents, streams), streams.columns if form == "full" else 0)
    if outcome.report.verification is not None and form not in _LINES:
        from gblint.report import verification

        yield ""
        yield from verification.render(outcome.report.verification, streams.style)


def _entries(outcome: LintResult, form: str, contents: Contents, streams: Streams) -> Iterator[str]:
    report = outcome.report
    if contents.statistics:
        yield from summary.statistics_lines(report, streams.style)
    elif form in _LINES:
        yield from _for_programs(form, outcome, contents.show_all)
    else:
        yield from _for_people(form, outcome, _listing(outcome, contents), streams)


def _ending(outcome: LintResult, form: str, contents: Contents, streams: Streams) -> Iterator[str]:
    if streams.quiet:
        return
    style = streams.style
    listed = _listing(outcome, contents)
    if not (contents.statistics or form in _LINES):
        complete = unresolved.is_complete(outcome.report, unresolved.cut(outcome.warnings))
        first = fix_first.sentence(listed, style) if form == "full" else ""
        yield from filter(None, [default_run.sentence(listed, style, complete=complete), first])
    folded = 0 if contents.statistics else listed.folded
    cut = unresolved.cut(outcome.warnings) if contents.has_all_objects else None
    yield from summary.summary(outcome.report, outcome.hidden, style, outcome.beyond_reach, folded, cut=cut)


def _listing(outcome: LintResult, contents: Contents) -> Listing:
    left_out = _left_out(outcome, contents)
    findings = outcome.report.findings
    return listing(findings, show_all=contents.show_all, every_reach=contents.every_reach, left_out=left_out)


def _left_out(outcome: LintResult, contents: Contents) -> str:
    counts = len(outcome.silenced), len(outcome.known), outcome.beyond_reach
    return default_run.left_out(*counts, is_selection=contents.is_selection)


def _for_people(form: str, outcome: LintResult, entries: Listing, streams: Streams) -> Iterator[str]:
    style = streams.style
    if form == "full":
        from gblint.report import full

        cut = unresolved.cut(outcome.warnings)
        return full.render(_with_partial(outcome), entries, style, outcome.source, cut, streams.columns)
    if form == "grouped":
        from gblint.report import grouped

        return grouped.render(entries, style)
    from gblint.report import concise

    return concise.render(entries, style)


def _for_programs(form: str, outcome: LintResult, show_all: bool) -> Iterator[str]:
    report, _ = in_files(_with_all_warnings(outcome), outcome.source)
    if form == "github":
        from gblint.report import github

        return github.render(report, FindingNotes(outcome.report.findings, report.findings), show_all=show_all)
    from gblint.report import azure

    return azure.render(report, show_all=show_all)


def _document(outcome: LintResult, form: str, contents: Contents, settings: Sequence[tuple[str, str]]) -> str:
    report = outcome.report
    if form == "json":
        from gblint.report import json

        counts = summary.statistics(report) if contents.statistics else None
        return json.render(report, outcome.source, statistics=counts)
    if form == "json-lines":
        from gblint.report import json

        return json.lines(report)
    if form == "html":
        from gblint.report import html

        return html.render(
            report,
            outcome.source,
            outcome.trees,
            hidden=outcome.hidden,
            beyond=outcome.beyond_reach,
            left_out=_left_out(outcome, contents),
            partial=unresolved.partial(outcome.warnings),
            settings=settings,
        )
    report, source = in_files(_with_all_warnings(outcome), outcome.source)
    notes = FindingNotes(outcome.report.findings, report.findings)
    if form == "sarif":
        from gblint.report import sarif

        silenced, known = findings_in_files(outcome.silenced), findings_in_files(outcome.known)
        return sarif.render(report, source, silenced, known, notes)
    if form == "gitlab":
        from gblint.report import gitlab

        return gitlab.render(report, source)
    if form == "pylint":
        from gblint.report import pylint

        return "\n".join(pylint.render(report))
    if form == "rdjson":
        from gblint.report import rdjson

        return rdjson.render(report, source, notes)
    from gblint.report import junit

    return junit.render(report, notes)


def _with_all_warnings(outcome: LintResult) -> Report:
    """Return the report with the warnings about packages that are not installed, too."""
    report = _with_partial(outcome)
    return replace(report, partial=[*map(unresolved.package_message, report.missing_packages), *report.partial])


def _with_partial(outcome: LintResult) -> Report:
    return replace(outcome.report, partial=unresolved.partial(outcome.warnings))
