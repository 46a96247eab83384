"""The command: copy what broke, fix it, keep what holds, and count what became of the places that broke."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.accuracy import environment
from benchmarks.accuracy.records import Entry, load
from benchmarks.accuracy.source import Source
from benchmarks.accuracy.tables import table
from benchmarks.fixes.sites import OTHER, PATTERNS, Site, settle, sites_of
from gblint.config import Config
from gblint.confirm import forms
from gblint.confirm.forms import Options
from gblint.confirm.jobs import Job, Result, Target
from gblint.findings import Finding, Fix, Verified
from gblint.fix.rounds import Key, fix
from gblint.fix.verify import Tried, verify
from gblint.lint import Request

HERE = Path(__file__).parent
TRUTH = HERE.parent / "accuracy" / "truth"
_MAKE = """\
import sys
sys.path[:0] = {folders!r}

def make():
    from {module} import {function}
    call, args, kwargs = {call}
    return {result}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0; 2 if there is nothing to do."""
    options = _parser().parse_args(arguments)
    options.json = options.json and options.json.absolute()
    paths = options.truth or sorted(TRUTH.glob("*.jsonl"))
    entries = [each for each in load(paths).entries.values() if options.only in each.name]
    folder = environment.site_packages(options.python)
    sites = sites_of(entries, folder)
    broken = [each for each in entries if any(each.name in site.outcomes for site in sites.values())]
    if not broken:
        print("nothing broke", file=sys.stderr)
        return 2
    modes = _modes(paths)
    work = options.work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    _copy(broken, folder, work)
    os.chdir(work)
    # What runs is small: threads that wait for one another would take most of the time.
    os.environ["OMP_NUM_THREADS"] = "1"
    for number, entry in enumerate(broken[: options.limit], 1):
        mine = [site for site in sites.values() if entry.name in site.outcomes]
        start = time.perf_counter()
        said = _one(entry, mine, modes[entry.name], work, options)
        counts = ", ".join(f"{site.line}: {site.outcomes[entry.name][0]}" for site in mine)
        print(
            f"{number}/{len(broken)} {entry.name}: {said or counts} ({time.perf_counter() - start:.0f} s)", flush=True
        )
        if options.json:
            options.json.write_text(json.dumps([_as_json(site) for site in sites.values()], indent=1) + "\n")
    for line in _tables(sites.values()):
        print(line)
    if options.show:
        for line in _shown(sites.values()):
            print(line)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fixes", description=__doc__)
    parser.add_argument("--truth", nargs="+", type=Path, metavar="FILE", help="records (default: those of accuracy)")
    parser.add_argument("--python", type=Path, required=True, metavar="PY", help="has torch and the packages")
    parser.add_argument("--work", type=Path, default=Path("build/fixes"), metavar="DIR", help="where copies are made")
    parser.add_argument("--only", default="", metavar="TEXT", help="entry points with this in their name")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N entry points")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at a time")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="S", help="seconds for each run")
    parser.add_argument("--proposals", action="store_true", help="run nothing: only say for which sites there is a fix")
    parser.add_argument("--show", action="store_true", help="list what became of each site")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write that here")
    return parser


def _copy(entries: Iterable[Entry], folder: Path, work: Path) -> None:
    """Copies of the packages, as they are installed."""
    for package in sorted({each.name.partition(":")[0].partition(".")[0] for each in entries}):
        if (folder / package).is_dir() and not (work / package).exists():
            shutil.copytree(folder / package, work / package, ignore=shutil.ignore_patterns("__pycache__"))
        elif (folder / f"{package}.py").is_file():
            shutil.copy2(folder / f"{package}.py", work)


def _modes(paths: Iterable[Path]) -> dict[str, tuple[str, ...]]:
    """The modes in which each entry point broke."""
    found: dict[str, set[str]] = {}
    for path in paths:
        for text in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(text)
            if any(each.get("primary", True) for each in record.get("breaks", ())):
                found.setdefault(record["entry"], set()).add(record["mode"])
    return {name: tuple(sorted(modes)) for name, modes in found.items()}


def _one(entry: Entry, sites: Sequence[Site], modes: tuple[str, ...], work: Path, options: argparse.Namespace) -> str:
    """Fix one entry point and settle its sites; what went wrong, if anything did."""
    files = sorted({site.file for site in sites})
    sources = {file: Source(work / file) for file in files}
    config = Config(root=work, follow=(), python=str(options.python.absolute()), torch_version="2.13")
    request = Request(tuple(Path(file) for file in files), (entry.name,))
    runs = Options(device="cpu", modes=modes, seconds=options.timeout)
    if options.proposals:
        tried = Tried(fix(request, config, _any))
        for each in tried.fixed.applied:
            tried.verdicts[each.key] = each, Verified("not-run", "nothing was run")
        settle(sites, entry.name, tried, work, sources)
        return ""
    try:
        tried = verify(request, config, _any, runs, [_target(entry, work)], _runner(options.jobs))
    except Exception as error:
        traceback.print_exc()
        return f"gblint failed: {type(error).__name__}: {error}"
    settle(sites, entry.name, tried, work, sources)
    return ""


def _any(finding: Finding, each: Fix, key: Key) -> bool:
    """What ``--fix --unsafe-fixes`` takes."""
    return each.applicability in ("safe", "unsafe")


def _target(entry: Entry, work: Path) -> Target:
    """How to call it: models of transformers and diffusers in small, of anything else gblint finds inputs itself."""
    module, _, name = entry.name.partition(":")
    package = module.partition(".")[0]
    owner, _, method = name.partition(".")
    accuracy = str(HERE.parent / "accuracy")
    result = f"getattr(call, {method!r}), args, kwargs" if method else "call, args, kwargs"
    if package == "transformers":
        text = _MAKE.format(
            folders=[accuracy, str(HERE)],
            module="models",
            function="build",
            call=f"build({f'{module}:{owner}'!r})",
            result=result,
        )
    elif package == "diffusers":
        text = _MAKE.format(
            folders=[accuracy],
            module="diffusers_targets",
            function="targets",
            call=f"dict(targets())[{entry.name!r}]()",
            result="call, args, kwargs",
        )
    else:
        return Target("entry", entry.name)
    file = work / "inputs" / f"{entry.name.replace(':', '_').replace('.', '_')}.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return Target("entry", entry.name, inputs_from=f"inputs/{file.name}:make")


def _runner(several: int) -> Callable[[list[Job]], list[Result]]:
    def run(jobs: list[Job]) -> list[Result]:
        with ThreadPoolExecutor(several) as pool:
            return forms.run_all(jobs, pool)

    return run


def _tables(sites: Iterable[Site]) -> Iterator[str]:
    """How many of the sites of each pattern came to what."""
    by_pattern: dict[str, list[Site]] = {name: [] for name, _ in PATTERNS} | {OTHER: []}
    for site in sites:
        by_pattern[site.pattern].append(site)
    everything = [site for there in by_pattern.values() for site in there]
    listed = [site for site in everything if site.pattern != OTHER]
    rows = [_row(name, there) for name, there in by_pattern.items() if there]
    rows += [_row("in these patterns", listed), _row("all", everything)]
    heads = (
        "pattern",
        "sites",
        "proposed",
        "removed",
        "share",
        "wrong",
        "still",
        "not fixed",
        "no finding",
        "not run",
        "unbroken",
    )
    yield from table(heads, rows)


def _row(name: str, sites: Sequence[Site]) -> tuple[object, ...]:
    counts = {what: sum(site.outcome == what for site in sites) for what in {site.outcome for site in sites}}
    get = counts.get
    removed, wrong, still = get("removed", 0), get("wrong", 0), get("still breaks", 0)
    share = f"{removed / len(sites):.0%}" if sites else "-"
    return (
        name, len(sites), removed + wrong + still, removed, share, wrong, still, get("not proposed", 0),
        get("not found", 0), get("not run", 0), get("not broken here", 0),
    )  # fmt: skip


def _shown(sites: Iterable[Site]) -> Iterator[str]:
    for site in sorted(sites, key=lambda each: (each.outcome, each.file, each.line)):
        yield f"{site.outcome}: {site.file}:{site.line}: {', '.join(sorted(site.gb_ids))}: {site.text}"
        for name, (what, why) in site.outcomes.items():
            yield f"    {name}: {what}: {why}"


def _as_json(site: Site) -> Mapping[str, object]:
    return {
        "file": site.file,
        "line": site.line,
        "gb_ids": sorted(site.gb_ids),
        "pattern": site.pattern,
        "outcome": site.outcome,
        "entries": {name: {"outcome": what, "why": why} for name, (what, why) in site.outcomes.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
