"""Fix many generated programs, and compare their behaviour before and after.

``python -m benchmarks.fixes.programs --count 2000`` makes the safe fixes in that many programs, and runs the changed
programs before and after, without compilation.  Then it makes all fixes and checks only the texts.  With ``--verify``
it makes the fixes that a verification passes instead, and runs the changed programs with its inputs.
"""

from __future__ import annotations

import argparse
import atexit
import difflib
import os
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gblint.config.settings import Config
from gblint.confirm import planning
from gblint.confirm.jobs import Job, Result, Target
from gblint.confirm.planning import RunOptions
from gblint.confirm.result_snapshot import take_snapshot
from gblint.confirm.run import supervisors
from gblint.confirm.variants import OTHER_KINDS, VARIANTS, apply_variant
from gblint.fix.trial_runs import TrialSetup
from gblint.fix.verify import verify
from gblint.pipeline.lint import LintRequest
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


@dataclass(frozen=True)
class Verified:
    """The result of a verification of all fixes of one program.

    * ``source``, ``after``: the text before and with the fixes that hold.
    * ``inputs``: the inputs with which the verification has called both, as expressions; none if it could not.
    * ``tried``, ``held``: the numbers of fixes.
    """

    number: int
    source: str
    after: str
    inputs: tuple[dict[str, str], ...] = ()
    tried: int = 0
    held: int = 0


def verify_program(number: int) -> Verified:
    """Verify the fixes of the program of this number, with the first of its inputs that does not raise."""
    made = program(number)
    running = (each for each in made.inputs if _runs(made.source, each))
    return _verified(number, made.source, next(running, made.inputs[0]))


def _runs(source: str, inputs: Mapping[str, str]) -> bool:
    """Return whether a program runs with these inputs, without compilation and with a backward pass."""
    names: dict[str, Any] = {}
    exec(compile(source, "<program>", "exec"), names)
    arguments = [eval(text, names) for text in inputs.values()]
    return "exception" not in take_snapshot(lambda: names["f"](*arguments), (arguments, {}), None, backward=True)


def _verified(number: int, source: str, inputs: dict[str, str]) -> Verified:
    path, entry = Path(f"example_{number}.py"), f"example_{number}:f"
    path.write_text(source, encoding="utf-8")
    request = LintRequest((path,), entries=(entry,))
    config = Config(Path.cwd()).with_values(torch_version="2.13", python=sys.executable)
    options = RunOptions(device="cpu", backend="eager", seconds=120)
    target = Target("entry", entry, inputs=f"({', '.join(inputs.values())})")
    done = verify(
        request,
        config,
        lambda finding, fix, key: fix.applicability in ("safe", "unsafe"),
        TrialSetup(options, [target], _run_jobs),
    )
    held = sum(verdict.kind == "holds" for _, verdict in done.verdicts.values())
    passes = done.entries[0].before.passes if done.entries else []
    names = passes[0].inputs if passes and not passes[0].error else ()
    after = next(iter(done.fixed.texts.values()), source)
    return Verified(number, source, after, tuple(_varied(inputs, each) for each in names), len(done.verdicts), held)


def _run_jobs(jobs: list[Job]) -> list[Result]:
    with ThreadPoolExecutor(1) as pool:
        return planning.run_all(jobs, pool)


def _varied(inputs: dict[str, str], name: str) -> dict[str, str]:
    """Return the inputs as the variant of this name changes them, as expressions."""
    change = "__import__('benchmarks.fixes.programs', fromlist=['changed']).changed"
    return {each: f"{change}({name!r}, {text})" if each in "xy" else text for each, text in inputs.items()}


def changed(name: str, argument: Any) -> Any:
    """Return an argument as the variant of this name changes it."""
    return apply_variant(next(each for each in (*VARIANTS, *OTHER_KINDS) if each.name == name), argument)


def differences_of_verified(programs: Sequence[Verified]) -> dict[int, str]:
    """Return the first difference that the fixes that hold make to each of the programs, by their numbers."""
    made = [each for each in programs if each.after != each.source]
    jobs: list[dict[str, Any]] = [
        {
            "before": each.source,
            "after": each.after,
            "inputs": list(each.inputs),
            "call": CALL,
            "eager": True,
            "exact": False,
        }
        for each in made
    ]
    answers = observed_meanings(jobs)
    return {each.number: answer["differs"] for each, answer in zip(made, answers, strict=True) if answer["differs"]}


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
    parser.add_argument("--verify", action="store_true", help="make the fixes that a verification passes instead")
    options = parser.parse_args(arguments)
    if options.verify:
        return _verify_all(range(options.first, options.first + options.count), options.jobs, options.show)
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


def _verify_all(numbers: Sequence[int], several: int, show: bool) -> int:
    """Verify the programs, compare those with fixes that hold, and return the exit status."""
    os.environ["OMP_NUM_THREADS"] = "1"
    counts = Counter[str]()
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(several, None, _work_in, (folder,)) as pool:
        for start in range(0, len(numbers), 10):
            found = list(pool.map(verify_program, numbers[start : start + 10]))
            differs = differences_of_verified(found)
            for each in found:
                if each.number in differs:
                    print(f"program {each.number}: {differs[each.number]}")
                if each.number in differs or (show and each.after != each.source):
                    print(_diff(each.source, each.after), end="\n\n")
            counts["programs"] += len(found)
            counts["with fixes"] += sum(each.tried > 0 for each in found)
            counts["that could be run"] += sum(bool(each.inputs) for each in found)
            counts["changed"] += sum(each.after != each.source for each in found)
            counts["fixes tried"] += sum(each.tried for each in found)
            counts["fixes that hold"] += sum(each.held for each in found)
            counts["different"] += len(differs)
            print(", ".join(f"{count} {name}" for name, count in counts.items()), flush=True)
    return 1 if counts["different"] else 0


def _work_in(folder: str) -> None:
    """Make a process write its programs into a folder, and keep one forker for all."""
    os.chdir(folder)
    kept = supervisors.forkers()
    kept.__enter__()
    atexit.register(kept.__exit__, None, None, None)


if __name__ == "__main__":
    sys.exit(main())
