"""GitHub Actions annotations: commands that show findings next to their lines in a pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gblint.diagnostics.finding import Severity
from gblint.diagnostics.report import FileError, Report
from gblint.project.source_text import neutral
from gblint.report import folding, unresolved
from gblint.report.finding_notes import FindingNotes
from gblint.report.folding import FoldedFinding
from gblint.report.listing import by_importance
from gblint.report.repo_paths import repository_path

MOST = 10  # annotations of one level that GitHub shows for one step; it drops the others silently
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: Report, notes: FindingNotes | None = None, *, show_all: bool = False) -> Iterator[str]:
    """Yield one command for each line with findings, the most important first: GitHub shows only ten of each level.

    With ``show_all`` there is one command for each finding.
    """
    notes = notes or FindingNotes(report.findings)
    yield from map(_error, report.errors)
    yield from map(_not_analysed, unresolved.messages(report))
    counts: Counter[str] = Counter(error=len(report.errors), notice=len(unresolved.messages(report)))
    for entry in by_importance(folding.fold(report.findings, show_all=show_all)):
        counts[_COMMANDS[entry.finding.severity]] += 1
        yield _finding(entry, notes)
    if any(count > MOST for count in counts.values()):
        shown = sum(min(count, MOST) for count in counts.values())
        yield f"GitHub shows only {shown} of these {sum(counts.values())}, the first of each level; the log lists all."


def _finding(entry: FoldedFinding, notes: FindingNotes) -> str:
    finding = entry.finding
    span = finding.span
    places = {"file": repository_path(span.path), "line": str(max(span.line, 1))}
    last = max(span.end_line, span.line)
    if last == span.line and span.end_column:
        places |= {"col": str(span.column), "endColumn": str(span.end_column)}
    elif last > span.line:
        # GitHub ignores the columns of annotations that span several lines, and rejects some of them.
        places["endLine"] = str(last)
    places["title"] = f"{finding.code} {finding.rule} ({finding.confidence.value})"
    texts = [finding.message, *notes.lines_with_chain(finding)]
    texts += [f"also: {text}" for text in folding.sentences(entry)]
    return _command(_COMMANDS[finding.severity], places, "\n".join(map(neutral, texts)))


def _not_analysed(target: FileError) -> str:
    places = {
        "file": repository_path(target.path),
        "line": str(target.line),
        "title": "gblint: not analysed completely",
    }
    return _command("notice", places, neutral(target.message))


def _error(error: FileError) -> str:
    places = {"file": repository_path(error.path), "title": "gblint"}
    if error.line:
        places["line"] = str(error.line)
    return _command("error", places, neutral(error.message))


def _command(name: str, properties: dict[str, str], message: str) -> str:
    listed = ",".join(f"{key}={_property(neutral(value))}" for key, value in properties.items())
    return f"::{name} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
