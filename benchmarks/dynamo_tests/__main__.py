"""Lint files of Dynamo's own test suite, and compare the findings with what Dynamo 2.13 does with these tests.

The tests are those of a release of torch, unpacked into a folder.  They are never committed; the records have line
numbers and types of breaks only.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.dynamo_tests.score import Score, read, score

RECORDS = Path(__file__).parent / "records"
COLUMNS = "{:34} {:>9} {:>9} {:>11} {:>8}"
OPTIONS = ("--no-cache", "--ignore-noqa", "--isolated", "--output-format=json", "--exit-zero")


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0; 1 if ``--check`` fails; 2 if a file is missing or cannot be linted or recorded."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dynamo_tests", description=__doc__)
    parser.add_argument("tests", type=Path, metavar="DIR", help="the unpacked folder test/dynamo")
    parser.add_argument("names", nargs="*", metavar="NAME", help="test_misc, ... (default: all that have a record)")
    parser.add_argument("--python", type=Path, required=True, metavar="PY", help="interpreter with torch and pytest")
    parser.add_argument("--record", action="store_true", help="run the tests and write their records first")
    parser.add_argument("--records", type=Path, default=RECORDS, metavar="DIR", help="where the records are")
    parser.add_argument("--show", action="store_true", help="list missed places and wrong findings")
    parser.add_argument(
        "--check", nargs=2, type=float, metavar=("RECALL", "PRECISION"), help="fail if a share is below one of these"
    )
    options = parser.parse_args(arguments)
    names = options.names or sorted(path.stem for path in options.records.glob("test_*.json"))
    total = Score()
    print(COLUMNS.format("file", "found", "right", "not judged", "entries"))
    for name in names:
        path, record = (options.tests / f"{name}.py").absolute(), (options.records / f"{name}.json").absolute()
        error = _record(path, record, options.python) if options.record else ""
        if error or not path.is_file() or not record.is_file():
            print(f"{name}: {error or 'no such file or no record of it'}", file=sys.stderr)
            return 2
        try:
            one = score(json.loads(_lint(path, options.python)), read(record), path)
        except ValueError:
            print(f"{name}: gblint gave no report", file=sys.stderr)
            return 2
        print(_row(name, one), flush=True)
        total.add(one)
    print(_row("all", total))
    print(f"recall {total.recall:.3f}, precision {total.precision:.3f}")
    if options.show:
        print("\n".join(total.notes))
    least = options.check or (0.0, 0.0)
    return int(total.recall < least[0] or total.precision < least[1])


def _row(name: str, one: Score) -> str:
    found, right = f"{one.found}/{one.found + one.missed}", f"{one.right}/{one.right + one.wrong}"
    return COLUMNS.format(name, found, right, one.not_judged, one.entries)


def _lint(path: Path, python: Path) -> str:
    """Return the JSON report on one file."""
    command = [sys.executable, "-m", "gblint", "check", *OPTIONS, "--python", str(python.absolute()), path.name]
    return subprocess.run(command, cwd=path.parent, stdout=subprocess.PIPE, text=True, check=False).stdout


def _record(path: Path, record: Path, python: Path) -> str:
    """Run a file of tests with pytest and write its record; return an error, or an empty text."""
    search = os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH"))))
    place = {"RECORDER_TESTS": str(path), "RECORDER_OUT": str(record), "PYTHONPATH": search}
    command = [str(python.absolute()), "-m", "pytest", "-q", "-p", "recorder", "-p", "no:cacheprovider", str(path)]
    place = {**os.environ, **place}
    run = subprocess.run(command, cwd=path.parent, env=place, capture_output=True, text=True, check=False)
    # Tests that fail under this release of torch are recorded too.
    return "" if run.returncode in (0, 1) and record.is_file() else (run.stderr or run.stdout)[-500:]


if __name__ == "__main__":
    sys.exit(main())
