"""The comparison of reach with recorded lines, on records and findings made by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.accuracy.records import Break, Entry, Truth
from benchmarks.reach.__main__ import compare, held, reached, table

SOURCE = "def f(x):\n    a(x)\n    b(x)\n    c(x)\n    d(x)\n"


def _finding(folder: Path, line: int, reach: str, **changes: Any) -> dict[str, Any]:
    values = {
        "path": str(folder / "pkg" / "net.py"),
        "line": line,
        "end_line": line,
        "code": "GBL101",
        "category": "graph-break",
        "confidence": "certain",
        "entries": ["pkg.net:f"],
        "chain": [],
        "reach": reach,
        "when": [],
    }
    return {**values, **changes}


def _truth(folder: Path, **changes: Any) -> Truth:
    (folder / "pkg").mkdir()
    (folder / "pkg" / "net.py").write_text(SOURCE, encoding="utf-8")
    entry = Entry("pkg.net:f", {"eval"}, {"pkg/net.py": {2, 3}}, {("pkg/net.py", 2): Break({"GB0124"}, True)})
    return Truth({"pkg.net:f": entry}, {})


def test_places_that_ran_are_counted_by_their_reach(tmp_path: Path) -> None:
    truth = _truth(tmp_path)
    found = [_finding(tmp_path, 2, "always"), _finding(tmp_path, 3, "default"), _finding(tmp_path, 4, "option")]
    figures = compare(truth, found, tmp_path)
    assert figures.places == Counter(always=1, default=1, option=1)
    assert figures.ran == Counter(always=1, default=1)
    assert figures.held == Counter(always=1)
    assert held(figures) == 100
    assert reached(figures)


def test_easiest_finding_of_a_place_counts(tmp_path: Path) -> None:
    truth = _truth(tmp_path)
    figures = compare(truth, [_finding(tmp_path, 2, "option"), _finding(tmp_path, 2, "default")], tmp_path)
    assert figures.places["default"] == 1
    assert figures.places["option"] == 0


def test_places_that_the_records_say_nothing_about(tmp_path: Path) -> None:
    truth = _truth(tmp_path)
    training = _finding(tmp_path, 4, "always", when=[{"text": "self.training"}])
    backward = _finding(tmp_path, 5, "always", chain=[{"function": "F.backward"}])
    figures = compare(truth, [training, backward], tmp_path)
    assert figures.places["always"] == 0


def test_goals_are_missed(tmp_path: Path) -> None:
    truth = _truth(tmp_path)
    figures = compare(truth, [_finding(tmp_path, 2, "option"), _finding(tmp_path, 4, "always")], tmp_path)
    assert held(figures) == 0
    assert not reached(figures)
    lines = list(table(figures))
    assert lines[1].split()[:3] == ["always", "1", "0"]
    assert lines[-1].startswith("primary breaks: 1 of 1 have a finding; of these 0.0 %")
