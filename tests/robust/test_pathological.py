"""Programs of fewer than 1,000 lines that could take for ever stay within limits of processor time and memory."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("limits of POSIX", allow_module_level=True)

from benchmarks.robustness.files import go_through
from benchmarks.robustness.limits import SECONDS, limited
from benchmarks.robustness.pathological import check
from benchmarks.robustness.programs import PROGRAMS

# The benchmark holds the limit itself; here other processes make the machine slower.
SLACK = 3 * SECONDS
# They take more than two seconds each.
SLOW = (
    "super-chain-called-twice",
    "super-chain",
    "calls-with-four-hundred-different-keywords",
    "calls-with-four-hundred-keywords",
    "ten-thousand-branches",
    "fields-of-subclasses",
    "casts-to-nested-unions",
    "comprehensions",
    "huge-literals",
    "modules-with-a-compiled-method-each",
    "fields-of-dataclasses",
    "long-chains-around-compile",
    "objects-of-classes-that-are-each-compiled",
)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in PROGRAMS]
)
def test_pathological_program(name: str, tmp_path: Path) -> None:
    files = PROGRAMS[name]()
    assert all(text.count("\n") < 1000 for text in files.values())
    assert check(files, tmp_path, seconds=SLACK).faults == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["super-init-chain", "chain-of-functions-with-growing-arguments"])
def test_every_function_of_a_pathological_program(name: str, tmp_path: Path) -> None:
    for file, text in PROGRAMS[name]().items():
        (tmp_path / file).write_text(text)
    (path,) = tmp_path.iterdir()
    assert limited(lambda: go_through(str(path), functions=True, fixes=False), SLACK).faults == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "calls-with-four-hundred-keywords",
        "exponential-joins",
        "finally-in-finally",
        "forwards-stored-in-a-module",
        "long-elif",
        "match-of-patterns",
        "ten-thousand-branches",
    ],
)
def test_fixes_of_a_pathological_program(name: str, tmp_path: Path) -> None:
    for file, text in PROGRAMS[name]().items():
        (tmp_path / file).write_text(text)
    (path,) = tmp_path.iterdir()
    assert limited(lambda: go_through(str(path), functions=False, fixes=True), SLACK).faults == []
