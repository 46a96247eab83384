"""Runs of examples under Dynamo: starts workers, sends them examples, and collects their answers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from gblint.rules import Example
from tests.oracle.forked import Printed, run_script
from tests.oracle.marks import Breaks

WORKERS = 2
_DIED = "the worker died or hung on this example"


@dataclass(frozen=True)
class Verdict:
    """The result of Dynamo for one example."""

    breaks: Breaks
    graphs: int
    operations: int
    exception: str | None
    recompiles: tuple[str, ...] = ()
    differs: str | None = None


Job = Mapping[str, object]


def verdicts(examples: Sequence[tuple[str, str]], python: str = sys.executable) -> list[Verdict]:
    """Run Dynamo on each (source, inputs), in order; ``python`` is the interpreter with the torch to use."""
    return verdicts_on([{"source": source, "inputs": inputs} for source, inputs in examples], python)


def job_of(example: Example) -> Job:
    """Return the job for :mod:`tests.oracle.worker` that runs an example of a rule."""
    files = [list(file) for file in example.files]
    return {"source": example.source, "inputs": example.inputs, "calls": list(example.calls), "files": files}


def verdicts_on(examples: Sequence[Job], python: str = sys.executable) -> list[Verdict]:
    """Run each job in :mod:`tests.oracle.worker` and return the verdicts of Dynamo, in order."""
    dead = {"breaks": [], "graphs": 0, "operations": 0, "exception": _DIED, "recompiles": [], "differs": None}
    return [_verdict(answer) for answer in _in_shares(examples, "worker.py", python, dead)]


def observed_fixes(jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """Run each job in :mod:`tests.oracle.fixes` and return the answers, in order."""
    return _in_shares(jobs, "fixes.py", sys.executable, {"breaks": [], "differs": _DIED})


def observed_meanings(jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """Run each job in :mod:`tests.oracle.meanings` and return the answers, in order."""
    return _in_shares(jobs, "meanings.py", sys.executable, {"differs": _DIED})


def _in_shares(jobs: Sequence[Job], script: str, python: str, dead: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the answers to jobs, computed by several workers; the answer of a worker that died is ``dead``."""
    shares = [jobs[start::WORKERS] for start in range(WORKERS)]
    with ThreadPoolExecutor(WORKERS) as pool:
        answered = list(pool.map(partial(_share, script, python, dead), shares))
    return [answered[index % WORKERS][index // WORKERS] for index in range(len(jobs))]


def _share(script: str, python: str, dead: dict[str, Any], jobs: Sequence[Job]) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = []
    while len(answers) < len(jobs):
        answers += _run(script, python, jobs[len(answers) :])
        if len(answers) < len(jobs):
            answers.append(dead)
    return answers


def _run(script: str, python: str, jobs: Sequence[Job]) -> list[dict[str, Any]]:
    worker, given = Path(__file__).with_name(script), json.dumps(list(jobs))
    if python == sys.executable:
        printed = run_script(worker, given)
    else:
        command = [python, "-W", "ignore", str(worker)]
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
        printed = Printed(done.stdout, done.stderr)
    if not printed.out and "ModuleNotFoundError" in printed.err:
        raise RuntimeError(printed.err)
    return [json.loads(line) for line in printed.out.splitlines()]


def _verdict(answer: dict[str, object]) -> Verdict:
    found: dict[int, set[str]] = {}
    for line, ids in answer["breaks"]:  # type: ignore[attr-defined]
        found.setdefault(line, set()).update(ids)
    # Line 0 stands for library code that runs eagerly after a break and is compiled on its own.
    if len(found) > 1:
        found.pop(0, None)
    breaks = {line: tuple(sorted(ids)) for line, ids in sorted(found.items())}
    recompiles = tuple(f"{line}: {why}" for line, why in answer["recompiles"])  # type: ignore[attr-defined]
    return Verdict(
        breaks,
        answer["graphs"],  # type: ignore[arg-type]
        answer["operations"],  # type: ignore[arg-type]
        answer["exception"],  # type: ignore[arg-type]
        recompiles,
        answer["differs"],  # type: ignore[arg-type]
    )
