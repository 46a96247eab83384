"""Linting a hostile project runs none of it, writes nothing outside of it, and cannot play with the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BREAKS = """\
import torch

@torch.compile
def f(x):
    print("a")
    return x + 1
"""
TRAP = """\
from pathlib import Path
Path(__file__).with_name("executed").touch()
raise SystemExit("executed")
"""
# Names that gblint, Python or a tool beside it might import from the working directory.
TRAPS = (
    "torch",
    "click",
    "libcst",
    "rich",
    "sitecustomize",
    "usercustomize",
    "conftest",
    "setup",
    "gblint_plugin",
    "ast",
)


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gblint", *arguments]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder.parent / "cache")}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize("arguments", [("check",), ("check", "--diff"), ("entries",), ("check", "--why", "net.py:5")])
def test_nothing_of_the_project_is_imported(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name in TRAPS:
        (project / f"{name}.py").write_text(TRAP)
    (project / "net.py").write_text("import gblint_plugin\n" + BREAKS)
    done = run(*arguments, folder=project)
    assert "executed" not in done.stdout + done.stderr
    assert not (project / "executed").exists()
    assert done.returncode in (0, 1), done.stderr


@pytest.mark.parametrize("key", ["plugins", "load-plugins", "extend", "python-command", "pre-command"])
def test_no_key_leads_to_code(gblint: Callable[..., Any], project: Callable[..., Path], key: str) -> None:
    project({"gblint.toml": f'{key} = ["evil"]\n', "evil.py": TRAP, "net.py": BREAKS})
    done = gblint("check")
    assert done.status == 2
    assert f"unknown key '{key}'" in done.err


def test_an_interpreter_of_the_project_is_not_started(gblint: Callable[..., Any], project: Callable[..., Path]) -> None:
    root = project(
        {"net.py": BREAKS, ".venv/bin/python": "#!/bin/sh\ntouch executed\n", ".venv/pyvenv.cfg": "home = /nowhere\n"}
    )
    (root / ".venv/bin/python").chmod(0o755)
    assert gblint("check", "--output-format", "concise").status == 1
    assert not (root / "executed").exists()


def test_fixes_do_not_follow_links_out(gblint: Callable[..., Any], project: Callable[..., Path]) -> None:
    root = project({"outside/real.py": BREAKS, "inside/own.py": BREAKS})
    (root / "inside/link.py").symlink_to(root / "outside/real.py")
    (root / "inside/folder").symlink_to(root / "outside")
    done = gblint("check", "--fix", "inside")
    assert done.status == 2
    assert "leads out of the paths that are linted" in done.err
    assert (root / "outside/real.py").read_text() == BREAKS
    assert (root / "inside/own.py").read_text() != BREAKS


@pytest.mark.parametrize("form", ["full", "concise", "github"])
def test_the_terminal_is_not_obeyed(gblint: Callable[..., Any], project: Callable[..., Path], form: str) -> None:
    evil = "\x1b]0;title\x07\x1b[2J\u202e"
    project({f"na{evil}me.py": BREAKS.replace('"a"', f'"{evil}"')})
    shown = gblint("check", "--output-format", form)
    assert shown.status == 1
    assert not set("\x1b\x07\u202e") & set(shown.out + shown.err)
