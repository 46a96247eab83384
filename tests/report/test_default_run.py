"""The sentence on a default run."""

from __future__ import annotations

from gblint.diagnostics.break_event import Category, Confidence, Consequence
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.reach import ReachCondition
from gblint.diagnostics.span import ChainLink
from gblint.project.source_text import Style
from gblint.report.default_run import left_out, sentence
from gblint.report.listing import listing
from tests.report.test_listing import conditional, finding

PASSED = "for some inputs (sizes, values or objects)"
HINT = {"category": Category.RECOMPILE, "severity": Severity.INFO}


def said(*findings: Finding) -> str:
    return sentence(listing(findings), Style())


def in_mode(line: int, holds: bool = True, text: str = "self.training") -> Finding:
    return finding(line, when=(ReachCondition(text, "net.py", 1, holds, "always"),))


def test_nothing_is_said_about_nothing() -> None:
    assert said() == ""


def test_one_line_in_every_call() -> None:
    assert said(finding()) == "Default run: a graph break on 1 line (certain), in every call."


def test_lines_of_different_reach_and_certainty() -> None:
    likely = finding(2, reach="default", confidence=Confidence.LIKELY)
    others = (finding(3, reach="input"), finding(4, reach="error"), *(conditional(n, f"c{n}") for n in range(5, 9)))
    assert said(finding(1), likely, *others) == (
        "Default run: graph breaks on 2 lines (1 certain, 1 likely), 1 of them in every call and 1 "
        f"with the default options and arguments. More breaks on 1 line {PASSED}, "
        "on 4 only if an option is set and on 1 only after an error."
    )


def test_one_mode_is_not_every_call() -> None:
    assert said(finding(1), in_mode(2)).endswith("(all certain), 1 of them in every call and 1 only in training.")
    assert said(in_mode(1), in_mode(2)).endswith("(all certain), only in training.")
    assert said(in_mode(1, False)).endswith("(certain), only in evaluation.")
    assert said(in_mode(1, False), in_mode(2)).endswith(", only in training or only in evaluation.")
    mixed = in_mode(1, False, "self.training and not self.forced")
    assert said(mixed).endswith(", only in training or only in evaluation.")


def test_defaults_are_not_every_call() -> None:
    assert said(finding(reach="default")).endswith(
        "a graph break on 1 line (certain), for some of the objects or calls."
    )


def test_few_conditions_are_named() -> None:
    assert said(conditional(1, "self.momentum is None")) == (
        "Default run: no graph breaks; breaks on 1 line only if `self.momentum is None` is true."
    )
    assert said(finding(1), conditional(2), conditional(3), conditional(4, "log")).endswith(
        "in every call. More breaks on 3 lines only if `self.debug` is true (2 lines) or `log` is true (1 line)."
    )
    long = conditional(2, "self.first_of_many_options and self.second_of_many_options and self.third")
    assert said(long).endswith("breaks on 1 line only if the condition at net.py:1 is true.")


def test_breaks_that_sizes_decide_may_be_in_a_default_run() -> None:
    one, option = finding(1, reach="input"), conditional(2)
    assert said(one) == f"Default run: a graph break on 1 line {PASSED}."
    assert said(one, finding(3, reach="input"), option) == (
        f"Default run: graph breaks on 2 lines {PASSED} and on 1 only if an option is set."
    )
    assert said(one, finding(2, **HINT)) == f"Default run: 1 recompile hint; a graph break on 1 line {PASSED}."


def test_a_default_run_is_clean_only_where_all_was_analysed() -> None:
    text = sentence(listing([conditional(1)]), Style(), complete=False)
    assert text.startswith("Default run: no graph breaks in what was analysed; breaks on 1 line only if ")


def test_a_line_counts_once_with_its_nearest_finding() -> None:
    assert said(finding(1), conditional(1)) == "Default run: a graph break on 1 line (certain), in every call."


def test_errors_come_first() -> None:
    raising = finding(1, severity=Severity.ERROR)
    assert said(raising, finding(2), finding(3, confidence=Confidence.LIKELY)) == (
        "Default run: an error on 1 line (certain) and graph breaks on 2 lines (1 certain, 1 likely), in every call."
    )
    assert said(raising, finding(2), finding(3, reach="default")) == (
        "Default run: an error on 1 line (certain) and graph breaks on 2 lines (all certain), 2 of these 3 lines "
        "in every call and 1 with the default options and arguments."
    )


def test_hints_are_no_breaks() -> None:
    assert said(finding(1, **HINT), finding(2, **HINT)) == "Default run: no graph breaks; 2 recompile hints."
    assert said(finding(1), finding(2, **HINT)).endswith("on 1 line (certain), in every call; 1 recompile hint.")
    assert said(finding(1, reach="option", **HINT)) == "Default run: no graph breaks."


def test_what_is_left_out_of_the_report_is_not_counted() -> None:
    assert left_out(0, 0, 0) == ""
    assert left_out(3, 0, 1) == "3 silenced and 1 beyond --reach"
    text = sentence(listing([finding()], left_out=left_out(1, 2, 0)), Style())
    assert text.endswith("on 1 line (certain), in every call; not counted: 1 silenced and 2 in the baseline.")


def test_lines_in_tests_are_counted() -> None:
    found = [finding(1), finding(2), finding(3, "tests/test_net.py")]
    assert said(*found) == "Default run: graph breaks on 3 lines (all certain; 1 in tests), in every call."
    assert "(all certain; all in tests)" in said(found[2], finding(4, "tests/test_net.py"))


def test_hints_are_counted_as_in_the_last_line() -> None:
    twice = [finding(9, message=text, **HINT) for text in ("one", "other")]
    assert said(finding(1), *twice, finding(1, message="x", **HINT)).endswith("in every call; 3 recompile hints.")


def test_a_setting_that_raises_is_no_hint() -> None:
    setting = {"category": Category.CONFIG, "severity": Severity.ERROR}
    assert said(finding(2, **setting)) == "Default run: no graph breaks; 1 configuration error."
    assert said(finding(1), finding(2, **setting)).endswith("in every call; 1 configuration error.")


def test_a_call_is_that_of_its_own_entry_point() -> None:
    one, other = finding(1, entries=("net:A",)), finding(2, entries=("net:B",))
    assert said(one, other).endswith("graph breaks on 2 lines (all certain), in every call of their entry point.")
    assert said(one, finding(2, entries=("net:A",))).endswith("graph breaks on 2 lines (all certain), in every call.")


def test_lines_behind_another_break_come_later() -> None:
    hidden = Consequence("resumes", "f", behind=ChainLink("net.py", 1, "f"))
    behind = [finding(line, consequence=hidden) for line in (3, 4)]
    assert said(finding(1), *behind) == (
        "Default run: a graph break on 1 line (certain), in every call; 2 more lines once an earlier break is removed."
    )
