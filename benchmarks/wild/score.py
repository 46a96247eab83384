"""Scores of a report on one repository: its judged findings, and the places that compile which it resolves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.counts import Counts
from benchmarks.wild.records import CompilePlace, JudgedFinding, Place, by_place

PACKAGES = "site-packages/"
BELOW = 4


@dataclass
class Score(Counts):
    """Counts of places.

    true, kept: the places where Dynamo breaks, and those of them that are reported.
    refuted, false: the judged places where it does not break, and those of them that are reported.
    certain, certain_true: the judged places that are reported as certain, and those of them that are true.
    unjudged: other places that are reported.
    compiled, resolved, told: the places that compile, those of them that an entry point names, and those of the others
        that the report lists as not analysed.
    """

    true: int = 0
    kept: int = 0
    refuted: int = 0
    false: int = 0
    certain: int = 0
    certain_true: int = 0
    unjudged: int = 0
    compiled: int = 0
    resolved: int = 0
    told: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """The share of true places among the judged ones that are reported."""
        return self.kept / max(1, self.kept + self.false)


def score(report: Mapping[str, Any], judged: Iterable[JudgedFinding], places: Iterable[CompilePlace]) -> Score:
    """Compare a JSON report with the judged findings and the places that compile of its repository."""
    result = Score()
    reported: dict[Place, str] = {}
    for each in report["findings"]:
        if each["confidence"] != "possible":
            place = (relative(each["path"]), each["line"])
            reported[place] = "certain" if "certain" in (each["confidence"], reported.get(place)) else "likely"
    known = by_place(judged)
    for place, each in known.items():
        confidence = reported.get(place)
        result.true += each.holds
        result.refuted += not each.holds
        result.kept += each.holds and confidence is not None
        result.false += not each.holds and confidence is not None
        result.certain += confidence == "certain"
        result.certain_true += confidence == "certain" and each.holds
        if each.holds is (confidence is None):
            what = "lost " if each.holds else "false"
            result.notes.append(f"{what} {each.repository} {each.path}:{each.line} {each.code} {each.why}")
    result.unjudged = len(reported.keys() - known.keys())
    entries: dict[Place, list[str]] = {}
    for entry in report["entries"]:
        entries.setdefault((entry["path"], entry["line"]), []).append(entry["name"])
    untold = {(each["path"], each["line"]) for each in report.get("unresolved", ())}
    for compiled in places:
        place = (compiled.path, compiled.line)
        result.compiled += 1
        # The entry point of a decorated function is at its ``def``, below the decorator.
        names = [name for below in range(BELOW + 1) for name in entries.get((place[0], place[1] + below), ())]
        if any(_is_target(name, compiled.target) for name in names):
            result.resolved += 1
        elif place in untold:
            result.told += 1
        else:
            result.notes.append(f"silent {compiled.repository} {compiled.path}:{compiled.line} {compiled.target}")
    return result


def _is_target(name: str, target: str) -> bool:
    """Return whether an entry point is the target; the target ``package.module.*`` means all classes in the module."""
    module, _, qualname = name.rpartition(":")
    parts = module.split(".")
    packages = (".".join(parts[: number + 1]) for number in range(len(parts)))
    return qualname.rpartition(".")[2] in target or any(f"{each}.*" in target for each in packages if each)


def relative(path: str) -> str:
    """Return a path in an installed package without the folder of the packages; other paths as they are."""
    _, found, inside = path.partition(PACKAGES)
    return inside if found else path
