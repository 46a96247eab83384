"""Output of ``gblint logs``: the formats of ``gblint check``, with counts and times added."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gblint.confirm.line_ranges import to_ranges
from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Severity
from gblint.diagnostics.report import FileError
from gblint.project.source_text import TAB, Source, Style, display_path, neutral, shown_path
from gblint.report import concise
from gblint.report.consequences import sentence, suffix
from gblint.report.explain_answers import url
from gblint.report.finding_notes import links
from gblint.report.full import frame
from gblint.report.json import error, finding, head
from gblint.report.summary import counted
from gblint.runtime_logs.compare import Comparison
from gblint.runtime_logs.findings import CompileTime, LoggedFinding

MAX_SLOW_FUNCTIONS = 10  # functions in the table of compile times
MAX_GUARDS = 5
_MIN_SECONDS = 0.0005  # shorter times are not shown


@dataclass(frozen=True, slots=True)
class LogReport:
    """Report of one run of ``gblint logs``."""

    found: tuple[LoggedFinding, ...]
    frames: tuple[CompileTime, ...]
    comparison: Comparison | None
    versions: tuple[str, ...]
    ranks: tuple[int, ...]
    records: int
    sources: int
    errors: tuple[FileError, ...] = ()


def document(report: LogReport) -> str:
    """Return the JSON document: that of ``gblint check`` with keys added."""
    contents = head(report.versions[0] if report.versions else "")
    contents["entries"] = []
    contents["findings"] = [_as_json(each) for each in report.found]
    contents["errors"] = [error(each) for each in report.errors]
    contents["frames"] = [
        {
            "path": display_path(each.path),
            "line": each.line,
            "function": each.function,
            "rest_from": each.resume_line or None,
            "count": each.count,
            "compile_s": round(each.seconds, 6),
            "operations": each.operations,
        }
        for each in report.frames
    ]
    contents["comparison"] = _comparison(report)
    contents["log"] = {
        "sources": report.sources,
        "records": report.records,
        "ranks": list(report.ranks),
        "torch_versions": list(report.versions),
    }
    return json.dumps(contents, indent=2)


def _as_json(logged: LoggedFinding) -> dict[str, Any]:
    return {
        **finding(logged.finding),
        "count": logged.count,
        "ranks": list(logged.ranks),
        "compile_s": None if logged.seconds is None else round(logged.seconds, 6),
        "logged": {"path": logged.place.path, "line": logged.place.line, "function": logged.place.function},
        "torch_message": list(logged.torch_message),
        "advice": list(logged.advice),
        "guards": [{"guard": guard, "count": count} for guard, count in logged.guards],
        "recompile_limit": logged.limit,
        "source_changed": logged.changed,
        "predicted": None if logged.predicted is None else list(logged.predicted),
    }


def _comparison(report: LogReport) -> dict[str, Any] | None:
    if report.comparison is None:
        return None
    predicted, missed = Comparison.counts(report.found)
    return {
        "torch_version": report.comparison.torch_version,
        "predicted": predicted,
        "not_predicted": missed,
        "unseen": [finding(each) for each in report.comparison.unseen],
    }


def concise_lines(report: LogReport, style: Style) -> Iterator[str]:
    """Yield one line for each finding."""
    for logged in report.found:
        yield _headline(logged, style) + suffix(logged.finding) + style.dim(_verdict(logged))
    yield from _unseen(report, style)


def full_lines(report: LogReport, style: Style, source: Source) -> Iterator[str]:
    """Yield a block for each finding, with code, call chain and advice; then the compile times."""
    for logged in report.found:
        yield _headline(logged, style)
        yield from frame(logged.finding.span, source.lines(logged.finding.span.path), style)
        yield from _notes(logged, style)
        yield ""
    yield from _compile_times(report.frames, style)
    yield from _unseen(report, style)


def _headline(logged: LoggedFinding, style: Style) -> str:
    found, span = logged.finding, logged.finding.span
    colon = style.cyan(":")
    place = f"{style.bold(shown_path(span.path))}{colon}{span.line}{colon}{span.column}{colon}"
    paint = style.blue if found.severity is Severity.INFO else style.red
    raises = " (raises)" if found.severity is Severity.ERROR else ""
    return f"{place} {paint(found.code)} {style.dim(f'[{_occurrences(logged)}]')} {neutral(found.message)}{raises}"


def _occurrences(logged: LoggedFinding) -> str:
    """Return how often and on which ranks a finding was logged, and its compile time."""
    parts = [f"seen {counted(logged.count, 'time')}{f' on {ranks(logged.ranks)}' if logged.ranks else ''}"]
    if logged.seconds is not None and logged.seconds >= _MIN_SECONDS:
        parts.append(seconds(logged.seconds))
    return ", ".join(parts)


def ranks(numbers: Sequence[int]) -> str:
    """Return ranks as text: ``rank 0``, ``ranks 0-3,5``."""
    return f"rank{'s' if len(numbers) > 1 else ''} {','.join(to_ranges(numbers))}"


def seconds(number: float) -> str:
    """Return a time as text."""
    return f"{number:,.1f} s" if number >= 10 else f"{number:.2f} s" if number >= 0.1 else f"{number * 1000:.0f} ms"


def _verdict(logged: LoggedFinding) -> str:
    if logged.predicted is None:
        return ""
    return " (predicted)" if logged.predicted else " (not predicted)"


def _notes(logged: LoggedFinding, style: Style) -> Iterator[str]:
    """Yield the notes below a finding: call chain, consequence, guards, advice."""
    found = logged.finding
    if found.chain:
        chain = list(links(found.chain))
        yield _note("chain", chain[0], style)
        yield from (f"{TAB}       {link}" for link in chain[1:])
    then = sentence(found)
    if then:
        yield _note("then", neutral(then), style)
    for number, (guard, count) in enumerate(logged.guards[:MAX_GUARDS]):
        yield _note("guard" if number == 0 else "", f"{neutral(guard)} ({counted(count, 'time')})", style)
    if len(logged.guards) > MAX_GUARDS:
        yield _note("", f"... and {len(logged.guards) - MAX_GUARDS} more", style)
    for gb_id in found.gb_ids[:1]:
        yield _note("torch", f"{gb_id} {url(gb_id)}", style)
    for number, item in enumerate(logged.advice):
        yield _note("help" if number == 0 else "", neutral(item), style)
    if logged.changed:
        yield _note("note", "this line has changed since the log was written", style)
    if logged.predicted is not None:
        codes = ", ".join(logged.predicted)
        yield _note("check", f"predicted ({codes})" if codes else "not predicted by `gblint check`", style)


def _note(title: str, text: str, style: Style) -> str:
    if not title:
        return f"{TAB}    {text}"
    return f"  {style.blue('=')} {style.bold(title + ':')} {text}"


def _compile_times(frames: Sequence[CompileTime], style: Style) -> Iterator[str]:
    """Yield the table of compile times."""
    slow = [each for each in frames if each.seconds >= _MIN_SECONDS]
    if not slow:
        return
    total = sum(each.seconds for each in slow)
    yield style.bold(f"Compile time, {seconds(total)} in all:")
    for each in slow[:MAX_SLOW_FUNCTIONS]:
        what = f"{each.function}, from line {each.resume_line}" if each.resume_line else each.function
        repeats = f", {each.count} times" if each.count > 1 else ""
        graph = f", {counted(each.operations, 'operation')}" if each.operations else ", no graph"
        place = f"{shown_path(each.path)}:{each.line}"
        yield f"  {seconds(each.seconds):>8}  {neutral(what)} ({place}{repeats}{graph})"
    if len(slow) > MAX_SLOW_FUNCTIONS:
        yield f"  ... and {len(slow) - MAX_SLOW_FUNCTIONS:,} more"
    yield ""


def _unseen(report: LogReport, style: Style) -> Iterator[str]:
    """Yield the predicted findings that the log does not have."""
    if report.comparison is None or not report.comparison.unseen:
        return
    yield style.bold("Predicted, but not in this log (the line did not run, or does not break):")
    for each in report.comparison.unseen:
        yield f"  {concise.headline(each, style)}"
    yield ""


def summary(report: LogReport, style: Style) -> Iterator[str]:
    """Yield the last lines: the number of findings and the part that was predicted."""
    breaks = [each for each in report.found if each.finding.category is Category.GRAPH_BREAK]
    recompiles = [each for each in report.found if each.finding.category is Category.RECOMPILE]
    logs = counted(report.sources, "log")
    written_by = f" by torch {', '.join(report.versions)}" if report.versions else ""
    where = f"{logs}{written_by}{f', {ranks(report.ranks)}' if report.ranks else ''}"
    if not report.found:
        yield style.bold(f"No graph breaks and no recompiles in {where}.")
    else:
        parts = []
        if breaks:
            parts.append(f"{counted(len(breaks), 'graph break')} ({counted(sum(b.count for b in breaks), 'report')})")
        if recompiles:
            parts.append(f"{counted(len(recompiles), 'function')} compiled again")
        limits = sum(each.limit is not None for each in recompiles)
        hit = f", {limits:,} of which reached the recompile limit" if limits else ""
        yield style.bold(f"Found {' and '.join(parts)}{hit} in {where}.")
    if report.comparison is not None:
        predicted, missed = Comparison.counts(report.found)
        unseen = len(report.comparison.unseen)
        more = f"; {counted(unseen, 'more was', 'more were')} predicted and not seen" if unseen else ""
        yield f"`gblint check` predicts {predicted} of {counted(predicted + missed, 'break')}{more}."
