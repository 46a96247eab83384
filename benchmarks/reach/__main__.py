"""Compare the reach of findings with the lines that ran in recorded calls.

A place is a statement with a finding, over all entry points. Its reach is the easiest one of its findings. It *ran* if
one of the entry points that reach it ran it. The records say nothing about a place that is only reached in training if
no training was recorded, about one behind the choice of an object if nothing in its file ran (another object was
recorded), and about the backward pass. A primary break is *held* by the reach of the findings at
its statement.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.accuracy import environment
from benchmarks.accuracy.__main__ import Failed, lint
from benchmarks.accuracy.records import Truth, load
from benchmarks.accuracy.source import Source
from benchmarks.counts import Counts
from gblint.diagnostics.reach import REACHES, Reach, rank

Place = tuple[str, int]
# The choice of one of several objects, such as ``self.scheduler.step is DDIMScheduler``.
_CHOICE = re.compile(r" is (?!None$|True$|False$)[A-Z]\w*$")
# The least share of places that ran, in percent.
GOALS: dict[str, float] = {"always": 97, "default": 90}
HELD = 90


@dataclass(slots=True)
class Figures(Counts):
    """The places of each reach, those of them that ran, and the primary breaks by the reach that holds them.

    missed: the primary breaks without a finding.
    idle: the places that did not run.
    """

    places: Counter[Reach] = field(default_factory=Counter)
    ran: Counter[Reach] = field(default_factory=Counter)
    held: Counter[Reach] = field(default_factory=Counter)
    missed: int = 0
    idle: list[tuple[Place, dict[str, Any]]] = field(default_factory=list)
    hard: list[tuple[Place, dict[str, Any]]] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0; 1 if a goal is missed (``--check``); 2 if there is nothing to compare."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reach", description=__doc__)
    parser.add_argument("--truth", nargs="+", type=Path, required=True, metavar="FILE", help="recorded graph breaks")
    parser.add_argument("--python", type=Path, required=True, help="interpreter that has the recorded packages")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N entry points of each file")
    parser.add_argument("--show", action="store_true", help="list the places that did not run")
    parser.add_argument("--check", action="store_true", help="fail if a goal is missed")
    options = parser.parse_args(arguments)
    folder = environment.site_packages(options.python)
    everything = Figures()
    try:
        for path in options.truth:
            truth = load([path]).first(options.limit)
            environment.check_versions(truth.versions, folder)
            everything.add(compare(truth, lint(truth, options.python)["findings"], folder))
    except (environment.NotInstalled, Failed) as error:
        print(error, file=sys.stderr)
        return 2
    for line in table(everything):
        print(line)
    if options.show:
        for line in _shown(everything):
            print(line)
    return 1 if options.check and not reached(everything) else 0


def compare(truth: Truth, findings: Iterable[dict[str, Any]], site_packages: Path) -> Figures:
    """Return the figures for findings, as in the JSON report, on recorded entry points."""
    source = cache(lambda file: Source(site_packages / file))
    root = site_packages.resolve()
    by_place: dict[Place, list[dict[str, Any]]] = defaultdict(list)
    for item in findings:
        path = Path(item["path"]).resolve()
        if item["category"] == "graph-break" and item["confidence"] != "possible" and path.is_relative_to(root):
            file = path.relative_to(root).as_posix()
            by_place[(file, source(file).statement(item["line"])[0])].append(item)
    figures = Figures()
    for place, items in by_place.items():
        easiest = min(items, key=lambda item: rank(item["reach"]))
        lines = range(place[1], max(item.get("end_line") or item["line"] for item in items) + 1)
        ran = [_ran(truth, name, place[0], lines, item) for item in items for name in item["entries"]]
        if any(ran):
            figures.ran[easiest["reach"]] += 1
        elif all(each is None for each in ran):
            continue
        else:
            figures.idle.append((place, easiest))
        figures.places[easiest["reach"]] += 1
    for place in _primary(truth, source):
        items = by_place.get(place, [])
        if not items:
            figures.missed += 1
            continue
        easiest = min(items, key=lambda item: rank(item["reach"]))
        figures.held[easiest["reach"]] += 1
        if easiest["reach"] not in GOALS:
            figures.hard.append((place, easiest))
    return figures


def _ran(truth: Truth, name: str, file: str, lines: range, item: dict[str, Any]) -> bool | None:
    """Return whether one entry point ran a place; None if its runs say nothing about it."""
    entry = truth.entries.get(name)
    if entry is None:
        return None
    if not entry.lines.get(file, set()).isdisjoint(lines):
        return True
    # Only the forward pass is recorded.
    if any(each["function"].endswith(".backward") for each in item["chain"]):
        return None
    if not entry.lines.get(file) and any(_CHOICE.search(each["text"]) for each in item["when"]):
        return None
    in_training = any("training" in each["text"] for each in item["when"])
    return None if in_training and "train" not in entry.modes else False


def _primary(truth: Truth, source: Any) -> set[Place]:
    """Return the statements of the primary breaks in the linted packages."""
    return {
        (file, source(file).statement(line)[0])
        for entry in truth.entries.values()
        for (file, line), broken in entry.breaks.items()
        if broken.primary and file.split("/")[0] in truth.packages and source(file).exists
    }


def share(part: int, whole: int) -> float:
    """Return a share in percent; 100 of nothing."""
    return 100 * part / whole if whole else 100.0


def held(figures: Figures) -> float:
    """Return the share of the primary breaks with a finding that is reached always or by default."""
    found = sum(figures.held.values())
    return share(sum(figures.held[reach] for reach in REACHES if reach in GOALS), found)


def reached(figures: Figures) -> bool:
    """Return whether all goals are reached."""
    goals = all(share(figures.ran[reach], figures.places[reach]) >= GOALS[reach] for reach in REACHES if reach in GOALS)
    return goals and held(figures) >= HELD


def table(figures: Figures) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"{'reach':10} {'places':>7} {'ran':>6} {'share':>8} {'goal':>6} {'primary breaks':>16}"
    for reach in REACHES:
        part = f"{share(figures.ran[reach], figures.places[reach]):.1f} %"
        goal = f"{GOALS[reach]:.0f} %" if reach in GOALS else ""
        yield (
            f"{reach:10} {figures.places[reach]:7} {figures.ran[reach]:6} {part:>8} {goal:>6} {figures.held[reach]:16}"
        )
    found = sum(figures.held.values())
    yield (
        f"primary breaks: {found} of {found + figures.missed} have a finding; "
        f"of these {held(figures):.1f} % are reached always or by default (goal: {HELD} %)"
    )


def _shown(figures: Figures) -> Iterator[str]:
    order = sorted(figures.idle, key=lambda each: (rank(each[1]["reach"]), each[0]))
    for title, found in (("did not run", order), ("breaks, but hard to reach", figures.hard)):
        for (file, line), item in found:
            when = "; ".join(
                f"{'' if each['holds'] else 'not '}[{each['text']}]:{each['line']}" for each in item["when"]
            )
            yield f"{title}: {item['reach']:8} {file}:{line} {item['code']} {when}"


if __name__ == "__main__":
    sys.exit(main())
