"""Judged records of whole repositories: findings, and places that compile."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FINDINGS = HERE / "findings.jsonl"
PLACES = HERE / "places.jsonl"
PACKAGES = HERE / "packages.jsonl"
Place = tuple[str, int]


@dataclass(frozen=True)
class JudgedFinding:
    """A finding that was judged.

    path, line: its place; a path in an installed package is relative to the folder of the packages.
    holds: whether Dynamo breaks there, possibly only with an option or in an edge case.
    how: the way in which it was judged, "run" or "read".
    why: the reason, mostly given for a finding that does not hold.
    """

    repository: str
    commit: str
    path: str
    line: int
    code: str
    holds: bool
    how: str
    why: str


@dataclass(frozen=True)
class CompilePlace:
    """A place that compiles something; ``target`` is the class or function that a reader found, or a description."""

    repository: str
    commit: str
    path: str
    line: int
    target: str


def findings(path: Path = FINDINGS) -> list[JudgedFinding]:
    """Return the judged findings of a file."""
    return [
        JudgedFinding(
            each["repository"],
            each["commit"],
            each["path"],
            each["line"],
            each["code"],
            each["verdict"] == "true",
            each["how"],
            each.get("why", ""),
        )
        for each in _lines(path)
    ]


def places(path: Path = PLACES) -> list[CompilePlace]:
    """Return the places that compile of a file."""
    return [CompilePlace(**each) for each in _lines(path)]


def by_place(judged: Iterable[JudgedFinding]) -> Mapping[Place, JudgedFinding]:
    """Return one finding for each place; one that holds makes the place a true one."""
    found: dict[Place, JudgedFinding] = {}
    for each in judged:
        place = (each.path, each.line)
        if place not in found or each.holds:
            found[place] = each
    return found


def by_repository(judged: Iterable[JudgedFinding]) -> dict[tuple[str, str], list[JudgedFinding]]:
    """Return the findings of each repository and commit."""
    groups: dict[tuple[str, str], list[JudgedFinding]] = defaultdict(list)
    for each in judged:
        groups[(each.repository, each.commit)].append(each)
    return dict(sorted(groups.items()))


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)
