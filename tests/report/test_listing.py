"""The order of the entries of a report, and those that it only counts."""

from __future__ import annotations

from gblint.diagnostics.break_event import Category, Confidence, Consequence
from gblint.diagnostics.count_range import CountRange
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.reach import Reach, ReachCondition
from gblint.diagnostics.report import FileError, Report
from gblint.diagnostics.span import Span
from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.project.source_text import Source, Style
from gblint.report import concise, full
from gblint.report.cost_groups import SEPARATE, UNIT
from gblint.report.listing import FEW, HEADS, Listing, group, listing, size
from gblint.report.overview import DEFINITION
from gblint.runtime.lazy_dataclasses import replace

PLAIN = Style()
COSTLIEST = f"Costliest first ({UNIT}):"
PAIR: tuple[tuple[str, Reach], ...] = (("one", "always"), ("other", "input"))


def finding(line: int = 1, path: str = "net.py", **changes: object) -> Finding:
    values: dict[str, object] = {
        "code": "GBL101",
        "rule": "tensor-item",
        "category": Category.GRAPH_BREAK,
        "severity": Severity.WARNING,
        "confidence": Confidence.CERTAIN,
        "span": Span(path, line, 1, line, 9),
        "message": "`x.item()` takes a number out of a tensor",
    }
    return Finding(**{**values, **changes})  # type: ignore[arg-type]


def conditional(line: int, text: str = "self.debug") -> Finding:
    way = (ReachCondition(text, "net.py", 1, True, "option"),)
    return finding(line, reach="option", when=way)


def lines(entries: Listing) -> list[int]:
    return [entry.finding.span.line for entry in entries.shown]


def test_what_raises_is_first_then_what_is_reached_most_then_what_costs_most() -> None:
    found = [
        finding(1, reach="option"),
        finding(2, reach="default", cost=9),
        finding(3, cost=1),
        finding(4, cost=5),
        finding(5, severity=Severity.ERROR, reach="default"),
        finding(6, "tests/test_net.py", severity=Severity.ERROR, cost=99),
    ]
    assert lines(listing(found)) == [5, 4, 3, 2, 1, 6]


def test_what_every_call_reaches_comes_before_what_only_training_reaches() -> None:
    training = (ReachCondition("self.training", "net.py", 1, True, "always"),)
    assert lines(listing([finding(1, cost=9, when=training), finding(2), finding(3, reach="default")])) == [2, 1, 3]


def test_what_only_tests_reach_is_last() -> None:
    found = [finding(1, entries=("tests.test_net:step",)), finding(2, entries=("tests.test_net:step", "net:Net"))]
    assert lines(listing(found)) == [2, 1]


def test_what_only_an_option_leads_to_is_counted() -> None:
    found = [finding(1), *(conditional(line) for line in range(2, 3 + FEW)), conditional(50, "mode == 'x'")]
    entries = listing(found)
    assert lines(entries) == [1] and len(entries.conditional) == FEW + 2
    *_, note = concise.render(entries, PLAIN)
    assert note == (
        "7 more lines are reached only if an option is set, most often if `self.debug` is true (6), "
        "`mode == 'x'` is true (1); --reach=all lists them."
    )
    assert note in list(full.render(Report("2.13", findings=found), entries, PLAIN, Source({})))


def test_everything_is_listed_if_it_is_asked_for_or_if_there_is_little() -> None:
    found = [finding(1), *(conditional(line) for line in range(2, 9))]
    assert len(lines(listing(found, every_reach=True))) == len(lines(listing(found, show_all=True))) == 8
    assert len(lines(listing(found[: 1 + FEW]))) == 1 + FEW
    # A report without entries would look like one without findings.
    assert len(lines(listing(found[1:]))) == 7


def test_a_line_that_is_also_reached_otherwise_is_listed() -> None:
    found = [conditional(1), finding(1, reach="default"), *(conditional(line) for line in range(2, 9))]
    assert lines(listing(found)) == [1]


def test_a_long_report_begins_with_its_summary() -> None:
    consequence = Consequence("resumes", "f")
    found = [finding(line, cost=line, consequence=consequence) for line in range(1, 30)]
    found.append(finding(30, severity=Severity.ERROR))
    shown = list(full.render(Report("2.13", findings=found), listing(found), PLAIN, Source({})))
    assert shown[:13] == [
        "Default run: an error on 1 line (certain) and graph breaks on 29 lines (all certain), in every call. "
        f"{DEFINITION}",
        "Fix first: net.py:30 (GBL101 tensor-item): a call raises an error there.",
        "In all: 30 graph breaks on 30 lines",
        "Compiled: 0 entry points",
        "Raises an error:",
        "  net.py:30: GBL101 tensor-item",
        f"What costs most in a default run ({UNIT}):",
        "  net.py:29: GBL101 tensor-item: 1 break per call",
        "  net.py:28: GBL101 tensor-item: 1 break per call",
        "  net.py:27: GBL101 tensor-item: 1 break per call",
        "  net.py:26: GBL101 tensor-item: 1 break per call",
        "  net.py:25: GBL101 tensor-item: 1 break per call",
        "  ... and 24 more",
    ]
    assert COSTLIEST not in shown
    short = list(full.render(Report("2.13", findings=found[:9]), listing(found[:9]), PLAIN, Source({})))
    assert short[0] == "Default run: graph breaks on 9 lines (all certain), in every call."
    assert short[2].startswith("net.py:9:1: GBL101") and COSTLIEST in short
    one_screen = list(full.render(Report("2.13", findings=found[:2]), listing(found[:2]), PLAIN, Source({})))
    assert one_screen[0].startswith("net.py:2:1: GBL101")


