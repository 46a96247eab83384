"""Fix all files of installed packages without running anything, and check the results.

Each fixed file has to be parseable, and a second run must not change it again; with the safe fixes alone and with all
of them.

    python -m benchmarks.fixes.library_files --python PY diffusers transformers/models/bert

The packages are copied; folders in them may be named. Every ``nn.Module`` is an entry point. Files are fixed in
parts, folder by folder, so that an exception costs one part; the exit status 1 reports one. With ``--json`` the
counts are written after each part, and a later run continues where that one stopped.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.accuracy import environment
from benchmarks.counts import Counts
from gblint.config.settings import Config
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Fix
from gblint.fix.fixed_point import Choose, FixKey, FixResult, fix_files
from gblint.fix.writer import replace_file
from gblint.pipeline.lint import LintRequest

MAX_FILES = 40  # files in a part


@dataclass
class Outcome(Counts):
    """The outcome for some files, with fixes of one kind."""

    files: int = 0
    changed: int = 0
    fixes: int = 0
    unparseable: int = 0
    changed_again: int = 0
    faults: list[str] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit status is 0 if there are no faults."""
    options = _parser().parse_args(arguments)
    saved = options.json and options.json.absolute()
    done = json.loads(saved.read_text(encoding="utf-8")) if saved and saved.exists() else {}
    work = options.work.absolute()
    _copy(options.packages, environment.site_packages(options.python), work)
    os.chdir(work)
    config = Config(work).with_values(python=str(options.python.absolute()), assume_entries="always")
    names = [name for package in options.packages for name in _parts(Path(package))]
    for name, part in names:
        if name in done:
            continue
        start = time.process_time()
        done[name] = {kind: asdict(counts) for kind, counts in _part(part, config).items()}
        said = [f"{each['fixes']} {kind}" for kind, each in done[name].items()]
        print(f"{name}: {len(part)} files, fixes: {', '.join(said)} ({time.process_time() - start:.0f} s)", flush=True)
        for each in done[name].values():
            print(*(f"  {fault}" for fault in each["faults"]), sep="\n", end="", flush=True)
        if saved:
            saved.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
    return _total([done[name] for name, _ in names])


def _total(parts: Sequence[dict[str, dict[str, object]]]) -> int:
    faults = 0
    for kind in KINDS:
        total = Outcome()
        for part in parts:
            total.add(Outcome(**part[kind]))  # type: ignore[arg-type]
        print(
            f"{kind}: {total.files} files, {total.changed} changed, {total.fixes} fixes; {total.unparseable} "
            f"unparseable, {total.changed_again} changed by a second run, {len(total.faults)} faults"
        )
        faults += len(total.faults)
    return 1 if faults else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fixes.library_files", description=__doc__)
    parser.add_argument("packages", nargs="+", metavar="PACKAGE", help="a package, or a folder in one")
    parser.add_argument("--python", type=Path, required=True, metavar="PY", help="has the packages")
    parser.add_argument(
        "--work", type=Path, default=Path("build/fixes-all"), metavar="DIR", help="where copies are made"
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the counts here, and take from here what is done"
    )
    return parser


def _copy(packages: Sequence[str], folder: Path, work: Path) -> None:
    shutil.rmtree(work, ignore_errors=True)
    for top in {name.partition("/")[0] for name in packages}:
        shutil.copytree(folder / top, work / top, ignore=shutil.ignore_patterns("__pycache__"))


def _parts(top: Path) -> Iterator[tuple[str, list[Path]]]:
    """Yield the files below ``top`` in named parts; files of one folder are in one part."""
    part: list[Path] = []
    for folder in sorted({path.parent for path in top.rglob("*.py")}):
        files = sorted(folder.glob("*.py"))
        if part and len(part) + len(files) > MAX_FILES:
            yield str(part[0].parent), part
            part = []
        part += files
    if part:
        yield str(part[0].parent), part


def _part(files: Sequence[Path], config: Config) -> dict[str, Outcome]:
    """Fix some files with each kind of fixes and check them; the files are restored afterwards."""
    found = {kind: Outcome(len(files)) for kind in KINDS}
    left = tuple(files)
    for kind, wanted in KINDS.items():
        try:
            # A file that all fixes leave alone is left alone by the safe ones.
            left = _one(left, config, wanted, found[kind]) if left else ()
        except Exception:
            found[kind].faults.append(f"{files[0].parent}: {traceback.format_exc()}")
    return found


def _one(files: tuple[Path, ...], config: Config, wanted: Choose, counts: Outcome) -> tuple[Path, ...]:
    """Fix some files, and fix the changed ones again; return the changed files."""
    first = fix_files(LintRequest(files), config, wanted)
    changed = tuple(Path(path) for path in first.changed)
    counts.fixes, counts.changed = len(first.applied), len(first.changed)
    faults = [*_unparseable(first)]
    counts.unparseable = len(faults)
    faults += _internal(first)
    try:
        for path in first.changed:
            replace_file(first.originals[path], first.texts[path], [config.root])
        if changed:
            again = fix_files(LintRequest(changed), config, wanted)
            counts.changed_again = len(again.changed)
            faults += [f"{each.key.path}:{each.key.line}: fixed again: {each.fix.title}" for each in again.applied]
    finally:
        for path in first.changed:
            first.originals[path].path.write_bytes(first.originals[path].data)
    counts.faults += faults
    return changed


def _unparseable(fixed: FixResult) -> Iterator[str]:
    for path in fixed.changed:
        try:
            ast.parse(fixed.texts[path])
        except (SyntaxError, ValueError) as error:
            yield f"{path}: {error}"


def _internal(fixed: FixResult) -> Iterator[str]:
    for error in fixed.outcome.report.errors:
        if "internal error" in error.message:
            yield f"{error.path}:{error.line}: {error.message}"


def _any(finding: Finding, each: Fix, key: FixKey) -> bool:
    """Accept the fixes that ``--fix --unsafe-fixes`` makes."""
    return each.applicability in ("safe", "unsafe")


def _safe(finding: Finding, each: Fix, key: FixKey) -> bool:
    """Accept the fixes that ``--fix`` makes."""
    return each.applicability == "safe"


KINDS: dict[str, Choose] = {"all": _any, "safe": _safe}


if __name__ == "__main__":
    sys.exit(main())
