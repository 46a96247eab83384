"""Text about a whole run: the last line, the counts of --statistics, and the errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.report import FileError, Report
from gblint.project.source_text import Style, neutral, place
from gblint.report import no_entry_points, unresolved
from gblint.report.graph_counts import reaching, worst_first
from gblint.report.no_entry_points import counted as counted

MANY = 30  # the number of findings above which the most frequent rules are listed
RULES = 3  # the number of rules that are listed
NAMES_WIDTH = 60  # columns for the names of entry points in the last line

NOUNS = {
    Category.GRAPH_BREAK: ("graph break", "graph breaks"),
    Category.COMPILE_ERROR: ("compile error", "compile errors"),
    Category.DIVERGENCE: ("divergence from eager", "divergences from eager"),
    Category.RECOMPILE: ("recompile hint", "recompile hints"),
    Category.CONFIG: ("configuration hint", "configuration hints"),
}
SETTING_ERRORS = ("configuration error", "configuration errors")


def summary(
    report: Report,
    hidden: int,
    style: Style,
    beyond: int = 0,
    folded: int = 0,
    cut: int | None = 0,
) -> Iterator[str]:
    """Yield the last lines: the number of findings, files and entry points; coverage; hidden findings; errors.

    hidden: the number of findings below the wanted confidence; beyond: those beyond the wanted reach; folded: those
    that share the entry of another one; cut: the number of entry points that were analysed only in part, None if the
    report is about some of the compiled objects only.
    """
    if report.findings:
        files = counted(len({finding.span.path for finding in report.findings}), "file")
        lines = f" on {counted(len(report.findings) - folded, 'line')}" if folded else ""
        points = reaching(report) or report.entries
        reached = f", reached from {counted(len(points), 'entry point')}{names(points)}" if points else ""
        yield style.bold(f"Found {found(report)}{lines} in {files}{reached}.")
    elif report.entries or report.unresolved:
        yield style.bold(_without_findings(report))
    elif report.files:
        yield style.bold(no_entry_points.summary(report.files))
    else:
        yield style.bold("There are no Python files to check.")
    if report.unresolved if cut is None else report.findings or cut or not report.unresolved:
        yield from filter(None, [unresolved.coverage(report, cut or 0)])
    if len(report.findings) >= MANY:
        yield from _most_often(report)
    if folded:
        are = "is" if folded == 1 else "are"
        yield f"{counted(folded, 'finding')} {are} listed with another one of the same line; --show-all lists each."
    if hidden:
        yield f"{counted(hidden, 'less certain finding')} hidden; --min-confidence=possible shows everything."
    if beyond:
        yield f"{counted(beyond, 'finding')} beyond the reach hidden; --reach=all shows everything."
    if report.errors:
        yield style.red(f"{skipped(report)}.")


def skipped(report: Report) -> str:
    """Return the number of errors, and whether anything was linted beside the files that have one."""
    count = counted(len(report.errors), "error")
    if not report.files:
        return count
    parts = "this part was" if len(report.errors) == 1 else "these parts were"
    rest = ", and the rest was linted" if len({each.path for each in report.errors}) < report.files else ""
    return f"{count}: {parts} skipped{rest}"


def found(report: Report) -> str:
    """Return the number of findings of each category."""
    counts = Counter(_noun(finding) for finding in report.findings)
    return listed([counted(counts[each], *each) for each in (*NOUNS.values(), SETTING_ERRORS) if counts[each]])


def _noun(finding: Finding) -> tuple[str, str]:
    """Return the noun for a finding and its plural."""
    return SETTING_ERRORS if finding.category is Category.CONFIG and finding.raises else NOUNS[finding.category]


def _without_findings(report: Report) -> str:
    """Return the sentence about a run without findings: how many objects were analysed, and how many were not."""
    files, named = _files(report), names(report.entries)
    if not report.entries:
        return f"Nothing was analysed in {files}; not resolved: {unresolved.named(report)}."
    none = "No graph breaks found in the code that could be analysed," if report.errors else "No graph breaks found"
    if not report.unresolved:
        return f"{none} from {counted(len(report.entries), 'entry point')}{named} in {files}."
    if not report.compiled:
        entries = counted(len(report.entries), "assumed entry point")
        return f"{none} from {entries}{named} in {files}; {unresolved.not_analysed(report)}."
    known, missing = len(report.compiled), sum(not each.partly for each in report.unresolved)
    if not missing:
        number = counted(known, "compiled object")
        return f"{none} in {number}{named} in {files}; analysed only in part: {unresolved.named(report)}."
    how = "not resolved" if missing == len(report.unresolved) else "not analysed completely"
    found = f"{none} in {known:,} of {known + missing:,} compiled objects"
    return f"{found}{named} in {files}; {how}: {unresolved.named(report)}."


def _most_often(report: Report) -> Iterator[str]:
    """Yield the rules with the most findings, if there are many findings."""
    rows = statistics(report)
    if len(rows) > 1:
        named = [f"{row['code']} {row['rule']} ({row['count']:,})" for row in rows[:RULES]]
        left = len(rows) - RULES
        yield f"Most frequent rules: {listed([*named, counted(left, 'other rule')] if left > 0 else named)}."


def listed(parts: Sequence[str], conjunction: str = "and") -> str:
    """Join words: ``a``, ``a and b``, ``a, b and c``."""
    return f" {conjunction} ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def _files(report: Report) -> str:
    return counted(report.files, "file")


def names(points: Sequence[EntryPoint]) -> str:
    """Return the first names of entry points in brackets; "" if there are none."""
    all_names = list(dict.fromkeys(neutral(point.name) for point in points))
    shown = all_names[:1]
    for name in all_names[1:]:
        if len(", ".join([*shown, name])) > NAMES_WIDTH:
            break
        shown.append(name)
    return f" ({', '.join(shown)}{', ...' if len(all_names) > len(shown) else ''})" if all_names else ""


def assumed(report: Report) -> str | None:
    """Return the line about assumed entry points; None if none is assumed."""
    count = sum(entry.kind == "assumed" for entry in report.entries)
    if not count:
        return None
    modules = counted(count, "nn.Module", "nn.Modules")
    if report.compiled:
        return f"the forward of {modules} is assumed to be compiled, too"
    why = "there is no call of torch.compile"
    if report.unresolved:
        first = report.unresolved[0]
        more = f" and {len(report.unresolved) - 1:,} more" if len(report.unresolved) > 1 else ""
        why = f"what torch.compile is applied to could not be resolved ({place(first.path, first.line)}{more})"
    return f"the forward of {modules} is assumed to be compiled, since {why}"


def entry_hint(report: Report) -> str | None:
    """Return the advice to name an entry point, if all are assumed; None otherwise."""
    if report.compiled or not report.entries:
        return None
    worst = min(report.entries, key=lambda point: worst_first(point.graphs))
    ways = "with `--entry`, or as `entries` in the configuration"
    return f"name the objects that you compile {ways}; for example --entry {neutral(worst.name)}"


def error_line(error: FileError) -> str:
    """Return ``path:line: message``, without the line if there is none."""
    return f"{place(error.path, error.line)}: {neutral(error.message)}"


def statistics(report: Report) -> list[dict[str, Any]]:
    """Return the number of findings of each rule, the largest first."""
    counts = Counter((finding.code, finding.rule) for finding in report.findings)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [{"code": code, "rule": rule, "count": count} for (code, rule), count in ordered]


def statistics_lines(report: Report, style: Style) -> Iterator[str]:
    """Yield the statistics as a table."""
    rows = statistics(report)
    digits = max((len(str(row["count"])) for row in rows), default=0)
    for row in rows:
        yield f"{row['count']:>{digits}}  {style.red(row['code'])}  {row['rule']}"
