"""Generated programs do the same after safe fixes; their texts stay sound after all fixes.

``python -m benchmarks.fixes.programs`` checks thousands of programs. The tests check the first ones, and more of those
that safe fixes change.
"""

from __future__ import annotations

import pytest

from benchmarks.fixes.programs import Fixed, differences, fix_program
from tests.oracle.generated_programs import program

NUMBERS = (*range(8), 16, 34, 45, 60, 62, 74, 97, 124)


@pytest.fixture(scope="module")
def programs() -> list[Fixed]:
    """The programs with these numbers, fixed."""
    return [fix_program(number) for number in NUMBERS]


def test_texts_are_sound(programs: list[Fixed]) -> None:
    assert [each.problem for each in programs if each.problem] == []


def test_safe_fixes_change_no_meaning(programs: list[Fixed]) -> None:
    pytest.importorskip("torch")
    assert sum(each.safe != each.source for each in programs) >= 1
    assert differences(programs) == {}


def test_a_program_has_a_number() -> None:
    assert program(3) == program(3)
    assert program(3) != program(4)


def test_a_changed_meaning_is_seen() -> None:
    pytest.importorskip("torch")
    source = program(3).source
    assert list(differences([Fixed(3, source, f"{source}\n\ndef f(*_):\n    return 1\n", source, None)])) == [3]
