"""Records how Dynamo continues after each break in the corpus: ``python -m tests.oracle.record``.

The record of a function has the number of graphs that a second call runs, and three properties of each break: its line
(counted from the ``def``, or from the beginning of the snippet), the function that Dynamo was compiling, and whether
that function resumes.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parents[1] / "corpus"
SNIPPETS = CORPUS / "consequences.txt"
RECORD = CORPUS / "consequences.json"
# Shapes of the arguments for the functions of ``verified``: the first one with the noted outcome is used.
SHAPES = ("4", "3, 4")
_ARGUMENTS = {"np.ndarray": "np.abs(np.random.randn(4)).astype('float32')", "torch.Generator": "torch.Generator()"}


@dataclass(frozen=True)
class Job:
    """One function to run; ``breaks`` is whether it is known to break, None if that is not known."""

    name: str
    source: str
    inputs: str
    line: int = 0
    breaks: bool | None = None


def snippets() -> Iterator[Job]:
    """Yield the snippets of ``consequences.txt``."""
    parts = re.split(r"^=== (\w+)\n", SNIPPETS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for name, source in zip(parts[::2], parts[1::2], strict=True):
        yield Job(name, "import torch\n" + source, "(torch.randn(4),)")


def verified(shape: str) -> Iterator[Job]:
    """Yield the functions of the corpus ``verified``, each in its module without the others."""
    for path in sorted((CORPUS / "verified").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        cases = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name.startswith("case_")]
        for case in cases:
            lines = text.splitlines()
            breaks = lines[case.decorator_list[0].lineno - 2] == "# breaks"
            for other in cases:
                if other is not case:
                    span = slice(other.decorator_list[0].lineno - 1, other.end_lineno)
                    lines[span] = [""] * len(lines[span])
            given = case.args.args[: len(case.args.args) - len(case.args.defaults)]
            kinds = [ast.unparse(a.annotation) if a.annotation else "" for a in given]
            values = ["3" if kind == "int" else _ARGUMENTS.get(kind, f"torch.randn({shape})") for kind in kinds]
            source = "\n".join([*lines, f"f = {case.name}", ""])
            yield Job(case.name, source, f"({''.join(value + ', ' for value in values)})", case.lineno, breaks)


def answers(jobs: Sequence[Job]) -> list[dict[str, Any] | None]:
    """Return the result of Dynamo for each job, None if the worker did not survive it."""
    found: list[dict[str, Any] | None] = []
    worker = Path(__file__).with_name("worker.py")
    while len(found) < len(jobs):
        given = [{"source": j.source, "inputs": j.inputs, "again": True} for j in jobs[len(found) :]]
        command = [sys.executable, "-W", "ignore", str(worker)]
        done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False)
        if not done.stdout and "ModuleNotFoundError" in done.stderr:
            raise RuntimeError(done.stderr)
        found += [json.loads(line) for line in done.stdout.splitlines()]
        if len(found) < len(jobs):
            found.append(None)
    return found


def recorded(job: Job, answer: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the record of an answer; None if the function did not run, or broke where it should not."""
    if answer is None or answer["executed"] is None:
        return None
    if job.breaks is not None and bool(answer["breaks"]) != job.breaks:
        return None
    handled = [[line - job.line, frame, how] for line, frame, how in answer["handled"] if line]
    return {"graphs": answer["executed"], "handled": handled}


def main() -> None:
    """Run everything and write the record; with the argument ``snippets`` run only these and keep the rest."""
    parser = argparse.ArgumentParser("python -m tests.oracle.record", description="Record Dynamo on the corpus.")
    parser.add_argument("part", nargs="?", choices=["snippets"], help="record only these (default: everything)")
    part_only = parser.parse_args().part
    record: dict[str, dict[str, Any]] = {"snippets": {}, "verified": {}}
    if part_only:
        record["verified"] = json.loads(RECORD.read_text(encoding="utf-8"))["verified"]
    _run(list(snippets()), record["snippets"])
    if not record["snippets"]:
        raise SystemExit("no snippet could be run: is torch installed?")
    for shape in SHAPES if not part_only else ():
        _run([job for job in verified(shape) if job.name not in record["verified"]], record["verified"])
    parts = [
        f'"{part}": {{\n' + ",\n".join(f'"{name}": {json.dumps(kept)}' for name, kept in sorted(found.items())) + "\n}"
        for part, found in record.items()
    ]
    RECORD.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")


def _run(jobs: Sequence[Job], into: dict[str, Any]) -> None:
    for job, answer in zip(jobs, answers(jobs), strict=True):
        kept = recorded(job, answer)
        if kept is not None:
            into[job.name] = kept


if __name__ == "__main__":
    main()
