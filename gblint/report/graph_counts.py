"""The list of entry points by the number of graphs that a call runs, and why a number is not known exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.count_range import CountRange
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.report import Report
from gblint.project.source_text import Style, located, neutral, place
from gblint.report import reach

MOST: Final = 10  # lines of a list
NAMED: Final = 2  # conditions that are named


def reaching(report: Report) -> list[EntryPoint]:
    """Return the entry points that reach findings.

    An object may be compiled twice in different ways: the points of a name that run one graph, or for which there is no
    estimate, are not counted if another point of that name runs more.
    """
    names = {name for finding in report.findings for name in finding.entries}
    points = [point for point in report.entries if point.name in names]
    breaking = {point.name for point in points if _breaks(point)}
    return [point for point in points if point.name not in breaking or _breaks(point)]


def _breaks(point: EntryPoint) -> bool:
    return point.region.raises or point.graphs not in (None, CountRange(1, 1))


def graphs_per_call(report: Report, style: Style, most_lines: int | None = MOST) -> Iterator[str]:
    """Yield a list of the entry points with findings by their number of graphs.

    most_lines: the number of lines of the list, None for all.
    """
    reached = {name for finding in report.findings for name in finding.entries}
    points = [(name, text) for name, text in described(report) if name in reached]
    objects = Counter(name for name, _ in points)
    worst = dict(reversed(points))
    if points:
        yield style.bold(f"Graphs per call (estimated{_callers(report)}), most first:")
        names = list(objects)[:most_lines]
        yield from (f"  {neutral(name)}: {worst[name]}{_of_several(objects[name])}" for name in names)
        rest = list(objects)[len(names) :]
        if rest:
            yield f"  ... and {len(rest):,} more: {kinds(report, rest)}; --show-all lists each"


def _callers(report: Report) -> str:
    """Return why one break leads to several graphs, if a break is in a function that another one calls."""
    breaks = [each for each in report.findings if each.category is Category.GRAPH_BREAK]
    is_called = any(len(each.chain) > 1 for each in breaks)
    return "; a break in a function also splits its callers" if is_called else ""


def _of_several(objects: int) -> str:
    """Return a note that a number is that of the worst of several objects with one name."""
    return f", the worst of {objects:,} objects" if objects > 1 else ""


def graphs_by_name(report: Report) -> dict[str, str]:
    """Return the graphs that a call of each entry point runs, by its name; the most if several objects have a name."""
    counts = [(point.name, point.graphs) for point in report.entries if point.graphs is not None]
    counts.sort(key=lambda pair: worst_first(pair[1]), reverse=True)
    return {
        name: f"{number(count)} {'graph' if count.low == count.high == 1 else 'graphs'} per call"
        for name, count in counts
    }


def kinds(report: Report, names: Iterable[str]) -> str:
    """Return how many entry points run graphs without a limit, more than one at most, and one at most."""
    counts = [(point.name, point.graphs) for point in report.entries if point.graphs is not None]
    by_name = dict(sorted(counts, key=lambda pair: worst_first(pair[1]), reverse=True))
    found = [by_name[name] for name in names if name in by_name]
    numbers = {
        "with a loop of unknown length": sum(count.high is None for count in found),
        "with more than one graph": sum(count.high is not None and count.high > 1 for count in found),
        "with at most one": sum(count.high is not None and count.high <= 1 for count in found),
    }
    return ", ".join(f"{count:,} {text}" for text, count in numbers.items() if count)


def described(report: Report) -> Iterator[tuple[str, str]]:
    """Yield each entry point whose graphs are known, worst first, with their number and what it depends on."""
    reaching: dict[str, list[Finding]] = {}
    for finding in report.findings:
        for name in finding.entries:
            reaching.setdefault(name, []).append(finding)
    points = [(point, point.graphs) for point in report.entries if point.graphs is not None]
    points.sort(key=lambda pair: (*worst_first(pair[1]), pair[0].name))
    for point, graphs in points:
        raises = point.region.raises and graphs.high == 0
        why = " (the call raises an error)" if raises else _why(point, graphs, reaching.get(point.name, ()))
        yield point.name, f"{number(graphs)}{why}"


def _why(point: EntryPoint, graphs: CountRange, findings: Sequence[Finding]) -> str:
    """Return the reason for a wide range, or for few graphs in spite of a break; "" if none is known."""
    breaks = [each for each in findings if each.category is Category.GRAPH_BREAK and each.consequence is not None]
    breaks.sort(key=lambda each: -each.cost)
    if graphs.high is None:
        loops = [each for each in breaks if each.consequence is not None and each.consequence.repeats is None]
        return f" (a loop of unknown length around {_at(loops[0], point)})" if loops else ""
    if graphs.low < graphs.high:
        return _conditions(graphs, breaks)
    if not graphs.high:
        return " (no operators to compile)"
    eager = any(each.consequence is not None and each.consequence.outcome != "resumes" for each in breaks)
    return " (the rest runs eagerly)" if graphs.high == 1 and eager else ""


def _conditions(graphs: CountRange, breaks: Sequence[Finding]) -> str:
    """Return the conditions that add most to the number of graphs, and the number of the others."""
    nearest = [(condition, each.cost) for each in breaks if (condition := reach.nearest(each)) is not None]
    outcomes = {(each.path, each.line, each.text, each.holds) for each, _ in nearest}
    costs: Counter[str] = Counter()
    for condition, cost in nearest:
        # A condition that adds graphs in both of its outcomes is not what the number depends on.
        if (condition.path, condition.line, condition.text, not condition.holds) not in outcomes:
            costs[reach.brief(condition)] += cost
    if not costs:
        return ""
    texts = [neutral(text) for text, _ in costs.most_common()]
    shown = texts if len(texts) <= NAMED + 1 else texts[:NAMED]
    left = len(texts) - len(shown)
    others = [f"under one of {left:,} other conditions"] if left else []
    first, *rest = shown
    return f" (more than {graphs.low:,} {' or '.join([f'if {first}', *rest, *others])})"


def _at(finding: Finding, point: EntryPoint) -> str:
    """Return the place of a finding, without the file if the entry point is in the same one."""
    path, line = finding.span.path, finding.span.line
    return f"line {located(path, line)[1]}" if path == point.path else place(path, line)


def number(count: CountRange) -> str:
    """Return a count as text."""
    if count.high is None:
        return f"{count.low:,} or more"
    return f"{count.low:,}" if count.low == count.high else f"{count.low:,} to {count.high:,}"


def worst_first(graphs: CountRange | None) -> tuple[float, int]:
    """Return a key by which the largest count is first; a count that is not known is last."""
    if graphs is None:
        return 0, 0
    return (float("-inf") if graphs.high is None else -graphs.high), -graphs.low


def more(total: int, shown: int) -> Iterator[str]:
    """Yield the last line of a list that is cut."""
    if total > shown:
        yield f"  ... and {total - shown:,} more"
