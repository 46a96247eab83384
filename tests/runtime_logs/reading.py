"""Helpers for the tests of log readers: samples, and short forms of findings."""

from __future__ import annotations

from pathlib import Path

from gblint.runtime_logs.counters import LogCounters
from gblint.runtime_logs.findings import LoggedFinding, findings_of
from gblint.runtime_logs.places import LogPlaces, own_code
from gblint.runtime_logs.read_log import read_log

SAMPLES = Path(__file__).with_name("samples")


def tally(path: Path | str, follow: tuple[str, ...] = ()) -> LogCounters:
    """Return the counters of a log."""
    return read_log(str(path), own_code(follow)).counters


def found(path: Path | str, follow: tuple[str, ...] = ()) -> list[LoggedFinding]:
    """Return the findings of a log."""
    return findings_of(tally(path, follow), LogPlaces([]), own_code(follow))


def short(items: list[LoggedFinding]) -> set[tuple[str, int, str, int]]:
    """Return file name, line, id (or code) and count of each finding."""
    return {
        (
            Path(item.finding.span.path).name,
            item.finding.span.line,
            (item.finding.gb_ids or (item.finding.code,))[0],
            item.count,
        )
        for item in items
    }
