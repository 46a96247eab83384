"""Tests of the texts about what was analysed only in part."""

from __future__ import annotations

from gblint.diagnostics.report import FileError
from gblint.report.unresolved import IN_PART, NAMED, folded


def warning(line: int) -> FileError:
    return FileError("net.py", line, f"`net:f{line}` {IN_PART}: it is too deep")


def test_many_warnings_of_one_kind_are_folded() -> None:
    noqa = FileError("net.py", 99, "noqa: no rule has the code 'GBL999'")
    shown = list(folded([*map(warning, range(1, 11)), noqa]))
    assert shown == [
        *map(warning, range(1, NAMED + 1)),
        noqa,
        "7 more entry points were not analysed completely; --show-all lists each",
    ]


def test_few_warnings_are_all_shown() -> None:
    few = [warning(line) for line in range(1, NAMED + 2)]
    assert list(folded(few)) == few
