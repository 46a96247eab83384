"""Lint the recorded entry points, compare the findings with the breaks, and print the figures."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.accuracy import baseline, environment, figures, tables
from benchmarks.accuracy.compare import Comparison, claims_by_entry, compare
from benchmarks.accuracy.records import Truth, load
from benchmarks.accuracy.source import Source

HERE = Path(__file__).parent
BASELINE = HERE / "baseline.json"
TORCH = "2.13"


class Failed(Exception):
    """Raised if gblint itself fails; the message has its output."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0; 1 if accuracy fell (``--check``); 2 if there is nothing to compare."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.limit is not None and (options.check or options.update_baseline):
        parser.error("the baseline covers all entry points: --limit cannot be combined with it")
    paths = options.truth or sorted((HERE / "truth").glob("*.jsonl"))
    if not paths:
        print("there are no records", file=sys.stderr)
        return 2
    for path in paths:
        if not path.is_file():
            parser.error(f"there is no file {path}")
    try:
        python = options.python or environment.make(options.environment)
        folder = environment.site_packages(python)
        results = {path: _measure(load([path]).first(options.limit), python, folder) for path in paths}
    except (environment.NotInstalled, Failed) as error:
        print(error, file=sys.stderr)
        return 2
    everything = Comparison()
    for comparison in results.values():
        everything.add(comparison)
    for line in _report(results, everything, folder, show=options.show):
        print(line)
    now = {path: baseline.summary(comparison) for path, comparison in results.items()}
    if options.json:
        options.json.write_text(json.dumps(_as_json(now, everything), indent=1) + "\n", encoding="utf-8")
    if options.update_baseline:
        baseline.write(BASELINE, now)
    return _held(now) if options.check else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--truth", nargs="+", type=Path, metavar="FILE", help="records (default: those in truth/)")
    parser.add_argument("--python", type=Path, metavar="PY", help="interpreter that has the recorded packages")
    parser.add_argument(
        "--environment",
        type=Path,
        default=Path(".venv-accuracy"),
        metavar="DIR",
        help="folder of an environment to create if there is no --python (default: %(default)s)",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N entry points of each file")
    parser.add_argument("--show", action="store_true", help="list the missed sites and the wrong findings")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    parser.add_argument("--check", action="store_true", help="fail if accuracy fell below the baseline")
    parser.add_argument("--update-baseline", action="store_true", help="store the figures of this run as the baseline")
    return parser


def _measure(truth: Truth, python: Path, folder: Path) -> Comparison:
    """Lint all entry points in one run, and compare the findings."""
    environment.check_versions(truth.versions, folder)
    start = time.perf_counter()
    report = lint(truth, python)
    seconds = time.perf_counter() - start
    comparison = compare(truth, claims_by_entry(report["findings"], folder), folder)
    comparison.seconds = seconds
    return comparison


def lint(truth: Truth, python: Path) -> dict[str, Any]:
    """Return the report on all recorded entry points."""
    # In an empty working directory, because gblint also looks for entry points there.
    with tempfile.TemporaryDirectory() as name:
        empty = Path(name)
        entries, out = empty / "entries.txt", empty / "report.json"
        entries.write_text("\n".join(truth.entries) + "\n", encoding="utf-8")
        options = [
            f"--python={python.absolute()}", f"--follow={','.join(truth.packages)}", f"--torch-version={TORCH}",
            f"--entries-file={entries}", "--min-confidence=possible", "--ignore-noqa", f"--output-file={out}",
        ]  # fmt: skip
        command = [sys.executable, "-m", "gblint", "check", "--no-cache", "--exit-zero", "--output-format=json"]
        run = subprocess.run([*command, *options], cwd=empty, stderr=subprocess.PIPE, text=True)
        if run.returncode != 0:
            raise Failed(f"gblint exited with {run.returncode}\n{run.stderr}")
        report: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return report


def _report(results: dict[Path, Comparison], everything: Comparison, folder: Path, *, show: bool) -> Iterator[str]:
    from gblint.rules import all_rules

    rules = {rule.code: rule for rule in all_rules()}
    ids = {code: frozenset(rule.gb_ids) for code, rule in rules.items()}
    yield from tables.overview({**{path.stem: found for path, found in results.items()}, "all": everything})
    yield ""
    yield from tables.confidences(everything)
    yield ""
    yield from tables.rules(figures.by_rule(everything, ids), lambda code: rules[code].name if code in rules else "")
    yield ""
    yield from tables.gb_ids(figures.by_gb_id(everything))
    if show:
        source = cache(lambda file: Source(folder / file))
        yield ""
        yield from tables.shown(everything, lambda file, line: source(file).text(line))


def _as_json(now: dict[Path, dict[str, Any]], everything: Comparison) -> dict[str, Any]:
    tally = figures.total(everything)
    return {
        "truth": {path.name: summary for path, summary in now.items()},
        "all": baseline.summary(everything),
        "missed": sorted(tally.missed),
        "wrong": sorted(tally.wrong),
        "clean entries flagged": sorted(figures.flagged_clean(everything)),
    }


def _held(now: dict[Path, dict[str, Any]]) -> int:
    kept = baseline.read(BASELINE)
    print()
    for path in now:
        if path.name not in kept:
            print(f"{path.name}: there is no baseline of it yet: make one with --update-baseline")
    known = {path: summary for path, summary in now.items() if path.name in kept}
    worse = [line for path, summary in known.items() for line in baseline.compare(kept, path, summary)]
    print("\n".join(worse) or f"no share fell by more than {baseline.TOLERANCE:.1%}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
