"""The report of ``gblint check`` in the format that was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gblint.cli.output import Streams
from gblint.report import summary

if TYPE_CHECKING:
    from gblint.lint import Outcome

# For other programs: what people are told besides has no place in them.
DOCUMENTS = ("json", "sarif", "gitlab", "junit")


def lines(outcome: Outcome, form: str, statistics: bool, streams: Streams) -> Iterator[str]:
    """The lines of the report; formats are imported when they are asked for."""
    report, style = outcome.report, streams.style
    if form in DOCUMENTS:
        yield _document(outcome, form, statistics)
        return
    if statistics:
        yield from summary.statistics_lines(report, style)
    elif form == "full":
        from gblint.report import full

        yield from full.render(report, style, outcome.source)
    elif form == "github":
        from gblint.report import github

        yield from github.render(report)
    else:
        from gblint.report import concise

        yield from concise.render(report, style)
    if not streams.quiet:
        yield from summary.summary(report, outcome.hidden, style)
    if report.verification is not None and form != "github":
        from gblint.report import verification

        yield ""
        yield from verification.render(report.verification, style)


def _document(outcome: Outcome, form: str, statistics: bool) -> str:
    report = outcome.report
    if form == "sarif":
        from gblint.report import sarif

        return sarif.render(report, outcome.source, outcome.silenced, outcome.known)
    if form == "gitlab":
        from gblint.report import gitlab

        return gitlab.render(report, outcome.source)
    if form == "junit":
        from gblint.report import junit

        return junit.render(report)
    from gblint.report import json

    return json.render(report, statistics=summary.statistics(report) if statistics else None)
