"""The full format: a code frame, the chain of calls that leads to the break, and one line of help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.reach import rank
from gblint.diagnostics.report import Report
from gblint.diagnostics.span import Span
from gblint.project.notebook import as_written
from gblint.project.source_text import TAB, Source, Style, located, neutral, width
from gblint.report import folding, unresolved
from gblint.report.concise import headline
from gblint.report.costs import closing
from gblint.report.default_run import sentence as sentence_on_default_run
from gblint.report.finding_notes import FindingNotes, links
from gblint.report.listing import HEADS, Listing, conditional_note, group, is_hint, is_of_tests, size
from gblint.report.overview import overview
from gblint.report.wrapping import NARROWEST
from gblint.runtime.lazy_dataclasses import replace

CONTEXT = 2  # lines before and after
TALLEST = 8  # lines of one expression
WIDEST = 160  # columns of code
MARKS = 6  # columns of the marks where a line is cut
GUTTER = 15  # columns beside the code: the number of the line, and marks where the line is cut
SCREEN = 2  # entries above which a report begins with a sentence on a default run
LONG = 20  # entries above which a report begins with a summary


def render(
    report: Report, entries: Listing, style: Style, source: Source, cut: int = 0, columns: int = 0
) -> Iterator[str]:
    """Yield the lines of the report; a long report begins with its summary.

    ``cut``: the number of entry points that were analysed only in part. ``columns``: those of the terminal, 0 if it is
    not known.
    """
    is_long = len(entries.shown) > LONG
    if is_long:
        yield from (*overview(report, entries, style, cut), "")
    elif len(entries.shown) > SCREEN:
        yield from (sentence_on_default_run(entries, style, complete=unresolved.is_complete(report, cut)), "")
    widest = WIDEST if columns < NARROWEST else min(WIDEST, columns - GUTTER)
    notes = FindingNotes(report.findings)
    heading = ""
    for entry in entries.shown:
        if is_long and group(entry) != heading:
            heading = group(entry)
            lines = size(each for each in entries.shown if group(each) == heading)
            tests = _in_tests(entries, heading)
            yield from (style.bold(f"{heading[0].upper()}{heading[1:]} ({lines}{tests}):"), "")
        yield from one(entry.finding, style, source, notes, folding.sentences(entry), widest)
    for note in conditional_note(entries):
        yield from (note, "")
    last = [] if is_long else list(closing(report, entries, style))
    if last:
        yield from (*last, "")


def _in_tests(entries: Listing, heading: str) -> str:
    """Return how many lines of tests belong below ``heading``, too, if a default run reaches them; "" if none does."""
    breaking = [entry for entry in entries.shown if is_of_tests(entry) and not is_hint(entry)]
    number = sum(HEADS[entry.reach] == heading and rank(entry.reach) <= rank("default") for entry in breaking)
    return f"; {number:,} more in tests" if number else ""


def one(
    finding: Finding,
    style: Style,
    source: Source,
    notes: FindingNotes,
    others: Iterable[str] = (),
    widest: int = WIDEST,
) -> Iterator[str]:
    """Yield the lines of one finding and an empty one; ``others`` are sentences on the other findings there.

    ``widest``: the columns of code.
    """
    yield headline(finding, style)
    yield from frame(*in_cell(finding.span, source), style, widest)
    for number, link in enumerate(links(folding.calls(finding))):
        yield f"{TAB}       {link}" if number else _note("chain", link, style)
    yield from (_note(note.label, neutral(note.text), style) for note in notes.of(finding))
    yield from (_note("also", neutral(text), style) for text in others)
    yield ""


def in_cell(span: Span, source: Source) -> tuple[Span, list[str]]:
    """Return a span and the lines around it; in a notebook both are those of the cell."""
    cell, line = located(span.path, span.line)
    lines = source.lines(span.path)
    if cell is None:
        return span, lines
    first = span.line - line
    last = next((n for n in range(span.line, len(lines) + 1) if located(span.path, n)[0] != cell), len(lines) + 1) - 1
    shown = as_written("\n".join(lines[first:last]))
    return replace(span, line=line, end_line=span.end_line and span.end_line - first), shown


def frame(span: Span, lines: list[str], style: Style, widest: int = WIDEST) -> Iterator[str]:
    """Yield the code around ``span`` with carets under it; nothing if the file cannot be read."""
    if not 1 <= span.line <= len(lines):
        return
    last = min(max(span.end_line, span.line), len(lines))
    shown_last = min(last, span.line + TALLEST - 1)
    first = max(span.line - CONTEXT, 1)
    after = min(last + CONTEXT, len(lines)) if shown_last == last else shown_last
    while first < span.line and not lines[first - 1].strip():
        first += 1
    while after > shown_last and not lines[after - 1].strip():
        after -= 1
    indent = _shared_indent(lines[first - 1 : after], widest)
    gutter = len(str(after))
    bar = style.blue("|")
    yield f"{' ' * gutter} {bar}"
    for number in range(first, after + 1):
        text = lines[number - 1]
        start, end = _marked(span, number, text) if span.line <= number <= last else (0, 0)
        shown, mark = _row(text[indent:], max(start - indent, 0), end - indent, widest)
        yield f"{style.blue(f'{number:>{gutter}}')} {bar} {shown}".rstrip()
        if mark:
            yield f"{' ' * gutter} {bar} {style.red(mark)}"
        if number == shown_last and shown_last < last:
            yield f"{' ' * gutter} {bar} {style.dim(f'... {last - shown_last} more lines')}"
    yield f"{' ' * gutter} {bar}"


def _shared_indent(lines: list[str], widest: int) -> int:
    """Return the indentation that all lines share, if one of them is too long; else 0."""
    if all(len(line) <= widest + MARKS for line in lines):
        return 0
    return min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)


def _marked(span: Span, number: int, text: str) -> tuple[int, int]:
    """Return the part of the line ``number`` in ``span``, as offsets."""
    start = max(span.column - 1 if number == span.line else 0, len(text) - len(text.lstrip()))
    end = len(text.rstrip())
    if span.end_column and number == max(span.end_line, span.line):
        end = span.end_column - 1
    start = min(max(start, 0), len(text))
    return start, min(max(end, start + 1), len(text) + 1)


def _row(text: str, start: int, end: int, widest: int) -> tuple[str, str]:
    """Return a line of code and the carets below it; a long line is cut around the carets."""
    lead = ""
    if len(text) > widest + MARKS:
        cut = max(0, min(start - widest // 4, len(text) - widest))
        lead = "..." if cut else ""
        tail = "..." if cut + widest < len(text) else ""
        text, start, end = text[cut : cut + widest], max(start - cut, 0), min(end - cut, widest)
        shown = lead + neutral(text) + tail
    else:
        shown = neutral(text)
    if end <= start:
        return shown, ""
    before = width(lead + neutral(text[:start]))
    return shown, " " * before + "^" * max(width(neutral(text[start:end])), 1)


def _note(label: str, text: str, style: Style) -> str:
    return f"  {style.blue('=')} {style.bold(f'{label}:')} {text}"
