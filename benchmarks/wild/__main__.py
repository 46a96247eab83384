"""Lint whole repositories as a user does, and compare the findings with judged ones.

The entry points are those that gblint finds.  The repositories are cloned into a folder and never committed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.wild import clones, records
from benchmarks.wild.score import Score, score

COLUMNS = "{:38} {:>9} {:>9} {:>10} {:>9} {:>14} {:>7}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0; 1 if ``--check`` fails; 2 if no repository could be linted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wild", description=__doc__)
    parser.add_argument("--clones", type=Path, required=True, metavar="DIR", help="folder of clones, named owner+name")
    parser.add_argument("--fetch", action="store_true", help="clone the repositories that are missing there")
    parser.add_argument("--source", default=clones.GITHUB, metavar="URL", help="where to clone {repository} from")
    parser.add_argument("--python", type=Path, metavar="PY", help="interpreter with the packages that they use")
    parser.add_argument("--findings", type=Path, default=records.FINDINGS, metavar="FILE", help="judged findings")
    parser.add_argument("--places", type=Path, default=records.PLACES, metavar="FILE", help="places that compile")
    parser.add_argument("--packages", action="store_true", help="lint the judged packages of PyPI instead")
    parser.add_argument("--show", action="store_true", help="list lost, false and silent places")
    parser.add_argument("--check", type=float, metavar="SHARE", help="fail if the precision is below this share")
    options = parser.parse_args(arguments)
    places = [] if options.packages else records.places(options.places)
    total, notes = Score(), []
    print(COLUMNS.format("repository", "kept", "false", "unjudged", "resolved", "told", "CPU s"))
    judged_in = records.by_repository(records.findings(records.PACKAGES if options.packages else options.findings))
    for repository, commit in sorted({*judged_in, *((each.repository, each.commit) for each in places)}):
        judged = judged_in.get((repository, commit), [])
        folder = clones.folder_of(options.clones, repository)
        if not folder.is_dir() and options.fetch:
            error = clones.fetch(options.clones, repository, commit, options.source)
            if error:
                print(f"{repository}: {error}", file=sys.stderr)
                continue
        if clones.commit_of(folder) != commit:
            print(f"{repository}: no clone of {commit[:10]} in {folder}", file=sys.stderr)
            continue
        report, seconds = _lint(folder, options.python)
        if report is None:
            print(f"{repository}: gblint gave no report", file=sys.stderr)
            continue
        one = score(report, judged, [each for each in places if (each.repository, each.commit) == (repository, commit)])
        print(_row(repository, one, f"{seconds:.1f}"), flush=True)
        notes += one.notes
        total.add(one)
    if not total.true + total.refuted + total.compiled:
        return 2
    print(_row("all", total, ""))
    print(f"precision {total.precision:.3f}, true among certain {total.certain_true}/{total.certain}")
    if options.show:
        print("\n".join(notes))
    return 1 if options.check is not None and total.precision < options.check else 0


def _row(name: str, one: Score, seconds: str) -> str:
    resolved, told = f"{one.resolved}/{one.compiled}", f"{one.told}/{one.compiled - one.resolved}"
    kept, false = f"{one.kept}/{one.true}", f"{one.false}/{one.refuted}"
    return COLUMNS.format(name, kept, false, one.unjudged, resolved, told, seconds)


def _lint(folder: Path, python: Path | None) -> tuple[dict[str, Any] | None, float]:
    """Return the JSON report on a clone, and the seconds of processor time that it took."""
    command = [sys.executable, "-m", "gblint", "check", "--no-cache", "--output-format", "json", "--exit-zero"]
    if python is not None:
        command += ["--python", str(python.absolute())]
    before = _children()
    run = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    try:
        return json.loads(run.stdout), _children() - before
    except ValueError:
        return None, 0.0


def _children() -> float:
    """Return the processor time of the child processes that have ended, in seconds."""
    try:
        import resource
    except ImportError:  # not on Windows
        return time.perf_counter()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    sys.exit(main())
