"""Fixes all files of installed packages, with nothing run: each has to be parseable afterwards, and left alone by a
second run.

    python -m benchmarks.fixes.library_files --python PY diffusers transformers/models/bert

The packages are copied; folders in them may be named.  Each ``nn.Module`` is taken for an entry point.  Files are
taken in parts, folder by folder, so that a fault in one is no fault in all; exit status 1 says that there was one.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.accuracy import environment
from gblint.config import Config
from gblint.findings import Finding, Fix
from gblint.fix.rounds import Fixed, Key, fix
from gblint.fix.writer import replace_file
from gblint.lint import Request

MOST = 40  # files in a part


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 if all is well."""
    options = _parser().parse_args(arguments)
    folder = environment.site_packages(options.python)
    work = options.work.absolute()
    shutil.rmtree(work, ignore_errors=True)
    for name in options.packages:
        top = name.partition("/")[0]
        if not (work / top).exists():
            shutil.copytree(folder / top, work / top, ignore=shutil.ignore_patterns("__pycache__"))
    os.chdir(work)
    config = Config(root=work, python=str(options.python.absolute()), assume_entries="always")
    faults, fixed, files = 0, 0, 0
    for name in options.packages:
        for part in _parts(Path(name)):
            start = time.perf_counter()
            made, said = _part(part, config)
            faults, fixed, files = faults + len(said), fixed + made, files + len(part)
            print(
                f"{part[0].parent}: {len(part)} files, {made} fixes ({time.perf_counter() - start:.0f} s)", flush=True
            )
            for each in said:
                print(f"  {each}", flush=True)
    print(f"{files} files, {fixed} fixes, {faults} faults")
    return 1 if faults else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fixes.library_files", description=__doc__)
    parser.add_argument("packages", nargs="+", metavar="PACKAGE", help="a package, or a folder in one")
    parser.add_argument("--python", type=Path, required=True, metavar="PY", help="has the packages")
    parser.add_argument(
        "--work", type=Path, default=Path("build/fixes-all"), metavar="DIR", help="where copies are made"
    )
    return parser


def _parts(top: Path) -> Iterator[list[Path]]:
    """The files below ``top``, some at a time, those of one folder together."""
    part: list[Path] = []
    for folder in sorted({path.parent for path in top.rglob("*.py")}):
        files = sorted(folder.glob("*.py"))
        if part and len(part) + len(files) > MOST:
            yield part
            part = []
        part += files
    if part:
        yield part


def _part(files: Sequence[Path], config: Config) -> tuple[int, list[str]]:
    """Fix some files and look at them; the number of fixes and what is wrong."""
    wrong: list[str] = []
    try:
        first = fix(Request(tuple(files)), config, _any)
        wrong += _look(first)
        for path in first.changed:
            replace_file(first.originals[path], first.texts[path])
        if first.changed:
            again = fix(Request(tuple(files)), config, _any)
            wrong += [f"{each.key.path}:{each.key.line}: fixed again: {each.fix.title}" for each in again.applied]
    except Exception:
        return 0, [f"{files[0].parent}: {traceback.format_exc()}"]
    return len(first.applied), wrong


def _look(fixed: Fixed) -> Iterator[str]:
    for path in fixed.changed:
        try:
            ast.parse(fixed.texts[path])
        except SyntaxError as error:
            yield f"{path}: {error}"
    for error in fixed.outcome.report.errors:
        if "internal error" in error.message:
            yield f"{error.path}:{error.line}: {error.message}"


def _any(finding: Finding, each: Fix, key: Key) -> bool:
    """What ``--fix --unsafe-fixes`` takes."""
    return each.applicability in ("safe", "unsafe")


if __name__ == "__main__":
    sys.exit(main())
