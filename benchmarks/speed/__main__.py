"""Runs what ``measures.py`` names, several times each, and prints medians and ratios."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.accuracy import environment
from benchmarks.speed.measures import Measure, measures

# What a process says of the most memory that it had: kilobytes, but on macOS.
_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Run:
    """One process: its seconds on the processor and by the clock, its peak of memory in bytes."""

    cpu: float
    wall: float
    memory: int


def run(command: tuple[str, ...], folder: str) -> Run:
    """Runs a whole process in an empty folder, so that no settings are found; raises OSError if it fails."""
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode != 0:
        raise OSError(f"{' '.join(command)[:200]} exited with {process.returncode}: {said.decode()[-500:]}")
    return Run(usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss * _UNIT)


def measure(what: Measure, runs: int) -> tuple[list[Run], list[Run]]:
    """Runs of the command and of what is beside it, in turn, so that a busy machine slows both."""
    own, beside = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):
            beside.append(run(what.beside, folder))
            own.append(run(what.command, folder))
    return own, beside


def row(what: Measure, own: list[Run], beside: list[Run], by: str) -> str:
    """One line of the table; the spread is that of the ratios of runs that stood next to each other."""
    mine, other = (statistics.median(getattr(each, by) for each in runs) for runs in (own, beside))
    ratios = sorted(getattr(a, by) / getattr(b, by) for a, b in zip(own, beside))
    memory = max(each.memory for each in own) / 2**20
    aim = "" if what.most is None else f"{what.most:g} {'pass' if mine / other <= what.most else 'fail'}"
    spread = f"{ratios[0]:.1f}-{ratios[-1]:.1f}"
    return f"{what.name:34}{mine:8.2f} s{memory:8.0f} MB{mine / other:8.1f} {spread:>14}  {aim:10} {what.against}"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--environment", type=Path, default=Path(".venv-accuracy"), help="made if it is not there")
    parser.add_argument("--python", type=Path, help="an environment that has the packages already")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="", metavar="WORD", help="only what has WORD in its name")
    parser.add_argument("--wall", action="store_true", help="seconds by the clock instead of on the processor")
    options = parser.parse_args()
    python = (options.python or environment.make(options.environment)).absolute()
    print(f"{'':34}{'median':>10}{'peak':>11}{'ratio':>8} {'of pairs':>14}  {'at most':10} against")
    for what in measures(python, environment.site_packages(python)):
        if options.only in what.name:
            print(row(what, *measure(what, options.runs), "wall" if options.wall else "cpu"), flush=True)


if __name__ == "__main__":
    main()
