"""What a log comes to, for people and as a document: the formats of ``gblint check`` with counts and times added."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Severity
from gblint.diagnostics.report import FileError
from gblint.project.source_text import TAB, Source, Style, display_path, neutral
from gblint.report import concise
from gblint.report.consequences import sentence, suffix
from gblint.report.explain_answers import url
from gblint.report.full import frame, links
from gblint.report.json import error, finding, head
from gblint.report.summary import counted
from gblint.runtime_logs.compare import Comparison
from gblint.runtime_logs.findings import CompileTime, LoggedFinding

MAX_SLOW_FUNCTIONS = 10  # functions in the table of compile times
MAX_GUARDS = 5
_SHORT = 0.0005  # seconds that are not worth a mention


@dataclass(frozen=True, slots=True)
class LogReport:
    """Everything one run of ``gblint logs`` has to say."""

    found: tuple[LoggedFinding, ...]
    frames: tuple[CompileTime, ...]
    comparison: Comparison | None
    versions: tuple[str, ...]
    ranks: tuple[int, ...]
    records: int
    sources: int
    errors: tuple[FileError, ...] = ()


def document(report: LogReport) -> str:
    """The JSON document: that of ``gblint check`` by addition."""
    contents = head(report.versions[0] if report.versions else "")
    contents["entries"] = []
    contents["findings"] = [_as_json(each) for each in report.found]
    contents["errors"] = [error(each) for each in report.errors]
    contents["frames"] = [
        {
            "path": display_path(each.path),
            "line": each.line,
            "function": each.function,
            "rest_from": each.rest or None,
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


def _as_json(seen: LoggedFinding) -> dict[str, Any]:
    return {
        **finding(seen.finding),
        "count": seen.count,
        "ranks": list(seen.ranks),
        "compile_s": None if seen.seconds is None else round(seen.seconds, 6),
        "logged": {"path": seen.place.path, "line": seen.place.line, "function": seen.place.function},
        "torch_message": list(seen.said),
        "advice": list(seen.advice),
        "guards": [{"guard": guard, "count": count} for guard, count in seen.guards],
        "recompile_limit": seen.limit,
        "source_changed": seen.changed,
        "predicted": None if seen.predicted is None else list(seen.predicted),
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
    """One line for each."""
    for seen in report.found:
        yield _headline(seen, style) + neutral(suffix(seen.finding)) + style.dim(_verdict(seen))
    yield from _unseen(report, style)


def full_lines(report: LogReport, style: Style, source: Source) -> Iterator[str]:
    """A block for each, with the code, the way there, and what to do; then the compile times."""
    for seen in report.found:
        yield _headline(seen, style)
        yield from frame(seen.finding.span, source.lines(seen.finding.span.path), style)
        yield from _notes(seen, style)
        yield ""
    yield from _times(report.frames, style)
    yield from _unseen(report, style)


def _headline(seen: LoggedFinding, style: Style) -> str:
    found, span = seen.finding, seen.finding.span
    colon = style.cyan(":")
    place = f"{style.bold(neutral(display_path(span.path)))}{colon}{span.line}{colon}{span.column}{colon}"
    paint = style.blue if found.severity is Severity.INFO else style.red
    raises = " (raises)" if found.severity is Severity.ERROR else ""
    return f"{place} {paint(found.code)} {style.dim(f'[{_seen(seen)}]')} {neutral(found.message)}{raises}"


def _seen(seen: LoggedFinding) -> str:
    said = [f"seen {counted(seen.count, 'time')}{f' on {ranks(seen.ranks)}' if seen.ranks else ''}"]
    if seen.seconds is not None and seen.seconds >= _SHORT:
        said.append(seconds(seen.seconds))
    return ", ".join(said)


def ranks(numbers: Sequence[int]) -> str:
    """Ranks in few words: ``rank 0``, ``ranks 0-3,5``."""
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    text = ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
    return f"rank{'s' if len(numbers) > 1 else ''} {text}"


def seconds(number: float) -> str:
    """A time as people write it."""
    return f"{number:,.1f} s" if number >= 10 else f"{number:.2f} s" if number >= 0.1 else f"{number * 1000:.0f} ms"


def _verdict(seen: LoggedFinding) -> str:
    if seen.predicted is None:
        return ""
    return " (predicted)" if seen.predicted else " (not predicted)"


def _notes(seen: LoggedFinding, style: Style) -> Iterator[str]:
    found = seen.finding
    if found.chain:
        chain = list(links(found.chain))
        yield _note("chain", chain[0], style)
        yield from (f"{TAB}       {link}" for link in chain[1:])
    then = sentence(found)
    if then:
        yield _note("then", neutral(then), style)
    for number, (guard, count) in enumerate(seen.guards[:MAX_GUARDS]):
        yield _note("guard" if number == 0 else "", f"{neutral(guard)} ({counted(count, 'time')})", style)
    if len(seen.guards) > MAX_GUARDS:
        yield _note("", f"... and {len(seen.guards) - MAX_GUARDS} more", style)
    for gb_id in found.gb_ids[:1]:
        yield _note("torch", f"{gb_id} {url(gb_id)}", style)
    for number, item in enumerate(seen.advice):
        yield _note("help" if number == 0 else "", neutral(item), style)
    if seen.changed:
        yield _note("note", "this line has another text now than when the log was written", style)
    if seen.predicted is not None:
        codes = ", ".join(seen.predicted)
        yield _note("check", f"predicted ({codes})" if codes else "not predicted by `gblint check`", style)


def _note(title: str, text: str, style: Style) -> str:
    if not title:
        return f"{TAB}    {text}"
    return f"  {style.blue('=')} {style.bold(title + ':')} {text}"


def _times(frames: Sequence[CompileTime], style: Style) -> Iterator[str]:
    slow = [each for each in frames if each.seconds >= _SHORT]
    if not slow:
        return
    total = sum(each.seconds for each in slow)
    yield style.bold(f"Compile time, {seconds(total)} in all:")
    for each in slow[:MAX_SLOW_FUNCTIONS]:
        what = f"{each.function}, from line {each.rest}" if each.rest else each.function
        often = f", {each.count} times" if each.count > 1 else ""
        graph = f", {counted(each.operations, 'operation')}" if each.operations else ", no graph"
        place = f"{neutral(display_path(each.path))}:{each.line}"
        yield f"  {seconds(each.seconds):>8}  {neutral(what)} ({place}{often}{graph})"
    if len(slow) > MAX_SLOW_FUNCTIONS:
        yield f"  ... and {len(slow) - MAX_SLOW_FUNCTIONS:,} more"
    yield ""


def _unseen(report: LogReport, style: Style) -> Iterator[str]:
    if report.comparison is None or not report.comparison.unseen:
        return
    yield style.bold("Predicted, but not in this log (the line did not run, or does not break):")
    for each in report.comparison.unseen:
        yield f"  {concise.headline(each, style)}"
    yield ""


def summary(report: LogReport, style: Style) -> Iterator[str]:
    """The last lines: what was found in how much of a log, and how much of it was predicted."""
    breaks = [each for each in report.found if each.finding.category is Category.GRAPH_BREAK]
    again = [each for each in report.found if each.finding.category is Category.RECOMPILE]
    logs = counted(report.sources, "log")
    told = f" by torch {', '.join(report.versions)}" if report.versions else ""
    where = f"{logs}{told}{f', {ranks(report.ranks)}' if report.ranks else ''}"
    if not report.found:
        yield style.bold(f"No graph breaks and no recompiles in {where}.")
    else:
        parts = []
        if breaks:
            parts.append(f"{counted(len(breaks), 'graph break')} ({counted(sum(b.count for b in breaks), 'report')})")
        if again:
            parts.append(f"{counted(len(again), 'function')} compiled again")
        limits = sum(each.limit is not None for each in again)
        hit = f", {limits:,} of them up to the recompile limit" if limits else ""
        yield style.bold(f"Found {' and '.join(parts)}{hit} in {where}.")
    if report.comparison is not None:
        predicted, missed = Comparison.counts(report.found)
        unseen = len(report.comparison.unseen)
        more = f"; {counted(unseen, 'more was', 'more were')} predicted and not seen" if unseen else ""
        yield f"`gblint check` predicts {predicted} of {counted(predicted + missed, 'break')}{more}."
