"""Records: the entry points that were run, the lines that ran, and the places where the graph broke."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Break:
    """One place where the graph broke; ``primary`` is false if the break only follows from another one."""

    gb_ids: set[str] = field(default_factory=set)
    primary: bool = False


@dataclass(slots=True)
class Entry:
    """All runs of one entry point, merged: the lines and breaks of any of them.

    Files are relative to site-packages.
    """

    name: str
    modes: set[str] = field(default_factory=set)
    lines: dict[str, set[int]] = field(default_factory=dict)
    breaks: dict[tuple[str, int], Break] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Truth:
    """The entry points of some files of records, and the versions of the packages that they were recorded with."""

    entries: dict[str, Entry]
    versions: dict[str, str]

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages to lint: those of the entry points."""
        return tuple(sorted({name.split(".")[0].partition(":")[0] for name in self.entries}))

    def first(self, count: int | None) -> Truth:
        """Return the records of the first ``count`` entry points only."""
        return Truth(dict(list(self.entries.items())[:count]), self.versions)


def load(paths: Iterable[Path]) -> Truth:
    """Read files of records; runs that did not finish are left out."""
    truth = Truth({}, {})
    for path in paths:
        for text in path.read_text(encoding="utf-8").splitlines():
            if text.strip():
                _add(truth, json.loads(text))
    return truth


def _add(truth: Truth, record: dict[str, Any]) -> None:
    if record.get("status") != "ok":
        return
    truth.versions.update(_versions(record.get("versions", "")))
    entry = truth.entries.setdefault(record["entry"], Entry(record["entry"]))
    entry.modes.add(record["mode"])
    for file, spans in record["lines"].items():
        entry.lines.setdefault(file, set()).update(line for span in spans for line in _lines(str(span)))
    for item in record["breaks"]:
        found = entry.breaks.setdefault((item["file"], item["line"]), Break())
        found.gb_ids.update(item.get("gb", ()))
        found.primary = found.primary or item.get("primary", True)


def _lines(span: str) -> range:
    """Return the lines of ``"12-15"`` or ``"12"``."""
    first, _, last = span.partition("-")
    return range(int(first), int(last or first) + 1)


def _versions(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names and versions in ``"torch 2.13.0, kornia 0.9.0"``."""
    for part in text.split(","):
        name, _, version = part.strip().partition(" ")
        if version:
            yield name, version
