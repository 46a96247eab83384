"""Breaks with one cost, their unit, and the line about the place to begin with."""

from __future__ import annotations

from gblint.diagnostics.break_event import Category, Confidence, Consequence
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.reach import ReachCondition
from gblint.diagnostics.span import ChainLink, Span
from gblint.interp.graphs.partitioner import UNKNOWN_TIMES
from gblint.project.source_text import Style
from gblint.report import fix_first
from gblint.report.consequences import ROUNDS
from gblint.report.cost_groups import UNIT, cost_groups, in_groups, row
from gblint.report.listing import listing
from gblint.runtime.lazy_dataclasses import replace
from tests.report.test_listing import conditional, finding

EAGER = Consequence("frame-eager", "Net.step", "loop", repeats=None, entry="net:Net")


def rows(*findings: Finding) -> list[str]:
    return [row(group) for group in cost_groups(listing(findings).lines)]


def first(*findings: Finding) -> str:
    return fix_first.sentence(listing(findings), Style())


def eager(line: int, cost: int = 28, path: str = "net.py", **changes: object) -> Finding:
    return finding(line, path, cost=cost, consequence=EAGER, entries=("net:Net",), **changes)


def split(line: int, repeats: int | None = 1, **changes: object) -> Finding:
    times = ROUNDS if repeats is None else repeats
    return finding(line, cost=times, consequence=Consequence("resumes", "f", repeats=repeats), **changes)


def test_a_loop_of_unknown_length_counts_as_in_the_estimates() -> None:
    assert ROUNDS == UNKNOWN_TIMES and f"{ROUNDS} rounds" in UNIT


def test_lines_that_keep_one_function_from_being_compiled_are_one_cost() -> None:
    other = eager(9, 40, code="GBL201", rule="branch-on-tensor")
    assert rows(eager(4), split(7), other) == [
        "net.py:4, 9: GBL101 tensor-item, GBL201 branch-on-tensor: `Net.step` runs eagerly, about 32 operators per "
        "call",
        "net.py:7: GBL101 tensor-item: 1 break per call",
    ]
    many = [eager(line, path=f"m{line // 3}.py") for line in range(1, 6)]
    assert rows(*many)[0].startswith("m0.py:1, 2, m1.py:3 and 2 more lines: GBL101 tensor-item: ")


def test_large_numbers_are_rounded() -> None:
    text = "`Net.step` runs eagerly, about 1,600 operators per call"
    assert rows(eager(1, 1646)) == [f"net.py:1: GBL101 tensor-item: {text}"]


def test_a_function_of_another_entry_point_or_reach_is_another_cost() -> None:
    other = finding(9, cost=28, consequence=Consequence("frame-eager", "Net.step", "loop", repeats=None, entry="net:B"))
    assert len(rows(eager(4), other)) == len(rows(eager(4), eager(9, reach="input"))) == 2


def test_all_breaks_of_a_line_are_counted() -> None:
    two = [split(3, 2), split(3, 4, message="another"), split(3, 9, message="a third", reach="input")]
    assert rows(*two) == ["net.py:3: GBL101 tensor-item and 2 more: 6 breaks per call"]
    assert rows(split(3, None), split(3, 4, message="another"))[0].endswith(
        ": breaks in every round of a loop (length unknown)"
    )
    layers = finding(3, cost=12, consequence=Consequence("resumes", "f", repeats=12, layers=12))
    assert rows(layers)[0].endswith(": 12 breaks per call (12 layers)")


def test_the_rest_of_a_function() -> None:
    rest = finding(3, cost=2, consequence=Consequence("rest-eager", "f", "try", 5))
    assert rows(rest)[0].endswith(": `f` runs eagerly from line 5, about 1 operator per call")


def test_nothing_is_first_if_there_is_one_line_or_hints_only() -> None:
    hint = finding(2, category=Category.CONFIG)
    assert not first() and not first(finding(1)) and not first(finding(1), hint) and not first(hint, hint)


