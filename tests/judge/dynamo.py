"""Asks Dynamo: starts workers, hands them examples, collects what they say."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gblint.rules import Example
from judge.marks import Breaks

WORKERS = 2


@dataclass(frozen=True)
class Verdict:
    """What Dynamo did with one example."""

    breaks: Breaks
    graphs: int
    operations: int
    exception: str | None
    recompiles: tuple[str, ...] = ()
    differs: str | None = None


Job = Mapping[str, object]


def verdicts(examples: Sequence[tuple[str, str]], python: str = sys.executable) -> list[Verdict]:
    """What Dynamo does with each (source, inputs), in order; ``python`` is the interpreter whose torch is asked."""
    return verdicts_on([{"source": source, "inputs": inputs} for source, inputs in examples], python)


def job_of(example: Example) -> Job:
    """What :mod:`judge.worker` is asked about an example of a rule."""
    files = [list(file) for file in example.files]
    return {"source": example.source, "inputs": example.inputs, "calls": list(example.calls), "files": files}


def verdicts_on(examples: Sequence[Job], python: str = sys.executable) -> list[Verdict]:
    """What Dynamo does with each job of :mod:`judge.worker`, in order."""
    shares = [examples[start::WORKERS] for start in range(WORKERS)]
    with ThreadPoolExecutor(WORKERS) as pool:
        answered = list(pool.map(partial(_share, python), shares))
    return [answered[index % WORKERS][index // WORKERS] for index in range(len(examples))]


def _share(python: str, examples: Sequence[Job]) -> list[Verdict]:
    answers: list[Verdict] = []
    while len(answers) < len(examples):
        answers += _run(python, examples[len(answers) :])
        if len(answers) < len(examples):
            answers.append(Verdict({}, 0, 0, "the worker died or hung on this example"))
    return answers


def _run(python: str, jobs: Sequence[Job]) -> list[Verdict]:
    worker = Path(__file__).with_name("worker.py")
    done = subprocess.run(
        [python, "-W", "ignore", str(worker)],
        input=json.dumps(list(jobs)),
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.stdout and "ModuleNotFoundError" in done.stderr:
        raise RuntimeError(done.stderr)
    return [_verdict(json.loads(line)) for line in done.stdout.splitlines()]


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
