"""Lint and fix every Python file below some folders, one by one, and print crashes and exceeded limits."""

from __future__ import annotations

import argparse
import json
import random
import sys
import sysconfig
import time
from dataclasses import asdict
from pathlib import Path

from benchmarks.robustness.files import Outcome
from benchmarks.robustness.pool import LARGEST, run

LONGEST = 10.0


def files(folders: list[Path]) -> list[Path]:
    """The Python files below the folders, each once."""
    found: set[Path] = set()
    for folder in folders:
        found.update([folder] if folder.is_file() else folder.rglob("*.py"))
    return sorted(path for path in found if path.is_file())


def main() -> int:
    """Run the command line; return 1 if there are faults."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="default: the standard library of this Python")
    parser.add_argument("--functions", action="store_true", help="every function is an entry point as well")
    parser.add_argument("--no-fixes", action="store_true", help="only lint")
    parser.add_argument("--share", type=float, default=1.0, metavar="F", help="a random share of the files")
    parser.add_argument("--seconds", type=float, default=LONGEST, help="the time limit of one file (%(default)g)")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the outcome of each file as a line of JSON")
    options = parser.parse_args()
    paths = files(options.folders or [Path(sysconfig.get_path("stdlib"))])
    if options.share < 1:
        paths = sorted(random.Random(0).sample(paths, int(len(paths) * options.share)))
    start, done, faulty = time.monotonic(), [], 0
    with open(options.json or "/dev/null", "w", encoding="utf-8") as out:
        for outcome in run(
            paths, options.jobs, options.seconds, functions=options.functions, fixes=not options.no_fixes
        ):
            if outcome.seconds > options.seconds:
                outcome.faults.append(f"took {outcome.seconds:.1f} s")
            if outcome.memory > LARGEST:
                outcome.faults.append(f"took {outcome.memory >> 20} MB")
            done.append(outcome)
            out.write(json.dumps(asdict(outcome)) + "\n")
            out.flush()
            faulty += bool(outcome.faults)
            for fault in outcome.faults:
                print(f"{outcome.path}: {fault}", flush=True)
    _print_totals(done, faulty, time.monotonic() - start)
    return 1 if faulty else 0


def _print_totals(done: list[Outcome], faulty: int, wall: float) -> None:
    seconds = sorted((each.seconds for each in done), reverse=True) or [0.0]
    print(f"{len(done):,} files in {wall:,.0f} s ({sum(seconds):,.0f} s on the processor), {faulty} with faults")
    print(
        f"{sum(each.entries for each in done):,} entry points, {sum(each.findings for each in done):,} findings,"
        f" {sum(each.fixed for each in done):,} fixes; {sum(bool(each.unread) for each in done)} files not read"
    )
    print(
        f"seconds a file: median {seconds[len(seconds) // 2]:.2f}, 99 % {seconds[len(seconds) // 100]:.2f},"
        f" most {seconds[0]:.2f}; most memory {max((each.memory for each in done), default=0) >> 20} MB"
    )
    for each in sorted(done, key=lambda each: -each.seconds)[:5]:
        print(f"  {each.seconds:6.2f} s  {each.path}")


if __name__ == "__main__":
    sys.exit(main())
