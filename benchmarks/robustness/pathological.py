"""Lint the programs of ``programs``, by default all: ``python -m benchmarks.robustness.pathological [NAME ...]``.

Each has fewer than 1,000 lines and is linted within the limits of ``limits``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.robustness.files import Outcome, go_through
from benchmarks.robustness.limits import SECONDS, limited
from benchmarks.robustness.programs import PROGRAMS, Files


def check(files: Files, folder: Path, functions: bool = False, *, seconds: float = SECONDS) -> Outcome:
    """Lint the first of the files, or with ``functions`` from each function in it as well, and fix it in memory.

    seconds: the limit of processor time.
    """
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return limited(lambda: go_through(str(folder / next(iter(files))), functions=functions, fixes=functions), seconds)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness.pathological", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--functions", action="store_true", help="lint from every function as well, and fix")
    options, faulty = parser.parse_args(), 0
    for name in options.names or PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            outcome = check(PROGRAMS[name](), Path(folder), options.functions)
        faulty += bool(outcome.faults)
        print(f"{outcome.seconds:6.2f} s {outcome.memory >> 20:5} MB  {name}  {'; '.join(outcome.faults)}", flush=True)
    print(f"{faulty} with faults")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
