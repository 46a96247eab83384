"""Run each measure of ``measures.py`` several times; print the medians and whether they are within their limits."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

from benchmarks.accuracy import environment
from benchmarks.speed import tools
from benchmarks.speed.measures import Measure, measures
from benchmarks.speed.table import Row, Run, line, row
from gblint.runtime.mypyc import is_compiled

# The compiled build has separate results.
RESULTS = Path(__file__).with_name("results-compiled.json" if is_compiled() else "results.json")
# The unit in which the system reports peak memory: kilobytes, or bytes on macOS.
_UNIT = 1 if sys.platform == "darwin" else 1024
STROKES = 100
KEYS = "key stroke in the server, "


def run(command: tuple[str, ...], folder: str) -> Run:
    """Run a whole process in an empty folder, so that it finds no settings; raises OSError if it fails.

    The memory is that of the largest process among it and its children.  Python may write bytecode, as for installed
    packages.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode != 0:
        raise OSError(f"{' '.join(command)[:200]} exited with {process.returncode}: {said.decode()[-500:]}")
    return Run(usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss * _UNIT)


def measure(what: Measure, runs: int) -> tuple[list[Run], list[Run]]:
    """Run a command and the one it is compared with alternately, so that a busy machine slows both."""
    own: list[Run] = []
    beside: list[Run] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(min(runs, what.runs or runs) * what.often):
            if what.beside is not None:
                beside.append(run(what.beside, folder))
            if what.before is not None:
                what.before()
                if not own:
                    # The first run fills the cache.
                    run(what.command, folder)
                    what.before()
            own += [run(what.command, folder) for _ in range(what.times)]
        if what.beside is not None and len(own) == 1:
            # A second run of the other command: the speed of the machine may have changed.
            beside.append(run(what.beside, folder))
    return own, beside


def strokes(python: Path, count: int) -> Iterator[Row]:
    """Yield the rows of the language server."""
    median, slow = Row(f"{KEYS}median", "", "seconds", 0.150), Row(f"{KEYS}95 of 100", "", "seconds", 0.400)
    try:
        from benchmarks.speed import server
    except ImportError as missing:
        print(f"the language server: {missing}", file=sys.stderr)
        yield from (median, slow)
        return
    _, taken = server.measured(python, count)
    for each, value in ((median, server.middle(taken)), (slow, server.slow(taken))):
        yield replace(each, value=value, spread=(min(taken), max(taken)), seconds=value)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """Yield the rows, each after its measurement."""
    python = (options.python or environment.make(options.environment)).absolute()
    others = tools.make(options.tools)
    with tempfile.TemporaryDirectory() as scratch:
        for what in measures(python, environment.site_packages(python), others, Path(scratch)):
            if options.only in what.name:
                try:
                    yield row(what, *measure(what, options.runs), "cpu" if options.cpu else "wall")
                except OSError as error:
                    print(f"{what.name}: {error}", file=sys.stderr)
                    yield Row(what.name, what.against, what.what, what.most)
    if options.only in KEYS:
        yield from strokes(python, STROKES)


def keep(new: Row, by: str) -> None:
    """Store a row in the results, in place of the one with its name."""
    old = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"] if RESULTS.exists() else []
    kept = {(each["name"], each["against"]): each for each in old}
    kept[new.name, new.against] = asdict(new)
    about = {"python": platform.python_version(), "cpus": os.cpu_count(), "by": by}
    RESULTS.write_text(json.dumps({**about, "rows": [*kept.values()]}, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Run the command line; exit with 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--environment", type=Path, default=Path(".venv-accuracy"), help="made if it is not there")
    parser.add_argument("--python", type=Path, help="an environment that has the packages already")
    parser.add_argument("--tools", type=Path, default=Path(".venv-speed"), help="for the other linters; made likewise")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="", metavar="WORD", help="only what has WORD in its name")
    parser.add_argument("--cpu", action="store_true", help="seconds on the processor instead of by the clock")
    parser.add_argument("--write", action="store_true", help="keep the results for the table of docs/speed.md")
    options = parser.parse_args()
    done = []
    for each in rows(options):
        print(line(each), flush=True)
        done.append(each)
        if options.write:
            keep(each, "cpu" if options.cpu else "wall")
    sys.exit(any(each.verdict != "pass" for each in done))


if __name__ == "__main__":
    main()
