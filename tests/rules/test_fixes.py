"""Fixes give the promised text, byte for byte; Dynamo finds no break in it, and it behaves like the code before."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from gblint.config.settings import Config
from gblint.fix.fixed_point import fix_files
from gblint.pipeline.lint import LintRequest
from gblint.rules import FixExample, Rule, all_rules
from tests.oracle.dynamo import observed_fixes
from tests.oracle.examples import fixes_of
from tests.oracle.linter import TORCH, compiles_itself, entry

CASES = {
    f"{rule.code}-{rule.name}-{number}": (rule, example)
    for rule in all_rules()
    for number, example in enumerate(fixes_of(rule))
}


@pytest.fixture(scope="session")
def observed(request: pytest.FixtureRequest) -> dict[str, dict[str, Any]]:
    """Return the verdict of Dynamo on each fix of this session; all run in one batch."""
    pytest.importorskip("torch")
    items = (i for i in request.session.items if isinstance(i, pytest.Function) and "observed" in i.fixturenames)
    names = [item.callspec.params["name"] for item in items]
    examples = [CASES[name][1] for name in names]
    jobs = [{"before": e.before, "after": e.after, "calls": list(e.calls), "safe": e.safe} for e in examples]
    return dict(zip(names, observed_fixes(jobs), strict=True))


def fixed(source: str, rule: Rule, example: FixExample, folder: Path) -> str:
    """``source`` after gblint has fixed it."""
    path = folder / "example.py"
    path.write_text(source, encoding="utf-8")
    entries = () if compiles_itself(source) else (f"example:{entry(source)}",)
    fixes = {rule.code: example.choice} if example.choice else {}
    config = Config(folder).with_values(fixes=fixes, torch_version=TORCH)
    wanted = ("safe",) if example.safe else ("safe", "unsafe")
    result = fix_files(
        LintRequest((path,), entries=entries), config, lambda finding, each, key: each.applicability in wanted
    )
    assert not result.problems
    return next(iter(result.texts.values()), source)


@pytest.mark.parametrize("name", CASES)
def test_the_fix_is_as_promised(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text after the fix, to the last byte; a second run changes nothing; an unsafe fix is not made unasked."""
    monkeypatch.chdir(tmp_path)
    rule, example = CASES[name]
    assert fixed(example.before, rule, example, tmp_path) == example.after
    assert fixed(example.after, rule, example, tmp_path) == example.after
    if not example.safe:
        safely = FixExample(example.before, example.before, choice=example.choice)
        assert fixed(example.before, rule, safely, tmp_path) != example.after


@pytest.mark.parametrize("name", CASES)
@pytest.mark.slow
def test_dynamo_agrees(name: str, observed: dict[str, dict[str, Any]]) -> None:
    """No break is left, and results, gradients and exceptions are the same, compiled or not."""
    left = [[line, ids] for line, ids in observed[name]["breaks"] if not set(ids) <= set(CASES[name][1].allowed)]
    assert {**observed[name], "breaks": left} == {"breaks": [], "differs": None}


def test_every_recipe_is_there_and_shown() -> None:
    """Each recipe that a rule names exists, and makes the fix of at least one example of that rule."""
    for rule in all_rules():
        for recipe in rule.recipes:
            module, _, function = recipe.rpartition(".")
            assert callable(getattr(importlib.import_module(f"gblint.fix.recipes.{module}"), function))
        shown = {example.choice or rule.fix_names[0] for example in fixes_of(rule)}
        assert shown >= set(rule.fix_names), f"{rule.code} shows no fix by {set(rule.fix_names) - shown}"
