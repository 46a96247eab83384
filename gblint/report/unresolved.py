"""Text about compiled objects that were not analysed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gblint.diagnostics.report import FileError, Report
from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.project.source_text import neutral, place
from gblint.report.no_entry_points import counted

NAMED = 3  # compiled objects that are named in one line
CODE = "not-analysed"  # in formats that want a code
IN_PART = "was not analysed completely"  # in the warning about an entry point that reached a bound


def folded(warnings: Sequence[FileError]) -> Iterator[FileError | str]:
    """Yield the warnings; of many about entry points that were analysed only in part, some and a line on the others."""
    partial = [each for each in warnings if IN_PART in each.message]
    left = partial[NAMED:] if len(partial) > NAMED + 1 else []
    yield from (each for each in warnings if each not in left)
    if left:
        yield f"{counted(len(left), 'more entry point')} {IN_PART.replace('was', 'were')}; --show-all lists each"


def as_message(target: UnresolvedTarget) -> FileError:
    """Return the message about a compiled object, with its place."""
    return FileError(target.path, target.line, target.message)


def named(report: Report) -> str:
    """Return the first compiled objects that were not analysed with their places, and the number of the others."""
    first = [f"`{neutral(each.expression)}` ({place(each.path, each.line)})" for each in report.unresolved[:NAMED]]
    left = len(report.unresolved) - len(first)
    return ", ".join(first) + (f", and {left} more" if left else "")


def not_analysed(report: Report) -> str:
    """Return the clause for the end of a sentence: how many compiled objects were not analysed, and which."""
    verb = "was" if len(report.unresolved) == 1 else "were"
    return f"{share(report)} {verb} not analysed: {named(report)}"


def share(report: Report) -> str:
    """Return how many of the compiled objects were not analysed."""
    missing = len(report.unresolved)
    total = missing + len(report.compiled)
    return f"{missing} of {total:,} compiled objects" if report.compiled else counted(missing, "compiled object")
