"""The report of ``gblint check`` in the format that was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gblint.cli.output import Streams
from gblint.report import summary
from gblint.report.notebooks import findings_in_files, in_files

if TYPE_CHECKING:
    from gblint.lint import Outcome

# For other programs: what people are told besides has no place in them.
DOCUMENTS = ("json", "sarif", "gitlab", "junit", "html")


def lines(
    outcome: Outcome, form: str, statistics: bool, streams: Streams, settings: Sequence[tuple[str, str]] = ()
) -> Iterator[str]:
    """The lines of the report; formats are imported when they are asked for.

    ``settings`` are what was asked for, by name, for the head of a page.
    """
    report, style = outcome.report, streams.style
    if form in DOCUMENTS:
        yield _document(outcome, form, statistics, settings)
        return
    if statistics:
        yield from summary.statistics_lines(report, style)
    elif form == "full":
        from gblint.report import full

        yield from full.render(report, style, outcome.source)
    elif form == "github":
        from gblint.report import github

        yield from github.render(in_files(report, outcome.source)[0])
    else:
        from gblint.report import concise

        yield from concise.render(report, style)
    if not streams.quiet:
        yield from summary.summary(report, outcome.hidden, style)
    if report.verification is not None and form != "github":
        from gblint.report import verification

        yield ""
        yield from verification.render(report.verification, style)


def _document(outcome: Outcome, form: str, statistics: bool, settings: Sequence[tuple[str, str]]) -> str:
    report = outcome.report
    if form == "json":
        from gblint.report import json

        return json.render(report, statistics=summary.statistics(report) if statistics else None)
    if form == "html":
        from gblint.report import html

        return html.render(report, outcome.source, outcome.trees, hidden=outcome.hidden, settings=settings)
    report, source = in_files(report, outcome.source)
    if form == "sarif":
        from gblint.report import sarif

        return sarif.render(report, source, findings_in_files(outcome.silenced), findings_in_files(outcome.known))
    if form == "gitlab":
        from gblint.report import gitlab

        return gitlab.render(report, source)
    from gblint.report import junit

    return junit.render(report)
