"""Lines of a report on a terminal."""

from __future__ import annotations

from gblint.project.source_text import Style
from gblint.report.wrapping import wrapped

WORDS = "one two three four five six seven eight nine ten"


def test_short_lines_and_pipes_are_left_alone() -> None:
    assert list(wrapped(["a b", WORDS * 9], 0)) == ["a b", WORDS * 9]
    assert list(wrapped([WORDS], 48)) == [WORDS]
    assert list(wrapped([WORDS], 20)) == [WORDS]


def test_lines_end_between_words() -> None:
    assert list(wrapped([WORDS], 40)) == ["one two three four five six seven eight", "  nine ten"]


def test_a_note_goes_on_below_its_text() -> None:
    first, second = wrapped([f"  = help: {WORDS}"], 40)
    assert (first, second) == ("  = help: one two three four five six", "          seven eight nine ten")
    assert list(wrapped([f"           -> {WORDS}"], 44))[1].startswith(" " * 14 + "seven")
    assert list(wrapped([f"  net.py:3: {WORDS}"], 44))[1] == "    seven eight nine ten"


def test_code_is_not_wrapped() -> None:
    code = [f"12 |     {WORDS}", f"   |     {'^' * 60}", f"    | {WORDS}"]
    assert list(wrapped(code, 40)) == code


def test_styles_take_no_columns() -> None:
    bold = Style(color=True).bold("one two three four five six seven eight nine ten eleven")
    assert [len(part) for part in wrapped([bold], 40)] == [len("\x1b[1m") + 39, len("  nine ten eleven\x1b[0m")]


def test_a_long_word_stays_whole() -> None:
    assert list(wrapped([f"a {'b' * 60} c"], 40)) == [f"a {'b' * 60}", "  c"]
