"""Copy the packages whose code broke, fix them, keep the fixes that hold, and count the outcomes of the break
sites.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.accuracy import environment
from benchmarks.accuracy.records import Entry, load
from benchmarks.accuracy.source import Source
from benchmarks.accuracy.tables import table
from benchmarks.fixes.calls import CALLS, WITHOUT_TORCHVISION
from benchmarks.fixes.sites import OTHER, PATTERNS, Site, settle, sites_of
from gblint.config.loading import read as load_config
from gblint.config.settings import Config
from gblint.confirm import planning
from gblint.confirm.jobs import Job, Result, Target
from gblint.confirm.planning import RunOptions
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Fix, FixVerdict
from gblint.diagnostics.span import FileLine
from gblint.fix.fixed_point import ChangedTexts, FixKey, FixResult, fix_files
from gblint.fix.lint_with_fixes import FixRun
from gblint.fix.trial_runs import TrialSetup
from gblint.fix.verify import VerifiedFixes, verify
from gblint.pipeline.explain_line import explain_line
from gblint.pipeline.lint import LintRequest

HERE = Path(__file__).parent
TRUTH = HERE.parent / "accuracy" / "truth"
_MAKE = """\
import sys
sys.path[:0] = {folders!r}

def make():
    from {module} import {function}
    return {call}
"""
# Values that the source of an entry point does not show.
_PINS = HERE.parent / "accuracy" / "stable_diffusion.toml"


@dataclass(slots=True)
class Records:
    """One file of recorded breaks.

    * ``entries``: the entry points that broke; ``modes``: their modes.
    * ``sites``: the break sites by file and line.
    * ``done``: the entry points that have been processed.
    """

    name: str
    entries: list[Entry]
    modes: Mapping[str, tuple[str, ...]]
    sites: dict[tuple[str, int], Site]
    versions: Mapping[str, str]
    done: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path, only: Sequence[str], folder: Path) -> Records:
        """Read the records; ``folder`` contains the packages, ``only`` are parts of the names of the entry points
        to use.
        """
        truth = load([path])
        entries = [each for each in truth.entries.values() if any(text in each.name for text in only)]
        sites = sites_of(entries, folder)
        broken = [each for each in entries if any(each.name in site.outcomes for site in sites.values())]
        return cls(path.stem, broken, _modes(path), sites, truth.versions)

    def of(self, entry: Entry) -> list[Site]:
        """Return the break sites of an entry point."""
        places = {(site.file, site.line): site for site in self.sites.values() if site.of(entry.name)}
        return list(places.values())

    def as_json(self) -> Mapping[str, object]:
        """Return the current state as JSON."""
        return {"done": self.done, "sites": [each.as_json() for each in self.sites.values()]}

    def resume(self, kept: Mapping[str, Any]) -> None:
        """Take over the state of an earlier run."""
        known = {each.name for each in self.entries}
        self.done = [name for name in kept.get("done", ()) if name in known]
        for each in kept.get("sites", ()):
            site = self.sites.get((each["file"], each["line"]))
            if site is not None:
                site.merge(each["entries"], self.done)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit status is 0, or 2 if there is nothing to do."""
    options = _parser().parse_args(arguments)
    kept = options.json and options.json.absolute()
    markdown = options.markdown and options.markdown.absolute()
    folder = environment.site_packages(options.python)
    paths = options.truth or sorted(TRUTH.glob("*.jsonl"))
    # A state that is resumed covers all entry points, not only the selected ones.
    only = [""] if options.resume else options.only or [""]
    records = [Records.read(path, only, folder) for path in paths]
    if not any(each.entries for each in records):
        print("nothing broke", file=sys.stderr)
        return 2
    if options.resume and kept.exists():
        known = json.loads(kept.read_text(encoding="utf-8"))
        for each in records:
            each.resume(known.get(each.name, {}))
    work = options.work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    _copy((entry for each in records for entry in each.entries), folder, work)
    os.chdir(work)
    # The runs are small: with more threads, most of the time would be spent on synchronization.
    os.environ["OMP_NUM_THREADS"] = "1"
    for each in records:
        for message in _run(each, work, options):
            print(message, flush=True)
            if kept:
                kept.write_text(json.dumps({one.name: one.as_json() for one in records}, indent=1) + "\n")
    for each in records:
        print(f"\n{each.name}")
        for line in table(HEADS, _rows(each.sites.values())):
            print(line)
        for line in _shown(each.sites.values()) if options.show else ():
            print(line)
    if markdown:
        markdown.write_text("\n".join(_page(records, options.backend)) + "\n", encoding="utf-8")
    return 0


