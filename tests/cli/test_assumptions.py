"""The notes on what a run assumes and on what comments silence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Gblint = Callable[..., Any]
Write = Callable[[dict[str, str]], Any]

CODE = """\
import torch

@torch.compile
def f(x):
    y = x.item()
    return y + x.sum().item()
"""


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gblint.cli.output.Streams.is_terminal", True)


def assumed(result: Any) -> str:
    return next(line for line in result.err.splitlines() if line.startswith("note: linted for"))


@pytest.mark.usefixtures("terminal")
def test_the_version_of_torch_and_its_origin_are_named(gblint: Gblint, project: Write) -> None:
    project({"a.py": CODE})
    assert assumed(gblint("check", "--torch-version", "2.12")).startswith(
        "note: linted for torch 2.12 (--torch-version); the packages are those of "
    )
    project({"a.py": CODE, "gblint.toml": 'min-confidence = "certain"\ntorch-version = "2.11"\n'})
    found = assumed(gblint("check"))
    assert found.startswith("note: linted for torch 2.11 (gblint.toml:2); the packages are those of ")
    assert found.endswith("; configuration: gblint.toml")


@pytest.mark.usefixtures("terminal")
def test_without_torch_it_is_the_newest_version(gblint: Gblint, project: Write, tmp_path: Any) -> None:
    site = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    (tmp_path / "env" / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.7\n")
    project({"a.py": CODE})
    found = assumed(gblint("check", "--python", str(tmp_path / "env")))
    assert "(the newest known: torch is not installed in " in found


def test_in_a_script_nothing_is_said_about_it(gblint: Gblint, project: Write) -> None:
    project({"a.py": CODE})
    assert "linted for" not in gblint("check").err


def test_what_comments_silence_is_counted(gblint: Gblint, project: Write) -> None:
    project({"a.py": CODE.replace("x.item()", "x.item()  # noqa: GBL101")})
    assert "note: 1 finding silenced by the noqa comment of its line" in gblint("check").err
    project({"a.py": CODE + "# flake8: noqa\n"})
    result = gblint("check")
    assert "note: 2 findings silenced by the comment for the whole file at a.py:7" in result.err
    assert "silenced" not in gblint("check", "--output-format", "json").err
    assert "silenced" not in gblint("check", "--quiet").err
