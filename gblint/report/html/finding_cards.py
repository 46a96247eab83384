"""The card of a finding on the page, made of the finding, its file and its rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log1p

from markupsafe import Markup

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.span import ChainLink
from gblint.project.source_text import Source
from gblint.report import confirmations
from gblint.report.finding_notes import Note
from gblint.report.html import code
from gblint.report.html.code import Colours, Mark, Row
from gblint.report.html.diffs import diff
from gblint.report.verification import VERDICT_TEXTS
from gblint.runtime.lazy_dataclasses import dataclass

TALLEST = 12  # lines of one expression


@dataclass(frozen=True, slots=True)
class FixCard:
    """A fix: its title, its diff, and the verdict on it."""

    title: str
    applicability: str
    lines: tuple[tuple[str, str], ...]
    verdict: str
    reason: str
    held: bool


@dataclass(frozen=True, slots=True)
class Card:
    """A finding with all of its texts; ``entries`` are the numbers of the entry points."""

    id: str
    finding: Finding
    file: int
    rows: tuple[Row, ...]
    notes: tuple[Note, ...]
    mark: str
    fixes: tuple[FixCard, ...]
    entries: tuple[int, ...]
    links: tuple[tuple[ChainLink, str], ...]
    steps: int

    @property
    def when(self) -> str:
        """The conditions under which the line is reached."""
        return self._note("when")

    @property
    def verdict(self) -> str:
        """The line that makes the break an error or allows it."""
        return self._note("raises") or self._note("allowed")

    def _note(self, label: str) -> str:
        return next((note.text for note in self.notes if note.label == label), "")

    @property
    def seen(self) -> str:
        """The verdict of a run, in one word."""
        return "not run" if self.finding.confirmation is None else self.finding.confirmation.verdict


def ids(fingerprints: Sequence[str]) -> list[str]:
    """Return short ids of findings that are the same in later runs."""
    made: dict[str, None] = {}
    for each in fingerprints:
        short, length = f"f-{each[:8]}", 8
        while short in made:
            length += 1
            short = f"f-{each[:length]}" if length <= len(each) else f"{short}x"
        made[short] = None
    return list(made)


def marks(finding: Finding, target: str, lines: Sequence[str]) -> dict[int, Mark]:
    """Return the marks by line."""
    span = finding.span
    last = min(max(span.end_line, span.line), span.line + TALLEST, len(lines))
    found = {}
    for number in range(max(span.line, 1), last + 1):
        text = lines[number - 1]
        start = span.column - 1 if number == span.line else len(text) - len(text.lstrip())
        end = span.end_column - 1 if number == span.end_line and span.end_column else len(text.rstrip())
        start = min(max(start, 0), len(text))
        shown = finding.code if number == span.line else ""
        found[number] = Mark(start, min(max(end, start + 1), len(text)), target, shown)
    return found


def card(
    finding: Finding,
    target: str,
    colours: Colours,
    notes: Iterable[Note],
    *,
    file: int,
    entries: tuple[int, ...],
    links: tuple[tuple[ChainLink, str], ...],
    highest: int,
) -> Card:
    """Return the card of one finding; ``highest`` is the largest cost of any finding."""
    own = marks(finding, target, colours.source.lines(finding.span.path))
    first, last = min(own, default=0), max(own, default=0)
    wanted = _not_blank(code.around(first, last) if own else (), colours.source.lines(finding.span.path))
    return Card(
        target,
        finding,
        file,
        tuple(code.excerpt(colours, finding.span.path, wanted, {number: (mark,) for number, mark in own.items()})),
        tuple(notes),
        confirmations.mark(finding),
        tuple(_fixes(finding, colours.source)),
        entries,
        links,
        0 if finding.consequence is None else max(round(5 * log1p(finding.cost) / log1p(max(highest, 1))), 1),
    )


def _not_blank(numbers: Sequence[int], lines: Sequence[str]) -> Sequence[int]:
    """Return the line numbers without blank lines at either end."""
    written = [number for number in numbers if number <= len(lines) and lines[number - 1].strip()]
    return range(written[0], written[-1] + 1) if written else ()


def _fixes(finding: Finding, source: Source) -> list[FixCard]:
    found = []
    for each in finding.fixes:
        tried = each.verdict
        verdict, reason = ("", "") if tried is None else (VERDICT_TEXTS[tried.kind], tried.reason)
        held = tried is not None and tried.kind == "holds"
        found.append(FixCard(each.title, each.applicability, tuple(diff(each, source)), verdict, reason, held))
    return found


def joined(rows: Sequence[Row]) -> Markup:
    """Return the rows as one block of lines."""
    out = Markup()
    for row in rows:
        if not row.number:
            out += Markup("<span class=gap>⋯</span>")
        else:
            classes = "l b" if row.marks else "l"
            out += Markup('<span class="{}" data-n="{}">{}\n</span>').format(classes, row.number, row.html)
    return out
