"""Compare the findings on fixed sources, byte for byte, with those of an earlier run.

A set is a fixed source: the examples of the rules, the demo, the corpora of the tests, a whole installed package, or
the entry points of a file of recorded graph breaks.  ``digests.json`` has one digest for each set.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.oracle.examples import cases

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DIGESTS = HERE / "digests.json"
TORCH = "2.13"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0; 1 if a set differs from its digest; 2 if gblint failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.frozen", description=__doc__)
    parser.add_argument("--python", type=Path, metavar="PY", help="interpreter that has the packages to lint")
    parser.add_argument("--package", action="append", default=[], metavar="NAME", help="lint this whole package")
    parser.add_argument("--truth", nargs="+", type=Path, default=[], metavar="FILE", help="lint these entry points")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the findings of each set into this folder")
    parser.add_argument("--only", action="append", metavar="SET", help="only these sets")
    parser.add_argument("--update", action="store_true", help="store the digests of this run")
    options = parser.parse_args(arguments)
    if (options.package or options.truth) and options.python is None:
        parser.error("--package and --truth need --python")
    known = json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.is_file() else {}
    changed = []
    for name, text in _sets(options):
        digest = hashlib.sha256(text.encode()).hexdigest()
        verdict = "new" if name not in known else "same" if known[name] == digest else "CHANGED"
        print(f"{name:28} {text.count(chr(10)):8} lines  {digest[:16]}  {verdict}", flush=True)
        if options.keep is not None:
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{name}.json").write_text(text, encoding="utf-8")
        if verdict == "CHANGED":
            changed.append(name)
        known[name] = digest if options.update else known.get(name, digest)
    if options.update:
        DIGESTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return 0
    return 1 if changed else 0


def _sets(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Each set with the text of its findings."""

    def wanted(name: str) -> bool:
        return not options.only or name in options.only

    if wanted("rules"):
        yield "rules", _of_rules()
    for name, place in (("demo", "examples/demo"), ("corpora", "tests/corpus")):
        if wanted(name):
            yield name, _check(ROOT, ["--min-confidence=possible", "--select=ALL", place])
    if options.python is None:
        return
    site = _site_packages(options.python)
    for package in options.package:
        if wanted(package):
            yield package, _check(site, [f"--python={options.python.absolute()}", "--min-confidence=possible", package])
    for path in options.truth:
        if wanted(path.stem):
            yield path.stem, _of_truth(path, options.python, site)


def _of_rules() -> str:
    """The findings in every example of every rule; independent of the order and the place of the examples."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in cases():
            select = case.rule.code if case.rule.opt_in else ""
            files = (("example.py", case.example.source), *case.example.files)
            key = hashlib.sha256(json.dumps([select, files]).encode()).hexdigest()[:16]
            place = folder / key
            place.mkdir(exist_ok=True)
            for file, text in files:
                (place / file).write_text(text, encoding="utf-8")
            (place / "select").write_text(select, encoding="utf-8")
        return "".join(_of_example(place) for place in sorted(folder.iterdir()))


def _of_example(place: Path) -> str:
    from gblint.cli.main import run

    select = (place / "select").read_text(encoding="utf-8")
    options = [f"--extend-select={select}"] if select else []
    source = (place / "example.py").read_text(encoding="utf-8")
    if "torch.compile" not in source and "torch._dynamo.optimize" not in source and "export" not in source:
        options.append(f"--entry=example:{'Net' if 'class Net' in source else 'f'}")
    out = place / "report.json"
    before = Path.cwd()
    os.chdir(place)
    try:
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
            run(_command(out, [*options, "example.py"])[3:])
    finally:
        os.chdir(before)
    return f"{place.name}\n{_canonical(out, ())}"


def _of_truth(path: Path, python: Path, site: Path) -> str:
    entries = sorted({record["entry"] for record in map(json.loads, path.read_text(encoding="utf-8").splitlines())})
    packages = sorted({entry.partition(":")[0].partition(".")[0] for entry in entries})
    with tempfile.TemporaryDirectory() as name:
        listed = Path(name, "entries.txt")
        listed.write_text("\n".join(entries) + "\n", encoding="utf-8")
        options = [f"--python={python.absolute()}", f"--follow={','.join(packages)}", f"--entries-file={listed}"]
        return _check(Path(name), [*options, "--min-confidence=possible"], (str(site), str(Path(name).resolve())))


def _check(folder: Path, options: Sequence[str], prefixes: Sequence[str] = ()) -> str:
    with tempfile.TemporaryDirectory() as name:
        out = Path(name, "report.json")
        run = subprocess.run(_command(out, options), cwd=folder, stderr=subprocess.PIPE, text=True)
        if not out.is_file():
            print(run.stderr, file=sys.stderr)
            raise SystemExit(2)
        return _canonical(out, prefixes)


def _command(out: Path, options: Sequence[str]) -> list[str]:
    command = [sys.executable, "-m", "gblint", "check", "--no-cache", "--exit-zero", "--output-format=json"]
    return [*command, f"--torch-version={TORCH}", f"--output-file={out}", *options]


def _canonical(out: Path, prefixes: Sequence[str]) -> str:
    text = out.read_text(encoding="utf-8")
    for prefix in prefixes:
        text = text.replace(prefix, "")
    report: dict[str, Any] = json.loads(text)
    return json.dumps(report, indent=1, sort_keys=True) + "\n"


def _site_packages(python: Path) -> Path:
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(subprocess.run([python, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout.strip())


if __name__ == "__main__":
    sys.exit(main())
