"""Runs of the examples of the rules under Dynamo of other torch versions.

    python tests/oracle/versions.py [PYTHON] [--record]

runs every example with the torch of the interpreter ``PYTHON``, and prints those with another outcome than with torch
2.13, for which the examples are written. Without ``PYTHON`` it compares gblint with the outcomes in ``versions.json``.
With ``--record`` it writes them to this file, which the tests read.  The file names an example by a digest of its text;
an example that was changed afterwards is not in it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from gblint.knowledge.versions import release
from gblint.rules import Example, Rule, all_rules
from tests.oracle.dynamo import Verdict, job_of, verdicts_on
from tests.oracle.examples import examples_of
from tests.oracle.linter import findings
from tests.oracle.marks import Breaks, marked

RECORD = Path(__file__).with_name("versions.json")
# Errors of an example that uses a name or package that this version or environment does not have.
_NOT_THERE = re.compile(r"ModuleNotFoundError|ImportError|AttributeError: (module 'torch|torch\.|.*_dynamo)")
_ASK = "import sys, torch; print(torch.__version__, '%d.%d' % sys.version_info[:2])"


@dataclass(frozen=True)
class Recorded:
    """The results of one version of torch on the examples.

    same: the digests of the examples with the outcome that is marked in them.
    differs: the breaks in the other examples.
    unsaid: the digests of the examples for which gblint does not report the outcome.
    """

    torch: str
    same: frozenset[str]
    differs: dict[str, Breaks]
    unsaid: frozenset[str]

    def expected(self, example: Example) -> Breaks | None:
        """Return the breaks of this version in an example; None if the example was not run."""
        key = digest(example)
        return marked(example.source) if key in self.same else self.differs.get(key)


def digest(example: Example) -> str:
    """Return the digest that identifies an example."""
    text = "\0".join((example.source, example.inputs, *example.calls))
    return hashlib.sha1(text.encode()).hexdigest()[:8]


def recorded() -> dict[str, Recorded]:
    """Return the recorded results by minor version."""
    found = {}
    for version, row in json.loads(RECORD.read_text(encoding="utf-8")).items():
        differs = {}
        for key, other in row["differs"].items():
            differs[key] = {int(line): tuple(ids.split()) for line, ids in other["breaks"].items()}
        same, unsaid = (frozenset(row[name].split()) for name in ("same", "unsaid"))
        found[version] = Recorded(row["torch"], same, differs, unsaid)
    return found


def agrees(example: Example, verdict: Verdict) -> bool:
    """Return whether Dynamo's breaks and exception are those that the example shows."""
    expected = marked(example.source)
    if verdict.breaks != expected or (verdict.exception is not None) != example.raises:
        return False
    return bool(expected or example.calls) or verdict.graphs == 1


def says(rule: Rule, example: Example, breaks: Breaks, version: str, folder: Path) -> bool:
    """Return whether gblint flags the lines that broke, with the ids of that version."""
    found: dict[int, set[str]] = {}
    for finding in findings(example.source, folder, (rule.code,) if rule.opt_in else (), version, example.files):
        found.setdefault(finding.span.line, set()).update(finding.gb_ids)
    usual = marked(example.source)
    breaks = {line: ids for line, ids in breaks.items() if line}
    changed = [line for line, ids in breaks.items() if ids and ids != usual.get(line)]
    return set(found) == set(breaks) and all(found[line] & set(breaks[line]) for line in changed)


def compare(record: bool) -> None:
    """Print the examples in which gblint disagrees with a recorded version."""
    saved = json.loads(RECORD.read_text(encoding="utf-8"))
    for version, row in recorded().items():
        unsaid = []
        with tempfile.TemporaryDirectory() as folder:
            for rule, _, example in _examples(version):
                breaks = row.expected(example)
                if breaks is not None and not says(rule, example, breaks, version, Path(folder)):
                    unsaid.append(digest(example))
                    print(f"torch {row.torch}: {rule.code} {digest(example)}: gblint does not say so")
        print(f"torch {row.torch}: {len(row.same)} as they say, {len(row.differs)} otherwise, {len(unsaid)} unsaid")
        saved[version]["unsaid"] = " ".join(sorted(unsaid))
    if record:
        RECORD.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")


