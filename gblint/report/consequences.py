"""Texts about the consequences of a break, and about the entry points with the most graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from gblint.diagnostics.break_event import Consequence
from gblint.diagnostics.count_range import CountRange
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.reach import REACHES
from gblint.diagnostics.report import Report
from gblint.project.source_text import Style, located, neutral, place
from gblint.report.listing import Listing

MOST = 10  # entry points and findings in the lists at the end

_REACHED = {
    "default": "with the defaults",
    "input": "if sizes, data or objects decide so",
    "option": "only if an option is set",
    "error": "only after an error",
}
_REASONS = {
    "loop": "Dynamo cannot resume in a loop",
    "try": "Dynamo cannot resume inside `try`",
    "with": "Dynamo cannot resume under this context manager",
    "enter": "Dynamo cannot resume while it enters a context manager",
    "attribute": "Dynamo cannot resume from an attribute lookup",
    "operator": "Dynamo cannot resume from an operator",
    "membership": "Dynamo cannot resume from `in`",
    "slice": "Dynamo cannot resume from the bounds of a slice",
    "iteration": "Dynamo cannot resume inside an iteration",
    "format": "Dynamo cannot resume from text made from a tensor",
    "import": "Dynamo cannot resume from an import",
    "raise": "Dynamo cannot resume from `raise`",
    "delete": "Dynamo cannot resume from `del`",
    "await": "Dynamo cannot resume from `await`",
    "generator": "Dynamo cannot resume in a generator",
    "skip": "the call requests it",
}


def sentence(finding: Finding) -> str:
    """Return a sentence on what Dynamo does after the break and how often it runs; "" if there is no estimate."""
    found = finding.consequence
    if found is None:
        return ""
    reason = why_eager(found.reason)
    if found.outcome == "resumes":
        text = "the graph ends here, and the next one begins after it"
    elif found.outcome == "rest-eager":
        text = f"`{found.frame}` runs eagerly from line {located(finding.span.path, found.line)[1]}: {reason}"
    else:
        text = f"all of `{found.frame}` runs eagerly: {reason}"
    return f"{text}{_repeats(found)}"


def why_eager(reason: str) -> str:
    """Return the reason why Dynamo cannot resume after a break."""
    return _REASONS.get(reason, "Dynamo cannot resume from this")


def _repeats(found: Consequence) -> str:
    if found.repeats is None:
        return "; in a loop of unknown length"
    if found.repeats < 2:
        return ""
    if found.layers == found.repeats:
        return f"; once per layer, {found.layers} layers"
    layers = f", {found.layers} layers" if found.layers else ""
    return f"; {found.repeats:,} times per call{layers}"


_OPTIONS = {
    "fullgraph": "`fullgraph=True`",
    "error_on_graph_break": "`error_on_graph_break({on})`",
    "export": "the export",
}


def verdict(finding: Finding, at: Callable[[str, int], str] = place) -> str:
    """Return the line that makes the break an error or allows it, as text; "" if there is none.

    ``at`` formats a file and a line.
    """
    option_source = finding.raised_by or finding.allowed_by
    if option_source is None:
        return ""
    option = _OPTIONS[option_source.option].format(on=finding.raised_by is not None)
    where = at(option_source.path, option_source.line)
    return f"{option} at {where} {'turns the break into an error' if finding.raised_by else 'allows the break'}"


def suffix(finding: Finding) -> str:
    """Return the note for formats with one line per finding; "" if the break only splits the graph."""
    found = finding.consequence
    if found is None or found.outcome == "resumes":
        return ""
    line = located(finding.span.path, found.line)[1]
    return f" ({found.frame} runs eagerly{f' from line {line}' if found.outcome == 'rest-eager' else ''})"


def number(count: CountRange) -> str:
    """Return a count as text."""
    if count.high is None:
        return f"{count.low:,} or more"
    return f"{count.low:,}" if count.low == count.high else f"{count.low:,} to {count.high:,}"


def closing(report: Report, entries: Listing, style: Style) -> Iterator[str]:
    """Yield what a short report ends with: the reach of its lines, the costliest ones, the graphs of entry points."""
    yield from reached(entries)
    yield from _costliest(entries, style)
    yield from graphs_per_call(report, style)


def reached(entries: Listing) -> Iterator[str]:
    """Yield a sentence on how many lines are reached in every call, and how many only otherwise.

    There is none for a single line, or if all are reached in every call.
    """
    counts = Counter(entry.reach for entry in (*entries.shown, *entries.conditional))
    total = counts.total()
    if total < 2 or counts["always"] == total:
        return
    others = [f"{counts[each]:,} {_REACHED[each]}" for each in REACHES if each in _REACHED and counts[each]]
    if counts["always"]:
        verb = "is" if counts["always"] == 1 else "are"
        yield f"Of {total:,} lines {counts['always']:,} {verb} reached in every call, another {', '.join(others)}."
    else:
        yield f"None of the {total:,} lines is reached in every call: {', '.join(others)}."


def at_line(finding: Finding) -> str:
    """Return the place and the rule of a finding, and in brief what it costs."""
    repeats = "" if finding.consequence is None else _repeats(finding.consequence)
    where = place(finding.span.path, finding.span.line)
    return f"  {where}: {finding.code} {finding.rule}{neutral(suffix(finding))}{neutral(repeats)}"


def _costliest(entries: Listing, style: Style) -> Iterator[str]:
    """Yield a list of the costliest lines, if they differ in cost."""
    listed = [each for entry in entries.shown for each in (entry.finding, *entry.others)]
    by_line: dict[tuple[str, int], Finding] = {}
    for each in sorted(listed, key=lambda each: -each.cost):
        if each.consequence is not None:
            by_line.setdefault((each.span.path, each.span.line), each)
    ranked = list(by_line.values())
    if len(ranked) > 1 and ranked[0].cost > ranked[-1].cost:
        yield style.bold("Costliest first:")
        yield from map(at_line, ranked[:MOST])
        yield from more(len(ranked), MOST)


def graphs_per_call(report: Report, style: Style, most_lines: int = MOST) -> Iterator[str]:
    """Yield a list of the entry points with findings by their number of graphs, ``most_lines`` at most."""
    reaching = {name for finding in report.findings for name in finding.entries}
    points = [(point, point.graphs) for point in report.entries if point.graphs is not None and point.name in reaching]
    if points:
        yield style.bold("Graphs per call (estimated), worst first:")
        points.sort(key=lambda pair: (-most(pair[1]), -pair[1].low, pair[0].name))
        shown = list(dict.fromkeys(_line(point, graphs) for point, graphs in points))
        yield from shown[:most_lines]
        yield from more(len(shown), most_lines)


def _line(point: EntryPoint, graphs: CountRange) -> str:
    raises = " (the call raises an error)" if point.region.raises and graphs.high == 0 else ""
    return f"  {neutral(point.name)}: {number(graphs)}{raises}"


def more(total: int, shown: int) -> Iterator[str]:
    """Yield the last line of a list that is cut."""
    if total > shown:
        yield f"  ... and {total - shown:,} more"


def most(graphs: CountRange) -> float:
    """Return the upper bound of a count."""
    return float("inf") if graphs.high is None else graphs.high