def _run(records: Records, work: Path, options: argparse.Namespace) -> Iterator[str]:
    """Fix the remaining entry points and yield a line about each."""
    wanted = [each for each in records.entries if any(text in each.name for text in options.only or [""])]
    left = [each for each in wanted if each.name not in records.done][: options.limit]
    for number, entry in enumerate(left, 1):
        mine = records.of(entry)
        start = time.perf_counter()
        message = _one(entry, mine, records.modes[entry.name], work, options)
        counts = ", ".join(f"{site.line}: {site.of(entry.name)}" for site in mine)
        records.done.append(entry.name)
        yield f"{number}/{len(left)} {entry.name}: {message or counts} ({time.perf_counter() - start:.0f} s)"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fixes", description=__doc__)
    parser.add_argument("--truth", nargs="+", type=Path, metavar="FILE", help="records (default: those of accuracy)")
    parser.add_argument("--python", type=Path, required=True, metavar="PY", help="has torch and the packages")
    parser.add_argument("--work", type=Path, default=Path("build/fixes"), metavar="DIR", help="where copies are made")
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="entry points with one of these in their name")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N entry points")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at a time")
    parser.add_argument("--backend", default="eager", metavar="NAME", help="for torch.compile (eager)")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="S", help="seconds for each run")
    parser.add_argument("--proposals", action="store_true", help="run nothing: report the sites with a fix")
    parser.add_argument("--show", action="store_true", help="list the outcome of each site")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the state to this file after each entry point")
    parser.add_argument("--resume", action="store_true", help="continue from the state in that file")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables as a page")
    return parser


def _copy(entries: Iterable[Entry], folder: Path, work: Path) -> None:
    """Copy the packages to the work folder."""
    for package in sorted({each.name.partition(":")[0].partition(".")[0] for each in entries}):
        if (folder / package).is_dir() and not (work / package).exists():
            shutil.copytree(folder / package, work / package, ignore=shutil.ignore_patterns("__pycache__"))
        elif (folder / f"{package}.py").is_file():
            shutil.copy2(folder / f"{package}.py", work)