def test_the_costliest_place_of_every_call_is_first() -> None:
    help_ = "keep it a tensor"
    found = [eager(4, help=help_), split(7), eager(5, 99, reach="default"), finding(8, reach="input", cost=999)]
    assert first(*found) == (
        "Fix first: net.py:4 (GBL101 tensor-item): then `Net.step` is compiled: about 20 operators per call of "
        "Net that run eagerly now. Keep it a tensor. net.py:8 costs most, but is reached only for some inputs."
    )
    both = first(eager(4, help=help_), eager(6), split(7))
    assert both.startswith("Fix first: net.py:4, 6 (GBL101 tensor-item): once all 2 lines are changed, `Net.step` is ")
    assert both.endswith(" eagerly now. Begin with net.py:4: keep it a tensor.")
    assert first(split(3, 46, entries=("net:Net",)), split(4)) == (
        "Fix first: net.py:3 (GBL101 tensor-item): then a call of Net has 46 fewer breaks."
    )
    assert first(split(3, None), split(4)).endswith("then a call has one fewer break in every round of a loop.")


def test_a_costlier_line_that_is_not_first_is_explained() -> None:
    training = (ReachCondition("self.training", "net.py", 1, True, "always"),)
    option = (ReachCondition("debug", "net.py", 1, True, "option"),)
    said = {
        "not every call reaches it": eager(8, 99, reach="default"),
        "is reached only in training": eager(8, 99, when=training),
        "is reached only if `debug` is true": eager(8, 99, reach="option", when=option),
        "is reached only in tests": eager(8, 99, path="tests/test_net.py"),
    }
    for why, costlier in said.items():
        text = first(split(3), costlier)
        assert text.endswith(f" 1 fewer break. {costlier.span.path}:8 costs most, but {why}."), text
    raising = replace(split(3), severity=Severity.ERROR)
    assert "costs most" not in first(raising, eager(8, 99, reach="default"))


def test_the_first_line_of_the_report_is_the_first_to_fix() -> None:
    lines = [split(3, 5), split(4, 4), split(4, 4), eager(6, 6), eager(7, 2), split(9, 7, reach="default")]
    entries = listing(lines)
    assert entries.shown[0].finding.span.line == 4
    assert fix_first.sentence(entries, Style()).startswith("Fix first: net.py:4 ")
    assert in_groups(entries.shown)[0].lines[0] is entries.shown[0]


def test_a_condition_is_named() -> None:
    said = first(eager(4, reach="input"), split(2, reach="input"))
    assert said.endswith(" eagerly now, for some inputs.")
    training = (ReachCondition("self.training", "net.py", 1, True, "always"),)
    assert first(split(1, when=training), split(2, when=training)).endswith("1 fewer break, only in training.")


def test_a_default_run_may_need_no_change() -> None:
    text = (
        "Fix first: nothing for a default run; otherwise net.py:1 (GBL101 tensor-item): then a call has 1 fewer break"
    )
    assert first(conditional(1)) == first(conditional(1), conditional(2)) == f"{text}, if `self.debug` is true."
    assert "nothing" not in first(conditional(1), finding(2))


def test_what_raises_is_first() -> None:
    raising = finding(3, severity=Severity.ERROR, entries=("net:Net",))
    assert first(eager(4), raising) == "Fix first: net.py:3 (GBL101 tensor-item): a call of Net raises an error there."
    setting = finding(2, category=Category.CONFIG, severity=Severity.ERROR, help="remove it")
    assert first(eager(4), setting).endswith(": this line raises an error. Remove it.")
    unsure = finding(2, category=Category.CONFIG, severity=Severity.ERROR, confidence=Confidence.LIKELY)
    assert first(eager(4), unsure).endswith(": this line raises an error if it runs.")
    assert first(eager(4), finding(9, "tests/a.py", severity=Severity.ERROR)).startswith("Fix first: net.py:4 ")


def test_a_break_inside_a_library_has_no_help_of_its_own() -> None:
    inside = eager(4, help="keep it a tensor", chain=(ChainLink("net.py", 4, "f"), ChainLink("/lib/a.py", 9, "g")))
    assert inside.span == Span("net.py", 4, 1, 4, 9)
    assert first(inside, split(9)).endswith(
        "The break is inside a library: make this call outside of the compiled code, or change the library."
    )


def test_a_setting_that_does_not_remove_all_breaks_of_a_group_is_not_advised() -> None:
    scalars = "capture_scalar_outputs = True"
    advice = f"keep it a tensor, or set `torch._dynamo.config.{scalars}`"
    read = eager(4, help=advice, setting=scalars)
    assert first(read, eager(5, setting=scalars), finding(9)).endswith(f"{advice}.")
    assert first(read, eager(5), finding(9)).endswith("keep it a tensor.")
