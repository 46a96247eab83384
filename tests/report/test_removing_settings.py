"""The settings that a report names since they remove all breaks of several lines."""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Finding, Severity
from gblint.project.source_text import Style
from gblint.report.listing import listing
from gblint.report.removing_settings import FEWEST, HEADING, section, settings
from tests.report.test_listing import conditional, finding

SCALARS, SHAPES = "capture_scalar_outputs = True", "capture_dynamic_output_shape_ops = True"


def said(*findings: Finding) -> list[str]:
    return list(settings(listing(findings)))


def test_a_setting_that_removes_few_is_not_named() -> None:
    found = [finding(line, setting=SCALARS) for line in range(1, FEWEST)]
    assert said(*found) == [] == list(section(listing(found), Style()))
    assert said(*found, finding(9, setting=SCALARS)) == [
        f"`{SCALARS}`: 3 lines; code that branches on such a number still breaks"
    ]


def test_a_line_that_breaks_otherwise_as_well_is_not_counted() -> None:
    found = [finding(line, setting=SCALARS) for line in range(1, 4)]
    assert said(*found, finding(1)) == said(*found, finding(1, message="m", setting=SHAPES)) == []
    hint = finding(1, category=Category.CONFIG, severity=Severity.INFO)
    assert len(said(*found, hint)) == 1


def test_the_setting_that_helps_a_default_run_most_is_first() -> None:
    rare = [finding(line, reach="option", setting=SCALARS) for line in range(1, 9)]
    usual = [finding(line, setting=SHAPES) for line in range(11, 14)]
    first, second = said(*rare, *usual, finding(14, reach="input", setting=SHAPES))
    assert first.startswith(f"`{SHAPES}`: 4 lines, 3 of them in a default run; ")
    assert second.startswith(f"`{SCALARS}`: 8 lines; ")


def test_calls_that_log_share_a_setting() -> None:
    names = ["print", "logging.info", "print"]
    found = [finding(line, setting=f"ignore_logging_functions.add({name})") for line, name in enumerate(names, start=1)]
    assert list(section(listing([*found, conditional(9)]), Style())) == [
        f"{HEADING}:",
        "  `ignore_logging_functions.update([print, logging.info])`: 3 lines; "
        "compiled code then leaves these calls out",
    ]