def _modes(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the modes in which each entry point broke."""
    found: dict[str, set[str]] = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(text)
        if any(each.get("primary", True) for each in record.get("breaks", ())):
            found.setdefault(record["entry"], set()).add(record["mode"])
    return {name: tuple(sorted(modes)) for name, modes in found.items()}


def _one(entry: Entry, sites: Sequence[Site], modes: tuple[str, ...], work: Path, options: argparse.Namespace) -> str:
    """Fix one entry point and record the outcomes; return an error message or an empty string."""
    files = sorted({site.file for site in sites})
    sources = {file: Source(work / file) for file in files}
    pins = load_config(_PINS).entry_points.pins
    config = Config(work).with_values(follow=(), python=str(options.python.absolute()), torch_version="2.13", pins=pins)
    request = LintRequest(tuple(Path(file) for file in files), (entry.name,))
    runs = RunOptions(device="cpu", backend=options.backend, modes=modes, seconds=options.timeout)
    if options.proposals:
        verified_fixes = VerifiedFixes(fix_files(request, config, _any))
        for each in verified_fixes.fixed.applied:
            verified_fixes.verdicts[each.key] = each, FixVerdict("not-run", "nothing was run")
        settle(sites, entry.name, entry.name, verified_fixes, work, sources)
        for site in sites:
            if site.outcomes[entry.name][0] == "not found" and _is_left_out(
                site, verified_fixes.fixed, request, config
            ):
                site.outcomes[entry.name] = "proposed", "with another site"
        return ""
    before = os.environ.get("PYTHONPATH", "")
    if entry.name.startswith(WITHOUT_TORCHVISION):
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (before, str(HERE / "stubs"))))
    try:
        return _verified(entry, sites, request, config, runs, work, sources, options.jobs)
    finally:
        os.environ["PYTHONPATH"] = before


def _is_left_out(site: Site, fixed: FixResult, request: LintRequest, config: Config) -> bool:
    """Return whether compiled code runs the statement before the fixes, and not after them."""
    path = next((path for path in fixed.changed if Path(path).absolute() == config.root / site.file), None)
    if path is None or not explain_line(FileLine(config.root / site.file, site.line), request, config).reached:
        return False
    after = replace(request, overlays={Path(each): fixed.texts[each] for each in fixed.changed})
    lines = fixed.line_maps[path].after(site.line)
    return not any(explain_line(FileLine(config.root / site.file, line), after, config).reached for line in lines)


def _verified(
    entry: Entry,
    sites: Sequence[Site],
    request: LintRequest,
    config: Config,
    runs: RunOptions,
    work: Path,
    sources: Mapping[str, Source],
    jobs: int,
) -> str:
    """Verify the fixes for each call of the entry point; return an error message or an empty string."""
    attempts: dict[ChangedTexts, FixRun] = {}
    for label, target in _targets(entry, work):
        try:
            verified_fixes = verify(request, config, _any, TrialSetup(runs, [target], _runner(jobs)), attempts=attempts)
        except Exception as error:
            traceback.print_exc()
            return f"gblint failed: {type(error).__name__}: {error}"
        settle(sites, entry.name, label, verified_fixes, work, sources)
    return ""


def _any(finding: Finding, each: Fix, key: FixKey) -> bool:
    """Accept the fixes that ``--fix --unsafe-fixes`` makes."""
    return each.applicability in ("safe", "unsafe")


def _targets(entry: Entry, work: Path) -> Iterator[tuple[str, Target]]:
    """Yield the calls of an entry point with their labels.

    They are listed in ``calls``, or are small models of transformers and diffusers. For anything else gblint searches
    for inputs.
    """
    package = entry.name.partition(":")[0].partition(".")[0]
    if entry.name in CALLS:
        several = CALLS[entry.name]
        makes = [("calls", "CALLS", f"CALLS[{entry.name!r}][{number}]()") for number in range(len(several))]
    elif package == "transformers":
        makes = [("models", "build", f"build({entry.name!r})")]
    elif package == "diffusers":
        makes = [("diffusers_targets", "targets", f"dict(targets())[{entry.name!r}]()")]
    else:
        yield entry.name, Target("entry", entry.name)
        return
    folder = work / "inputs"
    folder.mkdir(exist_ok=True)
    for number, (module, function, call) in enumerate(makes, 1):
        label = entry.name if len(makes) == 1 else f"{entry.name} ({number})"
        name = re.sub(r"\W+", "_", label)
        text = _MAKE.format(
            folders=[str(HERE.parent / "accuracy"), str(HERE)], module=module, function=function, call=call
        )
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
        yield label, Target("entry", entry.name, inputs_from=f"inputs/{name}.py:make")


def _runner(several: int) -> Callable[[list[Job]], list[Result]]:
    def run(jobs: list[Job]) -> list[Result]:
        with ThreadPoolExecutor(several) as pool:
            return planning.run_all(jobs, pool)

    return run


HEADS = (
    "pattern",
    "sites",
    "proposed",
    "removed",
    "share",
    "wrong",
    "still",
    "not shown",
    "not fixed",
    "no finding",
    "not run",
    "unbroken",
)


def _rows(sites: Iterable[Site]) -> list[tuple[object, ...]]:
    """Return the numbers of outcomes by pattern."""
    by_pattern: dict[str, list[Site]] = {name: [] for name, _ in PATTERNS} | {OTHER: []}
    for site in sites:
        by_pattern[site.pattern].append(site)
    everything = [site for there in by_pattern.values() for site in there]
    listed = [site for site in everything if site.pattern != OTHER]
    rows = [_row(name, there) for name, there in by_pattern.items() if there]
    return [*rows, _row("in these patterns", listed), _row("all", everything)]


def _row(name: str, sites: Sequence[Site]) -> tuple[object, ...]:
    counts = {what: sum(site.outcome == what for site in sites) for what in {site.outcome for site in sites}}
    get = counts.get
    removed, wrong, still, hidden = (get(what, 0) for what in ("removed", "wrong", "still breaks", "not shown"))
    share = f"{removed / len(sites):.0%}" if sites else "-"
    return (
        name, len(sites), removed + wrong + still + hidden, removed, share, wrong, still, hidden,
        get("not proposed", 0), get("not found", 0), get("not run", 0), get("not broken here", 0),
    )  # fmt: skip


def _shown(sites: Iterable[Site]) -> Iterator[str]:
    for site in sorted(sites, key=lambda each: (each.outcome, each.file, each.line)):
        yield f"{site.outcome}: {site.file}:{site.line}: {', '.join(sorted(site.gb_ids))}: {site.text}"
        for name, (what, why) in site.outcomes.items():
            yield f"    {name}: {what}: {why}"


def _page(records: Iterable[Records], backend: str) -> Iterator[str]:
    """Yield the tables as a page."""
    yield "# What became of the places that broke"
    yield ""
    yield f"Written by `python -m benchmarks.fixes` on {datetime.date.today()}; `README.md` says what the columns mean."
    yield "An entry point counts as its last run showed it (`--resume`), with the recipes that there were by then."
    yield f"Compiled code ran with the backend `{backend}`."
    for each in records:
        versions = ", ".join(f"{name} {version}" for name, version in sorted(each.versions.items()))
        left = len(each.entries) - len(each.done)
        yield f"\n## {each.name}.jsonl\n"
        yield f"{len(each.done)} entry points{f', {left} left out' if left else ''}; {versions}.\n"
        yield f"| {' | '.join(HEADS)} |"
        yield f"|{' --- |' * len(HEADS)}"
        yield from (f"| {' | '.join(map(str, row))} |" for row in _rows(each.sites.values()))


if __name__ == "__main__":
    sys.exit(main())
