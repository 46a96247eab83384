"""The figures that accuracy must not fall below."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.accuracy import figures
from benchmarks.accuracy.compare import SURE, Comparison

TOLERANCE = 0.01
"""How far a share may fall: one site in a hundred."""
_SHARES = ("recall", "precision", *(f"precision of {level}" for level in SURE))


def summary(comparison: Comparison) -> dict[str, Any]:
    """Return the figures of one file of records that the baseline stores."""
    everything = figures.total(comparison)
    kept: dict[str, Any] = {
        "entries": comparison.entries,
        "clean entries": len(comparison.clean),
        "clean entries flagged": len(figures.flagged_clean(comparison)),
        "sites": len(everything.found) + len(everything.missed),
        "recall": everything.recall,
        "judged": len(everything.right) + len(everything.wrong),
        "precision": everything.precision,
    }
    for level, tally in figures.by_confidence(comparison).items():
        if level in SURE:
            kept[f"precision of {level}"] = tally.precision
    return kept


def digest(path: Path) -> str:
    """Return the digest that identifies a file of records in the baseline."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def compare(baseline: dict[str, Any], path: Path, now: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each figure of a file of records that is worse than in the baseline."""
    kept = baseline[path.name]
    if kept["records"] != digest(path):
        yield f"{path.name}: the baseline is of other records: run with --update-baseline, and review the changes"
        return
    for name in _SHARES:
        before, after = kept[name], now[name]
        if before is not None and after is not None and before - after > TOLERANCE:
            yield f"{path.name}: {name} fell from {before:.1%} to {after:.1%}"
    before, after = (figure["clean entries flagged"] / max(figure["clean entries"], 1) for figure in (kept, now))
    if after - before > TOLERANCE:
        yield f"{path.name}: of the clean entries {after:.1%} are flagged, {before:.1%} were"


def read(path: Path) -> dict[str, Any]:
    """Return the baseline; it is empty if there is no file yet."""
    if not path.is_file():
        return {}
    baseline: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return baseline


def write(path: Path, results: dict[Path, dict[str, Any]]) -> None:
    """Store new figures for these files of records; remove those of files that no longer exist."""
    there = {file.parent for file in results}
    old = {name: kept for name, kept in read(path).items() if any((folder / name).is_file() for folder in there)}
    new = {file.name: {"records": digest(file), **figure} for file, figure in results.items()}
    text = json.dumps(dict(sorted({**old, **new}.items())), indent=1)
    path.write_text(text + "\n", encoding="utf-8")
