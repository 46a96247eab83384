"""Fix many generated programs, and compare their behaviour before and after.

``python -m benchmarks.fixes.programs --count 2000`` makes the safe fixes in that many programs, and runs the changed
programs before and after, without compilation.  Then it makes all fixes and checks only the texts.
"""

from __future__ import annotations

import argparse
import difflib
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.oracle.dynamo import observed_meanings
from tests.oracle.generated_programs import CALL, program
from tests.oracle.linter import fixed

BATCH = 100


@dataclass(frozen=True)
class Fixed:
    """The result for one program: the text after safe fixes, after all fixes, and what is wrong with the texts."""

    number: int
    source: str
    safe: str
    unsafe: str
    problem: str | None


def fix_program(number: int) -> Fixed:
    """Return the program of this number, fixed."""
    source = program(number).source
    texts = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            for applicabilities in (("safe",), ("safe", "unsafe")):
                result = fixed(source, folder, applicabilities)
                texts.append(next(iter(result.texts.values()), source))
                compile(texts[-1], "<fixed>", "exec")
                told = sorted((each.span.line, each.code) for each in result.outcome.report.findings)
                outcome = fixed(texts[-1], folder, ()).outcome
                again = sorted((each.span.line, each.code) for each in outcome.report.findings)
                if told != again:
                    return Fixed(number, source, source, texts[-1], f"found {told} after the fixes, then {again}")
        except Exception:
            return Fixed(number, source, source, source, traceback.format_exc())
    return Fixed(number, source, *texts, None)


def differences(programs: Sequence[Fixed], compiled: bool = False) -> dict[int, str]:
    """Return the first difference that the safe fixes make to each of the programs, by their numbers."""
    changed = [each for each in programs if each.safe != each.source]
    jobs: list[dict[str, Any]] = [
        {
            "before": each.source,
            "after": each.safe,
            "inputs": list(program(each.number).inputs),
            "call": CALL,
            "eager": not compiled,
        }
        for each in changed
    ]
    answers = observed_meanings(jobs)
    return {each.number: answer["differs"] for each, answer in zip(changed, answers, strict=True) if answer["differs"]}


def _report(each: Fixed, differs: str | None, show: bool) -> None:
    """Print what is wrong with a program; with ``show`` what the safe fixes change, too."""
    if each.problem or differs:
        print(f"program {each.number}: {each.problem or differs}")
    if each.problem or differs or (show and each.safe != each.source):
        print(_diff(each.source, each.unsafe if each.problem else each.safe), end="\n\n")


def _diff(before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", n=30, lineterm="")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fixes.programs", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="how many programs (2000)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one (0)")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes fix them (1)")
    parser.add_argument("--compiled", action="store_true", help="compare the compiled programs as well")
    parser.add_argument("--show", action="store_true", help="print what the safe fixes change")
    options = parser.parse_args(arguments)
    numbers = range(options.first, options.first + options.count)
    counts = Counter[str]()
    with ProcessPoolExecutor(options.jobs) as pool:
        for start in range(0, len(numbers), BATCH):
            found = list(pool.map(fix_program, numbers[start : start + BATCH], chunksize=10))
            differs = differences(found, options.compiled)
            for each in found:
                _report(each, differs.get(each.number), options.show)
            counts["programs"] += len(found)
            counts["changed by safe fixes"] += sum(each.safe != each.source for each in found)
            counts["changed by all fixes"] += sum(each.unsafe != each.source for each in found)
            counts["different after safe fixes"] += len(differs)
            counts["with unsound texts"] += sum(each.problem is not None for each in found)
            print(", ".join(f"{count} {name}" for name, count in counts.items()), flush=True)
    return 1 if counts["different after safe fixes"] or counts["with unsound texts"] else 0


if __name__ == "__main__":
    sys.exit(main())
