"""The comparison of findings with recorded breaks, on a small made-up package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from benchmarks.accuracy import baseline, figures
from benchmarks.accuracy.compare import Comparison, claims_by_entry, compare
from benchmarks.accuracy.records import load

SOURCE = dedent(
    """\
    def helper(x):
        if (
            x.sum() > 0
        ):
            return x + 1
        return x

    def found(x):
        n = int(x)
        return helper(x)

    def cut(x):
        print(x)
        return x.item()

    def clean(self, x):
        if self.training:
            print(x)
        y = x.numpy()
        return y
    """
)


def record(entry: str, mode: str, lines: list[str], broken: list[tuple[int, str, bool]], **more: Any) -> dict[str, Any]:
    breaks = [{"file": "made/up.py", "line": line, "gb": [gb], "primary": primary} for line, gb, primary in broken]
    return {
        "entry": f"made.up:{entry}", "mode": mode, "status": "ok", "versions": "torch 2.13.0, made 1.0",
        "breaks": breaks, "lines": {"made/up.py": lines}, **more,
    }  # fmt: skip


RECORDS = [
    record("found", "eval", ["2-3", "5", "9-10"], [(3, "GB0170", True), (9, "GB0124", True)]),
    record("found", "train", ["2-3", "6", "9-10"], [(3, "GB0170", False)]),
    record("cut", "eval", ["13-14"], [(13, "GB0007", True)]),
    record("clean", "eval", ["17", "19-20"], []),
    record("gone", "eval", ["17-20"], [(20, "GB0001", True)], status="error"),
]


def finding(entry: str, line: int, end: int, code: str, confidence: str, gb_id: str, **more: Any) -> dict[str, Any]:
    return {
        "category": "graph-break", "confidence": confidence, "path": "made/up.py", "line": line, "end_line": end,
        "code": code, "gb_ids": [gb_id], "entries": [f"made.up:{entry}"], **more,
    }  # fmt: skip


FINDINGS = [
    finding("found", 3, 3, "GBL201", "certain", "GB0170"),  # right: the statement broke, though it names another line
    finding("cut", 14, 14, "GBL101", "certain", "GB0124"),  # not judged: another break ended the function early
    finding("clean", 18, 18, "GBL401", "certain", "GB0007"),  # not judged: the line did not run
    finding("clean", 17, 17, "GBL201", "certain", "GB0170"),  # not judged: only eval mode was recorded
    finding("clean", 19, 19, "GBL106", "likely", "GB0124"),  # wrong
    finding("found", 10, 10, "GBL499", "possible", "GB0007"),  # possible, and not judged: the function broke
    finding("clean", 20, 20, "GBL499", "possible", "GB0007"),  # possible, and wrong
    finding("clean", 20, 20, "GBL901", "certain", "GB0007", category="recompile"),
]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "up.py").write_text(SOURCE)
    (tmp_path / "truth.jsonl").write_text("".join(json.dumps(item) + "\n" for item in RECORDS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def comparison(site: Path) -> Comparison:
    truth = load([site / "truth.jsonl"])
    assert truth.packages == ("made",)
    return compare(truth, claims_by_entry(FINDINGS, site), site)


def test_sites_are_found_by_the_statement_and_runs_of_an_entry_are_merged(comparison: Comparison) -> None:
    tally = figures.total(comparison)
    assert tally.found == {("made/up.py", 3)}
    assert tally.missed == {("made/up.py", 9), ("made/up.py", 13)}
    assert tally.recall == 0.3333


def test_only_findings_on_lines_that_ran_are_judged(comparison: Comparison) -> None:
    tally = figures.total(comparison)
    assert tally.right == {("made/up.py", 3)}
    assert tally.wrong == {("made/up.py", 19, "GBL106")}
    assert figures.flagged_clean(comparison) == {"made.up:clean"}


def test_each_confidence_has_its_own_figures(comparison: Comparison) -> None:
    tallies = figures.by_confidence(comparison)
    assert {level: (len(t.right), len(t.wrong)) for level, t in tallies.items()} == {
        "certain": (1, 0),
        "likely": (0, 1),
        "possible": (0, 1),
    }


def test_each_rule_and_each_id_has_its_own_figures(comparison: Comparison) -> None:
    rules = figures.by_rule(comparison, {"GBL101": frozenset({"GB0124"}), "GBL401": frozenset({"GB0007"})})
    assert {code: (len(t.right), len(t.wrong), len(t.found), len(t.missed)) for code, t in rules.items()} == {
        "GBL101": (0, 0, 0, 1),
        "GBL106": (0, 1, 0, 0),
        "GBL201": (1, 0, 1, 0),
        "GBL401": (0, 0, 0, 1),
    }
    ids = figures.by_gb_id(comparison)
    assert {gb: (len(t.right), len(t.wrong), len(t.found), len(t.missed)) for gb, t in ids.items()} == {
        "GB0007": (0, 0, 0, 1),
        "GB0124": (0, 1, 0, 1),
        "GB0170": (1, 0, 1, 0),
    }


def test_a_right_place_is_not_wrong_for_another_entry_point(site: Path) -> None:
    truth = load([site / "truth.jsonl"])
    claims = claims_by_entry([finding("found", 3, 3, "GBL201", "certain", "GB0170")], site)
    claims["made.up:clean"] = claims["made.up:found"]
    truth.entries["made.up:clean"].lines["made/up.py"] |= {2, 3, 5}
    tally = figures.total(compare(truth, claims, site))
    assert (tally.right, tally.wrong) == ({("made/up.py", 3)}, set())


def test_what_falls_below_the_baseline_is_named(comparison: Comparison, site: Path) -> None:
    kept, path = site / "baseline.json", site / "truth.jsonl"
    now = baseline.summary(comparison)
    baseline.write(kept, {path: now})
    assert list(baseline.compare(baseline.read(kept), path, now)) == []
    worse = {**now, "recall": 0.32, "clean entries flagged": 1.02}
    assert list(baseline.compare(baseline.read(kept), path, worse)) == [
        "truth.jsonl: recall fell from 33.3% to 32.0%",
        "truth.jsonl: of the clean entries 102.0% are flagged, 100.0% were",
    ]
    assert list(baseline.compare(baseline.read(kept), path, {**now, "recall": 0.329})) == []
    path.write_text(path.read_text() + "\n")
    [line] = baseline.compare(baseline.read(kept), path, now)
    assert "other records" in line


def test_the_command_lints_compares_and_prints(site: Path) -> None:
    folder = site / "env" / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    folder.mkdir(parents=True)
    (folder / "made-1.0.dist-info").mkdir()
    (site / "made").rename(folder / "made")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(site / "env")], check=True)
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "benchmarks.accuracy", "--truth", str(site / "truth.jsonl"), "--show"]
    command += ["--python", str(site / "env" / "bin" / "python"), "--json", str(site / "out.json")]
    # If a compiled build is installed, the benchmarks are still those of the working tree.
    found = {**os.environ, "PYTHONPATH": str(root)}
    run = subprocess.run(command, cwd=root, env=found, capture_output=True, text=True, check=True)
    assert "missed made/up.py:13 GB0007  print(x)" in run.stdout or "GBL401" in run.stdout
    written = json.loads((site / "out.json").read_text())
    assert written["truth"]["truth.jsonl"]["entries"] == 3
    assert written["all"]["sites"] == 3
