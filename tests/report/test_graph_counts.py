"""The list of entry points by their number of graphs."""

from __future__ import annotations

from gblint.diagnostics.break_event import Consequence
from gblint.diagnostics.count_range import CountRange
from gblint.diagnostics.entry_point import EntryPoint, Region
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.reach import ReachCondition
from gblint.diagnostics.report import Report
from gblint.project.source_text import Style
from gblint.report.graph_counts import graphs_per_call, reaching
from gblint.runtime.lazy_dataclasses import replace
from tests.report.test_listing import finding

RESUMES = Consequence("resumes", "f")


def point(name: str, low: int, high: int | None, region: Region | None = None) -> EntryPoint:
    return EntryPoint(name, "net.py", 1, "call", region or Region(), CountRange(low, high))


def behind(text: str, line: int, cost: int) -> Finding:
    when = (ReachCondition("x", "net.py", 1, True, "input"), ReachCondition(text, "net.py", 3, True, "option"))
    return finding(line, reach="option", when=when, cost=cost, consequence=RESUMES, entries=("net:f",))


def listed(point: EntryPoint, *findings: Finding) -> str:
    head, line = graphs_per_call(Report("2.13", [point], [*findings]), Style())
    assert head == "Graphs per call (estimated), most first:"
    return line


def test_a_known_number_needs_no_reason() -> None:
    assert listed(point("net:f", 3, 3), behind("a", 1, 1)) == "  net:f: 3"


def test_the_condition_that_adds_most_explains_a_range() -> None:
    findings = behind("a", 1, 2), behind("b", 2, 9), behind("a", 3, 1), behind("c", 4, 1)
    assert listed(point("net:f", 1, 9), findings[1]) == "  net:f: 1 to 9 (more than 1 if `b` is true)"
    assert listed(point("net:f", 1, 12), *findings) == (
        "  net:f: 1 to 12 (more than 1 if `b` is true or `a` is true or `c` is true)"
    )
    assert listed(point("net:f", 1, 12), *findings, behind("d", 5, 1)) == (
        "  net:f: 1 to 12 (more than 1 if `b` is true or `a` is true or under one of 2 other conditions)"
    )
    assert listed(point("net:f", 2, 9), behind("x" * 80, 1, 9)) == (
        "  net:f: 2 to 9 (more than 2 if the condition at net.py:3 is true)"
    )
    other = replace(findings[1], when=tuple(replace(each, holds=not each.holds) for each in findings[1].when))
    assert listed(point("net:f", 1, 9), findings[1], other) == "  net:f: 1 to 9"
    assert listed(point("net:f", 1, 9), finding(entries=("net:f",))) == "  net:f: 1 to 9"


def test_a_loop_of_unknown_length() -> None:
    loop = Consequence("frame-eager", "f", "loop", repeats=None)
    inside = finding(7, consequence=loop, entries=("net:f",))
    other = finding(8, "layers.py", consequence=loop, cost=9, entries=("net:f",))
    assert listed(point("net:f", 4, None), inside) == "  net:f: 4 or more (a loop of unknown length around line 7)"
    assert listed(point("net:f", 4, None), inside, other).endswith("(a loop of unknown length around layers.py:8)")


def test_one_graph_in_spite_of_a_break() -> None:
    rest = Consequence("rest-eager", "f", "loop", 7)
    assert listed(point("net:f", 1, 1), finding(consequence=rest, entries=("net:f",))) == (
        "  net:f: 1 (the rest runs eagerly)"
    )


def test_no_graphs() -> None:
    assert listed(point("net:f", 0, 0), finding(entries=("net:f",))) == "  net:f: 0 (no operators to compile)"


def test_no_graphs_of_a_call_that_raises() -> None:
    raises = point("net:f", 0, 0, Region(fullgraph=True))
    assert listed(raises, finding(entries=("net:f",))) == "  net:f: 0 (the call raises an error)"


def test_the_others_are_counted_by_kind() -> None:
    points = [point(f"net:f{high}", 1, high) for high in (1, 2, 3, None)]
    found = finding(entries=tuple(each.name for each in points))
    *_, last = graphs_per_call(Report("2.13", points, [found]), Style(), 1)
    assert last == "  ... and 3 more: 2 with more than one graph, 1 with at most one; --show-all lists each"
    assert len(list(graphs_per_call(Report("2.13", points, [found]), Style(), None))) == 5


def test_a_second_object_of_a_name_that_runs_one_graph_reaches_nothing() -> None:
    points = [point("net:f", 1, 1), point("net:f", 1, 9), point("net:g", 1, 1), point("net:h", 3, 3)]
    report = Report("2.13", points, [finding(entries=("net:f", "net:g"))])
    assert reaching(report) == points[1:3]
