"""The table of benchmarks/speed: which values are within their limit, and how a run is measured."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.speed.__main__ import measure
from benchmarks.speed.measures import GIGABYTE, Measure, measures, spread
from benchmarks.speed.table import Row, Run, line, row
from benchmarks.speed.tools import Tools

OWN = [Run(2.0, 1.1, 100 * 2**20), Run(2.2, 1.3, 120 * 2**20), Run(2.4, 1.2, 90 * 2**20)]
BESIDE = [Run(1.0, 1.0, 1), Run(1.1, 1.0, 1), Run(1.0, 1.0, 1)]


def test_ratios_are_those_of_the_medians() -> None:
    shared = Measure("cold", ("x",), 1.15, ("y",), "ast.parse", processes=2)
    by_clock, on_processor = row(shared, OWN, BESIDE, "wall"), row(shared, OWN, BESIDE, "cpu")
    assert (by_clock.value, by_clock.verdict, by_clock.spread) == (1.2, "fail", (1.1, 1.3))
    assert on_processor.value == pytest.approx(1.1) and on_processor.verdict == "pass"
    assert by_clock.seconds == 1.2 and by_clock.memory == 120 * 2**20


def test_growth_is_held_against_what_there_is_more_to_do() -> None:
    grown = row(Measure("all", ("x",), 1.25, ("y",), scale=10.0), [Run(11.0, 11.0, 1)], [Run(1.0, 1.0, 1)], "wall")
    assert grown.value == pytest.approx(1.1) and grown.verdict == "pass"


def test_what_takes_a_moment_is_run_more_often(tmp_path: Path) -> None:
    log = tmp_path / "said"
    write = f"open({str(log)!r}, 'a').write"
    own, beside = (sys.executable, "-c", f"{write}('o')"), (sys.executable, "-c", f"{write}('b')")
    measure(Measure("start", own, 1.0, beside, often=2), 2)
    assert log.read_text() == "bo" * 4
    log.write_text("")
    forty = Measure("forty", own, 1.0, beside, runs=2, times=3)
    measure(forty, 5)
    assert log.read_text() == "booobooo"
    found = row(forty, [Run(1.0, each, 1) for each in (1, 2, 3, 4, 5, 6)], [Run(1.0, 10, 1), Run(1.0, 20, 1)], "wall")
    assert found.spread == (0.1, 0.3) and found.value == 3.5 / 15


def test_what_is_run_once_stands_between_two_runs_of_the_other(tmp_path: Path) -> None:
    log = tmp_path / "said"
    write = f"open({str(log)!r}, 'a').write"
    once = Measure("all", (sys.executable, "-c", f"{write}('o')"), 1.0, (sys.executable, "-c", f"{write}('b')"), runs=1)
    measure(once, 5)
    assert log.read_text() == "bob"
    grown = row(once, [Run(11.0, 12.0, 1)], [Run(1.0, 10.0, 1), Run(1.0, 14.0, 1)], "wall")
    assert grown.value == pytest.approx(1.0) and grown.spread == (12.0 / 14.0, 1.2)


def test_seconds_and_memory_stand_alone() -> None:
    warm = row(Measure("warm", ("x",), 0.5, what="seconds"), OWN, [], "wall")
    assert (warm.value, warm.verdict, warm.formatted(warm.value)) == (1.2, "fail", "1.20 s")
    memory = row(Measure("all", ("x",), GIGABYTE, what="memory"), OWN, [], "wall")
    assert (memory.value, memory.verdict, memory.formatted(memory.value)) == (120 * 2**20, "pass", "120 MB")


def test_a_small_ratio_is_a_fraction() -> None:
    each = Row("forty", "TorchFix", "ratio", 1 / 30, 1 / 42)
    assert (each.formatted(each.value), each.formatted(each.most), each.verdict) == ("1/42", "1/30", "pass")
    assert "at most     1/30 pass" in line(each)


def test_what_was_not_run_has_not_passed() -> None:
    each = Row("key strokes", "", "seconds", 0.15)
    assert each.verdict == "not run" and "not run" in line(each)


def test_whole_processes_are_run_in_turn(tmp_path: Path) -> None:
    log = tmp_path / "said"
    write = f"open({str(log)!r}, 'a').write"
    prepared = Measure(
        "x", (sys.executable, "-c", f"{write}('o')"), 1.0, (sys.executable, "-c", f"{write}('b')"),
        before=lambda: log.open("a").write("-"), runs=2,
    )  # fmt: skip
    own, beside = measure(prepared, 5)
    # ``before`` runs first and is not measured.
    assert (len(own), len(beside), log.read_text()) == (2, 2, "b-o-ob-o")
    assert all(each.wall > 0 and each.memory > 2**20 for each in own)


def test_a_command_that_fails_is_an_error() -> None:
    with pytest.raises(OSError, match="exited with 3: no"):
        measure(Measure("x", (sys.executable, "-c", "import sys; sys.stderr.write('no'); sys.exit(3)"), 1.0), 1)


def test_what_is_measured(tmp_path: Path) -> None:
    for name in ("diffusers/models/a", "transformers/models/b", "transformers/models/c"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "model.py").write_text("x = 1\n")
    tools = Tools(("flake8",), ("torchfix",))
    listed = list(measures(Path(sys.executable), tmp_path, tools, tmp_path / "scratch"))
    assert {"ast.parse of its files", "TorchFix 0.7", "python -c pass"} <= {each.against for each in listed}
    assert {each.what for each in listed} == {"ratio", "seconds", "memory"}
    assert spread(tmp_path / "diffusers", 40) == [str(tmp_path / "diffusers/models/a/model.py")]
