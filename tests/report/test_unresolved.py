"""Tests of the texts about objects that were analysed only in part, or not at all."""

from __future__ import annotations

from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.report import FileError, Report
from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.report.unresolved import IN_PART, NAMED, as_message, coverage, cut, folded, reasons
from gblint.runtime.lazy_dataclasses import replace

KNOWN = EntryPoint("net:f", "net.py", 1, "decorator")
ASSUMED = EntryPoint("net:Net", "net.py", 5, "assumed")


def target(line: int, *, partly: bool = False) -> UnresolvedTarget:
    return UnresolvedTarget("net.py", line, 1, f"model{line}", "call", "unknown-value", "why", "hint", partly)


def warning(line: int) -> FileError:
    return FileError("net.py", line, f"`net:f{line}` {IN_PART}: it is too deep")


def test_many_warnings_of_one_kind_are_folded() -> None:
    noqa = FileError("net.py", 99, "noqa: no rule has the code 'GBL999'")
    shown = list(folded(Report("2.13"), [*map(warning, range(1, 11)), noqa]))
    assert shown == [
        *map(warning, range(1, NAMED + 1)),
        noqa,
        "7 more entry points were not analysed completely; --show-all lists each",
    ]


def test_few_warnings_are_all_shown() -> None:
    few = [warning(line) for line in range(1, NAMED + 2)]
    assert list(folded(Report("2.13"), few)) == few


def test_many_compiled_objects_are_folded() -> None:
    few, many = ([target(line) for line in range(1, NAMED + more)] for more in (2, 5))
    assert list(folded(Report("2.13", unresolved=few), [])) == [*map(as_message, few)]
    assert list(folded(Report("2.13", unresolved=many), [])) == [
        *map(as_message, many[:NAMED]),
        "4 more compiled objects were not analysed; `gblint entries` lists each",
    ]
    # Only those that are not shown count.
    partly = [*many[:NAMED], *(replace(each, partly=True) for each in many[NAMED:])]
    assert [*folded(Report("2.13", unresolved=partly), [])][-1] == (
        "4 more compiled objects were analysed only in part; `gblint entries` lists each"
    )


def test_coverage() -> None:
    assert coverage(Report("2.13", [KNOWN])) == "The compiled object was analysed."
    assert coverage(Report("2.13", [KNOWN] * 9)) == "All 9 compiled objects were analysed."
    assert coverage(Report("2.13", [KNOWN] * 9), cut=2) == (
        "All 9 compiled objects were analysed, 2 entry points only in part (see the warnings)."
    )
    missing = Report("2.13", [KNOWN], unresolved=[target(7), target(8, partly=True)])
    assert coverage(missing) == (
        "2 of 2 compiled objects were not analysed completely (1 not at all): `model7` (net.py:7, not at all), "
        "`model8` (net.py:8)."
    )
    some = Report("2.13", [KNOWN] * 3, unresolved=[target(8, partly=True)])
    assert coverage(some) == "1 of 3 compiled objects was analysed only in part: `model8` (net.py:8)."
    partly = Report("2.13", [KNOWN], unresolved=[target(8, partly=True)])
    assert coverage(partly) == "The compiled object was analysed only in part: `model8` (net.py:8)."


def test_coverage_of_what_is_assumed() -> None:
    assert coverage(Report("2.13")) == coverage(Report("2.13", [ASSUMED])) == ""
    assert coverage(Report("2.13", [ASSUMED] * 3), cut=1) == "Analysed 1 entry point only in part (see the warnings)."
    assert coverage(Report("2.13", [ASSUMED], unresolved=[target(7)])) == (
        "1 compiled object was not analysed: `model7` (net.py:7)."
    )


def test_entry_points_that_were_cut_are_counted() -> None:
    assert cut([warning(1), FileError("net.py", 9, "noqa: no rule has the code 'GBL999'"), warning(2)]) == 2


def test_the_reasons_of_what_was_analysed_in_part_are_counted() -> None:
    many = "more than 24 functions may be called there"
    texts = [f"{many} (ops.py:4)", f"{many} (a b.py:9)", "too many steps"]
    partial = [FileError("net.py", 3, f"`net:Net` {IN_PART}: {text}") for text in texts]
    assert reasons(Report("2.13", partial=partial)) == f"{many}: 2; too many steps: 1"
    assert reasons(Report("2.13")) == ""
