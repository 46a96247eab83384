"""The rows of the table: the measured value, the limit, and whether the value is within it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.speed.measures import Measure, What


@dataclass(frozen=True, slots=True)
class Run:
    """The run of one process: processor seconds, wall-clock seconds, and peak memory in bytes."""

    cpu: float
    wall: float
    memory: int


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    value: the median, in the unit of ``what``; None if it could not be measured.
    most: the limit.
    spread: the smallest and the largest value of a run.
    """

    name: str
    against: str
    what: What
    most: float
    value: float | None = None
    spread: tuple[float, float] = (0.0, 0.0)
    seconds: float = 0.0
    memory: int = 0

    @property
    def verdict(self) -> str:
        """``pass``, ``fail`` or ``not run``."""
        if self.value is None:
            return "not run"
        return "pass" if self.value <= self.most else "fail"

    def formatted(self, value: float | None) -> str:
        """Return a value with its unit."""
        if value is None:
            return ""
        if self.what == "memory":
            return f"{value / 2**20:.0f} MB"
        if self.what == "ratio":
            return f"{value:.2f}" if value >= 0.1 or not value else f"1/{1 / value:.0f}"
        return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.0f} ms"

    @property
    def formatted_spread(self) -> str:
        """The smallest and the largest value, with their unit."""
        return "" if self.value is None else " - ".join(map(self.formatted, self.spread))


def row(what: Measure, own: Sequence[Run], beside: Sequence[Run], by: str) -> Row:
    """Return the row for runs made in turn, with seconds ``by`` the clock ("wall") or on the processor."""
    mine, other = [_seconds(each, by, what.processes) for each in own], [_seconds(each, by) for each in beside]
    memory = max(each.memory for each in own)
    if what.what == "memory":
        values, value = [float(each.memory) for each in own], float(memory)
    elif what.what == "seconds":
        values, value = mine, statistics.median(mine)
    else:
        # A run of one command may be compared with several runs of the other.
        pairs = max(len(mine), len(other))
        values = [
            mine[pair * len(mine) // pairs] / other[pair * len(other) // pairs] / what.scale for pair in range(pairs)
        ]
        value = statistics.median(mine) / statistics.median(other) / what.scale
    return Row(
        what.name,
        what.against,
        what.what,
        what.most,
        value,
        (min(values), max(values)),
        statistics.median(mine),
        memory,
    )


def _seconds(run: Run, by: str, processes: int = 1) -> float:
    # The processor time is the sum over all processes.
    return run.wall if by == "wall" else run.cpu / processes


def line(each: Row) -> str:
    """Return the row as text."""
    verdict = f"at most {each.formatted(each.most):>8} {each.verdict:8}"
    parts = f"{each.name:34}{each.formatted(each.value):>10}{each.formatted_spread:>20}  {verdict}"
    took = f"{each.seconds:8.2f} s" if each.value is not None else ""
    took += f"{each.memory / 2**20:7.0f} MB" if each.memory else ""
    return f"{parts}{took:20}  {each.against}".rstrip()
