"""The setting that a finding names removes its break: the program breaks without it and not with it, in Dynamo too."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from gblint.checks.removing_settings import LOGGING
from tests.oracle.dynamo import verdicts
from tests.oracle.linter import findings

HEAD = """import logging
import warnings

import torch

logger = logging.getLogger(__name__)
"""
CALLS = {
    subject: f"{function.replace('logging.Logger', 'logger')}({'20, ' if function.endswith('.log') else ''}'text')"
    for subject, function in LOGGING.items()
}
DATA = {
    "item": "x = x * x.sum().item()",
    "float": "x = x * float(x.sum())",
    "int": "x = x * int(x.sum())",
    "tolist": "x = x * len(x.long().tolist())",
    "slice": "x = x[: x.long().sum()]",
    "mask": "x = x[x > 0]",
    "nonzero": "x = torch.nonzero(x) + 1",
    "unique": "x = torch.unique(x) + 1",
}
BODIES = {**CALLS, **DATA}


def program(name: str, setting: str = "") -> str:
    line = f"torch._dynamo.config.{setting}\n" if setting else ""
    return f"{HEAD}{line}\n\ndef f(x: torch.Tensor):\n    x = x + 1\n    {BODIES[name]}\n    return x * 2\n"


def setting_of(name: str, folder: Path) -> str:
    (found,) = findings(program(name), folder)
    return found.setting


@pytest.mark.parametrize("name", BODIES)
def test_gblint_finds_nothing_under_the_setting(name: str, tmp_path: Path) -> None:
    setting = setting_of(name, tmp_path)
    assert setting
    assert findings(program(name, setting), tmp_path) == []


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """Return the breaks that Dynamo has in each program, without the setting and with it."""
    folder = tmp_path_factory.mktemp("settings")
    programs = [text for name in BODIES for text in (program(name), program(name, setting_of(name, folder)))]
    answers = verdicts([(text, "(torch.ones(3),)") for text in programs])
    return {name: answers[2 * index : 2 * index + 2] for index, name in enumerate(BODIES)}


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.parametrize("name", BODIES)
def test_dynamo_breaks_without_the_setting_only(name: str, broken: dict[str, list[Any]]) -> None:
    without, under = broken[name]
    assert without.breaks and not under.breaks
    assert without.exception is None and under.exception is None


@pytest.mark.parametrize(
    "body", ["x = x * bool(x.sum())", "logger.isEnabledFor(20)", "x = x.numpy()", "print if x.sum() else None"]
)
def test_other_breaks_have_no_such_setting(body: str, tmp_path: Path) -> None:
    source = f"{HEAD}\n\ndef f(x: torch.Tensor):\n    x = x + 1\n    {body}\n    return x\n"
    assert [found.setting for found in findings(source, tmp_path)] in ([""], [])
