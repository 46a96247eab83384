"""Dynamo itself on the facts: every snippet of facts.txt must do what the catalogue says of its subject."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from gblint.knowledge import Fact, Knowledge

HERE = Path(__file__).parent

pytestmark = [pytest.mark.judge, pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What Dynamo did with each snippet whose modules are installed."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "run_snippets.py"), str(HERE / "facts.txt")],
        cwd=tmp_path_factory.mktemp("snippets"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def look_up(known: Knowledge, section: str, name: str) -> Fact | None:
    """The fact about the subject of a snippet."""
    if section == "functions":
        return known.function(name) or known.class_(name)
    return getattr(known, section.removesuffix("s"))(name)  # type: ignore[no-any-return]


def disagreement(known: Knowledge, outcome: dict[str, Any]) -> str | None:
    """What is wrong with the fact about one snippet; its head is ``section name`` or ``section name#condition``."""
    section, _, subject = outcome["head"].partition(" ")
    name, _, condition = subject.partition("#")
    fact = look_up(known, section, name)
    if fact is None:
        return "nothing is known"
    default, full = outcome["default"], outcome["fullgraph"]
    given = {*default["ids"], *full["ids"]}
    holds = fact.breaks and fact.when in ("", condition)
    if not holds:
        clean = not given and not default["error"] and default["graphs"] == 1
        return None if clean else f"it breaks: {default}"
    if fact.gb_ids and not given & set(fact.gb_ids):
        return f"{fact} but Dynamo gave {sorted(given)}"
    if fact.effect == "break" and not full["ids"] and not full["error"]:
        return f"{fact} but fullgraph captures it"
    if fact.effect == "dynamic-shape" and set(full["ids"]) & set(fact.gb_ids):
        return f"{fact} but fullgraph does not capture it"
    return None


def test_facts(known: Knowledge, outcomes: list[dict[str, Any]]) -> None:
    assert len(outcomes) > 800
    wrong = {outcome["head"]: found for outcome in outcomes if (found := disagreement(known, outcome)) is not None}
    assert wrong == {}