def test_a_long_report_without_lines_in_every_call_lists_the_nearest() -> None:
    found = [finding(line, reach="input", cost=line) for line in range(1, 30)]
    report = Report("2.13", findings=found, errors=[FileError("a.py", 1, "syntax error")])
    shown = list(full.render(report, listing(found), PLAIN, Source({}), cut=2))
    assert "Skipped because of errors: 1 part (see the end)" in shown
    assert f"What costs most for some inputs ({UNIT}):" in shown
    assert "Analysed only in part: 2 entry points (see the warnings)" in shown


def test_a_long_report_names_its_entry_points_and_what_was_not_analysed() -> None:
    found = [finding(line, entries=("net:Net",)) for line in range(1, 30)]
    points = [EntryPoint("net:Net", "net.py", 1, "assumed"), EntryPoint("net:Other", "net.py", 9, "assumed")]
    left = UnresolvedTarget("train.py", 7, 1, "model", "call", "parameter", "nothing visible calls `train`", "name it")
    report = Report("2.13", points, found, unresolved=[left])
    head = list(full.render(report, listing(found), PLAIN, Source({})))[:30]
    why = "what torch.compile is applied to could not be resolved (train.py:7)"
    assert head[2:4] == [
        "In all: 29 graph breaks on 29 lines, reached from 1 of 2 entry points",
        f"Entry points: the forward of 2 nn.Modules is assumed to be compiled, since {why}; name yours with --entry",
    ]
    assert "  train.py:7: `model`: nothing visible calls `train`" in head


def test_a_long_report_has_a_heading_for_each_group() -> None:
    found = [*(finding(line) for line in range(1, 20)), *(finding(line, reach="input") for line in range(20, 24))]
    lines = list(full.render(Report("2.13", findings=found), listing(found), Style(), Source()))
    heads = [line for line in lines if line.endswith(" lines):")]
    assert heads == [
        "In every call (19 lines):",
        "For some inputs (4 lines):",
    ]


def test_a_long_report_says_that_calls_in_an_eager_function_are_compiled_separately() -> None:
    eager = Consequence("frame-eager", "f", "loop")
    found = [finding(line, cost=line + 9, consequence=eager) for line in range(1, 25)]
    lines = list(full.render(Report("2.13", findings=found), listing(found), Style(), Source()))
    assert f"What costs most in a default run ({UNIT}; {SEPARATE}):" in lines


def test_a_heading_counts_the_lines_of_tests_that_are_listed_below() -> None:
    found = [*(finding(line) for line in range(1, 25)), finding(1, "tests/test_net.py")]
    lines = list(full.render(Report("2.13", findings=found), listing(found), Style(), Source()))
    assert [line for line in lines if line.endswith("):") and " line" in line] == [
        "In every call (24 lines; 1 more in tests):",
        "In tests (1 line):",
    ]


def test_a_heading_counts_hints_and_the_lines_of_one_mode() -> None:
    training = (ReachCondition("self.training", "net.py", 1, True, "always"),)
    lines = [finding(1), finding(2), finding(3, when=training)]
    hint = finding(4, category=Category.CONFIG, severity=Severity.INFO)
    assert size(listing(lines).shown) == "2 lines, and 1 more only in training"
    assert size(listing(lines[2:]).shown) == "1 line, only in training"
    assert size(listing([lines[0], hint]).shown) == "1 line, and 1 line with hints only"
    assert size(listing([hint]).shown) == "1 line"
    assert size(listing([hint, replace(hint, message="another")]).shown) == "2 on 1 line"


def test_the_summary_lists_costs_by_entry_point() -> None:
    split = Consequence("resumes", "f", entry="net:f")
    found = [finding(line, entries=("net:Net.forward",)) for line in range(1, 30)]
    found.append(finding(30, cost=9, entries=("net:Net.forward", "net:f"), consequence=split))
    points = [EntryPoint("net:Net.forward", "net.py", 1, "call", graphs=CountRange(2, 9))]
    shown = list(full.render(Report("2.13", points, found), listing(found), PLAIN, Source({})))
    start = shown.index(f"What costs most in a default run, by entry point ({UNIT}):")
    assert shown[start + 1 : start + 8] == [
        "  net:f:",
        "    net.py:30: GBL101 tensor-item: 1 break per call; also from 1 other entry point",
        "  net:Net.forward, 2 to 9 graphs per call:",
        "    net.py:1: GBL101 tensor-item",
        "    net.py:2: GBL101 tensor-item",
        "    net.py:3: GBL101 tensor-item",
        "    ... and 26 more",
    ]


def test_hints_come_after_breaks_and_before_tests() -> None:
    found = [
        finding(1, category=Category.CONFIG),
        finding(2, "tests/test_net.py"),
        conditional(3),
        finding(4, category=Category.CONFIG, severity=Severity.ERROR),
    ]
    entries = listing(found)
    assert lines(entries) == [4, 3, 1, 2]
    assert [group(entry) for entry in entries.shown] == ["raises an error", HEADS["option"], "hints", "in tests"]


def test_lines_are_counted_once_also_if_each_finding_is_an_entry() -> None:
    found = [finding(line, message=text, reach=reach) for line in range(1, 15) for text, reach in PAIR]
    entries = listing(found, show_all=True)
    assert len(entries.shown) == 28 and len(entries.lines) == 14
    shown = list(full.render(Report("2.13", findings=found), entries, PLAIN, Source({})))
    assert shown[0:3:2] == [
        f"Default run: graph breaks on 14 lines (all certain), in every call. {DEFINITION}",
        "In all: 28 graph breaks on 14 lines",
    ]
    assert "In every call (14 lines):" in shown
