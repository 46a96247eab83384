"""Check the structure of the code base.

Each check has a number of known offences in ``baseline.json``, which may only fall: the command fails if a check finds
more, and then prints all that it finds. A check that is not in the file may find none.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from pathlib import Path

from tools.structure.checks import CHECKS
from tools.structure.sources import read

ROOT = Path(__file__).parents[2]
BASELINE = Path(__file__).with_name("baseline.json")


def main(arguments: list[str] | None = None) -> int:
    """Run the checks; return 1 if one of them finds more than the baseline has."""
    parser = _parser()
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.checks) - CHECKS.keys())
    if unknown:
        parser.error(f"unknown check {unknown[0]!r}")
    gc.disable()  # Millions of syntax nodes, all of them kept to the end: collection would only cost time.
    sources = read(ROOT)
    found = {name: sorted(CHECKS[name](sources)) for name in options.checks or CHECKS}
    counts = {name: len(offences) for name, offences in found.items()}
    baseline: dict[str, int] = json.loads(BASELINE.read_text(encoding="utf-8"))
    risen = {name for name, count in counts.items() if count > baseline.get(name, 0)}
    for name, offences in found.items():
        if options.list or name in risen:
            print(*(f"{offence} [{name}]" for offence in offences), sep="\n", end="\n" if offences else "")
    if options.lower:
        lowered = {name: min(number, counts.get(name, number)) for name, number in baseline.items()}
        baseline = {name: number for name, number in lowered.items() if number}
        BASELINE.write_text(json.dumps(baseline, indent=2) + "\n", encoding="utf-8")
    for name, count in counts.items():
        if count or name in baseline:
            print(f"{name}: {count}{_verdict(count, baseline.get(name, 0))}")
    return 1 if risen else 0


def _parser() -> argparse.ArgumentParser:
    checks = "\n".join(f"  {name:<19} {(check.__doc__ or '').splitlines()[0]}" for name, check in CHECKS.items())
    parser = argparse.ArgumentParser(
        "python -m tools.structure",
        description=__doc__,
        epilog=f"checks:\n{checks}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("checks", nargs="*", metavar="CHECK", help="default: all")
    parser.add_argument("--list", action="store_true", help="print each offence, also the known ones")
    parser.add_argument("--lower", action="store_true", help="write the numbers that fell into the baseline")
    return parser


def _verdict(count: int, known: int) -> str:
    if count > known:
        return f", more than the {known} of the baseline"
    return f", fewer than the {known} of the baseline: lower it with --lower" if count < known else ""


if __name__ == "__main__":
    sys.exit(main())
