"""Runs of Dynamo on the facts about callables: the snippets of ``tests/knowledge/facts.txt``, one for each fact.

    python tests/oracle/facts.py PYTHON [--record]

runs every snippet with the torch of the interpreter ``PYTHON``, and prints the differences from the data of that
version.  With ``--record`` the differences become the ``facts`` of ``overlay-V.json``. The rest of that file is written
by hand; its entry ``by_hand`` has facts that no snippet shows, and that win over the recorded ones.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from gblint.knowledge.catalog import Knowledge
from gblint.knowledge.facts import Fact
from tools.knowledge.build import SOURCES, contents, grouped, write

SNIPPETS = Path(__file__).parents[1] / "knowledge"
FALLOUT = {"GB7000", "GB0066", "GB0091", "GB0092", "GB8335"}

Outcome = dict[str, Any]
Facts = dict[str, dict[str, Fact]]


def outcomes(python: str) -> list[Outcome]:
    """Run Dynamo of an interpreter on each snippet whose modules are installed there."""
    script, snippets = str(SNIPPETS / "run_snippets.py"), str(SNIPPETS / "facts.txt")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [python, "-W", "ignore", script, snippets], cwd=folder, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def look_up(known: Knowledge, section: str, name: str) -> Fact | None:
    """The fact about the subject of a snippet."""
    if section == "functions":
        return known.function(name) or known.class_(name)
    return getattr(known, section.removesuffix("s"))(name)  # type: ignore[no-any-return]


def subject(outcome: Outcome) -> tuple[str, str, str]:
    """Section, name and condition: the head of a snippet is ``section name`` or ``section name#condition``."""
    section, _, rest = outcome["head"].partition(" ")
    name, _, condition = rest.partition("#")
    return section, name, condition


def disagreement(known: Knowledge, outcome: Outcome) -> str | None:
    """Return the error in the fact about one snippet, None if it is right."""
    section, name, condition = subject(outcome)
    fact = look_up(known, section, name)
    if fact is None:
        return "nothing is known"
    default, full = outcome["default"], outcome["fullgraph"]
    given = {*default["ids"], *full["ids"]}
    if not (fact.breaks and fact.when in ("", condition)):
        return None if _clean(outcome) else f"it breaks: {default}"
    if _clean(outcome):
        return f"{fact} but Dynamo traces it"
    if fact.gb_ids and not given & set(fact.gb_ids):
        return f"{fact} but Dynamo gave {sorted(given)}"
    if not fact.gb_ids and given and fact.effect != "error":
        return f"{fact} but Dynamo gave {sorted(given)}"
    if fact.effect == "break" and not full["ids"] and not full["error"]:
        return f"{fact} but fullgraph captures it"
    captured = known.event("fullgraph", "captures") is None
    if fact.effect == "dynamic-shape" and captured and set(full["ids"]) & set(fact.gb_ids):
        return f"{fact} but fullgraph does not capture it"
    return None


def _clean(outcome: Outcome) -> bool:
    default = outcome["default"]
    return not default["ids"] and not default["error"] and default["graphs"] == 1


def seen(known: Knowledge, outcome: Outcome) -> Fact:
    """The fact that an outcome shows."""
    section, name, condition = subject(outcome)
    fact = look_up(known, section, name)
    returns = fact.returns if fact is not None else "unknown"
    if _clean(outcome):
        return Fact("graph" if section != "functions" or name.startswith(("torch.", "numpy.")) else "fold", (), returns)
    default, full = outcome["default"], outcome["fullgraph"]
    ids = tuple(gb_id for gb_id in default["ids"] or full["ids"] if gb_id not in FALLOUT)
    when = condition if fact is not None and fact.when == condition else ""
    if default["error"]:
        return Fact("error", ids, returns, when)
    if full["ids"] or full["error"]:
        return Fact("break", ids, returns, when)
    return Fact("dynamic-shape" if ids == ("GB0036",) else "data-dependent", ids, returns, when)


def differences(version: str, found: list[Outcome]) -> Facts:
    """Return the facts in which a version differs from those that it would have without measurements."""
    known = Knowledge(contents(version, own_facts=False))
    classes = known.names("classes")
    facts: Facts = {}
    for outcome in found:
        section, name, _ = subject(outcome)
        why = disagreement(known, outcome)
        if why is not None:
            kind = "classes" if section == "functions" and name in classes else section
            facts.setdefault(kind, {}).setdefault(name, seen(known, outcome))
            print(f"{outcome['head']}: {why[:160]}")
    return facts


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Compare the data of a version of torch with that torch.")
    parser.add_argument("python", help="an interpreter that has torch, numpy, pillow and tqdm")
    parser.add_argument("--record", action="store_true", help="write the differences to the overlay of that version")
    arguments = parser.parse_args()
    ask = "import torch; print('.'.join(torch.__version__.split('.')[:2]))"
    version = subprocess.run([arguments.python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip()
    path = SOURCES / f"overlay-{version}.json"
    if not path.is_file():
        sys.exit(f"there is no {path}: begin it with the version, its base, and empty facts")
    facts = differences(version, outcomes(arguments.python))
    print(f"torch {version}: {sum(map(len, facts.values()))} facts of its own")
    if arguments.record:
        overlay = json.loads(path.read_text(encoding="utf-8"))
        overlay["facts"] = {section: grouped(section, facts[section]) for section in sorted(facts)}
        write(path, overlay)


if __name__ == "__main__":
    main()