def _examples(version: str) -> list[tuple[Rule, str, Example]]:
    """Return the examples that are valid for a version, each with its rule and its kind (``BREAKS`` or ``CLEAN``)."""
    return [
        (rule, kind, example)
        for rule in all_rules()
        for kind in ("BREAKS", "CLEAN")
        for example in examples_of(rule, kind)
        if example.is_valid_for(version)
    ]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Run the examples of the rules under another torch.")
    parser.add_argument("python", nargs="?", help="an interpreter that has torch, numpy, pillow and tqdm")
    parser.add_argument("--record", action="store_true", help=f"write the answers to {RECORD.name}")
    arguments = parser.parse_args()
    if arguments.python is None:
        compare(arguments.record)
        return
    asked = subprocess.run([arguments.python, "-c", _ASK], capture_output=True, text=True, check=True)
    torch, python = asked.stdout.split()
    version = ".".join(torch.split(".")[:2])
    major, minor = map(int, python.split(".")[:2])
    examples = [found for found in _examples(version) if found[2].is_valid_on((major, minor))]
    jobs = [job_of(example) for _, _, example in examples]
    answers = verdicts_on(jobs, arguments.python)
    same, differs, unsaid = [], {}, []
    with tempfile.TemporaryDirectory() as folder:
        for (rule, kind, example), verdict in zip(examples, answers, strict=True):
            if not verdict.breaks and _NOT_THERE.match(verdict.exception or ""):
                print(f"{rule.code} {digest(example)} not run: {verdict.exception}")
                continue
            if not verdict.breaks and verdict.exception is None and verdict.graphs != 1 and not example.calls:
                print(f"{rule.code} {digest(example)} gave {verdict.graphs} graphs, but no break")
                continue
            if agrees(example, verdict):
                same.append(digest(example))
            else:
                differs[digest(example)] = _row(rule.code, verdict)
                _show(rule.code, kind, example, verdict)
            if not says(rule, example, verdict.breaks, version, Path(folder)):
                unsaid.append(digest(example))
                print(f"{rule.code} {digest(example)}: gblint does not say so")
    print(f"torch {torch}: {len(same)} examples as they say, {len(differs)} otherwise, {len(unsaid)} unsaid by gblint")
    if arguments.record:
        known = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
        texts = {"same": " ".join(sorted(same)), "unsaid": " ".join(sorted(unsaid))}
        known[version] = {"torch": torch, **texts, "differs": dict(sorted(differs.items()))}
        ordered = sorted(known.items(), key=lambda row: release(row[0]))
        RECORD.write_text(json.dumps(dict(ordered), indent=1) + "\n", encoding="utf-8")


def _row(code: str, verdict: Verdict) -> dict[str, Any]:
    breaks = {str(line): " ".join(ids) for line, ids in verdict.breaks.items()}
    return {"rule": code, "breaks": breaks, "raises": verdict.exception is not None}


def _show(code: str, kind: str, example: Example, verdict: Verdict) -> None:
    expected = marked(example.source)
    print(f"\n{code} {kind} {digest(example)} graphs={verdict.graphs} {verdict.exception or ''}"[:400])
    for number, line in enumerate(example.source.splitlines(), 1):
        if number in verdict.breaks or number in expected:
            print(f"  {number}: {line.strip()}  ->  {' '.join(verdict.breaks.get(number, ('traced',))) or 'no id'}")
    for number in verdict.breaks:
        if not 0 < number <= len(example.source.splitlines()):
            print(f"  {number}: (outside the example)  ->  {' '.join(verdict.breaks[number])}")


if __name__ == "__main__":
    main()
