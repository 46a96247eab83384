"""The commands in the documentation work as described."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "confirm.md"
NET = """\
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        y = self.linear(x)
        if y.sum() > 0:
            y = y + 1
        return y
"""


def commands() -> list[list[str]]:
    return [shlex.split(line)[1:] for line in re.findall(r"^\$ (gblint .*)$", PAGE.read_text(), re.MULTILINE)]


def test_dynamo_agrees_with_what_the_page_shows(
    gblint: Callable[..., Any], project: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    project({"net.py": NET})
    (entry,) = (each for each in commands() if "--entry" in each)
    assert gblint(*entry).status == 1
    (check,) = (each for each in commands() if each[0] == "check" and "concise" in each)
    shown = PAGE.read_text().partition("$ gblint check --output-format concise\n")[2].partition("$ ")[0]
    assert gblint(*check).out == shown
    assert gblint("check", "--confirmed-only").status == 1


def test_every_command_is_valid(gblint: Callable[..., Any], project: Callable[..., Path]) -> None:
    from gblint.cli.confirm import confirm

    known = {name for parameter in confirm.params for name in (*parameter.opts, *parameter.secondary_opts)}
    for command in commands():
        own = command[: command.index("--")] if "--" in command else command
        if command[0] == "confirm":
            assert {each for each in own if each.startswith("-")} <= known


def test_every_option_is_documented() -> None:
    from gblint.cli.check import check
    from gblint.cli.confirm import confirm

    shared = {parameter.name for parameter in check.params}
    page = PAGE.read_text() + PAGE.with_name("fleet.md").read_text()
    for parameter in confirm.params:
        if parameter.name not in shared:
            assert any(name in page for name in parameter.opts), parameter.name
