"""Linting an untrusted project runs none of it, writes nothing outside of it, and prints no control characters."""

from __future__ import annotations

import json
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


def test_a_file_that_is_extended_is_only_read(gblint: Callable[..., Any], project: Callable[..., Path]) -> None:
    project({"gblint.toml": 'extend = "evil.py"\n', "evil.py": TRAP, "net.py": BREAKS})
    for name in ("evil.py", "/dev/zero", "/etc/passwd"):
        Path("gblint.toml").write_text(f'extend = "{name}"\n')
        done = gblint("check")
        assert (done.status, done.out) == (2, "")
        assert "not valid TOML" in done.err or f"there is no file {name}" in done.err
        assert "root" not in done.err.partition("TOML")[2]


@pytest.mark.parametrize("key", ["plugins", "load-plugins", "extends", "python-command", "pre-command"])
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
    done = gblint("check", "--fix", "--unsafe-fixes", "inside")
    assert done.status == 2
    assert "symbolic link to a file outside of the linted paths" in done.err
    assert (root / "outside/real.py").read_text() == BREAKS
    assert (root / "inside/own.py").read_text() != BREAKS


@pytest.mark.parametrize("form", ["full", "concise", "github"])
def test_the_terminal_is_not_obeyed(gblint: Callable[..., Any], project: Callable[..., Path], form: str) -> None:
    evil = "\x1b]0;title\x07\x1b[2J\u202e"
    project({f"na{evil}me.py": BREAKS.replace('"a"', f'"{evil}"')})
    shown = gblint("check", "--output-format", form)
    assert shown.status == 1
    assert not set("\x1b\x07\u202e") & set(shown.out + shown.err)


@pytest.mark.skipif(sys.platform == "win32", reason="a script of the shell")
@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize("named", ["./evil", "evil", "python3"])
def test_an_interpreter_that_the_configuration_names_is_not_started(
    gblint: Callable[..., Any],
    project: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    named: str,
    extended: bool,
) -> None:
    script = f'#!/bin/sh\ntouch "$(dirname "$0")/executed"\nexec {sys.executable} "$@"\n'
    root = project({"gblint.toml": f'python = "{named}"\n', "net.py": BREAKS, "evil": script, "python3": script})
    if extended:
        (root / "gblint.toml").rename(root / "base.toml")
        (root / "gblint.toml").write_text('extend = "base.toml"\n')
    (root / "evil").chmod(0o755)
    (root / "python3").chmod(0o755)
    monkeypatch.setenv("PATH", f"{root}{os.pathsep}{os.environ['PATH']}")
    done = gblint("check")
    assert done.status == 2
    assert "starts no program that a configuration names" in done.err
    assert not (root / "executed").exists()
    # A program that is named on the command line is started.
    assert gblint("check", "--isolated", "--python", "./evil").status == 1
    assert (root / "executed").exists()


def test_editors_settings_start_no_interpreter(project: Callable[..., Path]) -> None:
    root = project({"net.py": BREAKS, "evil": f'#!/bin/sh\ntouch executed\nexec {sys.executable} "$@"\n'})
    (root / "evil").chmod(0o755)
    command = [sys.executable, "-m", "flake8", "--isolated", "--select", "GBL", "--gblint-python", "./evil", "net.py"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert "starts no program that a configuration names" in done.stdout + done.stderr
    assert not (root / "executed").exists()


@pytest.mark.parametrize("option", ["--write-baseline", "--update-baseline"])
def test_a_baseline_outside_of_the_project_is_not_written(
    gblint: Callable[..., Any], project: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    files = {"home/.profile": "mine", "p/net.py": BREAKS, "p/gblint.toml": 'baseline = "../home/.profile"\n'}
    root = project(files)
    monkeypatch.chdir(root / "p")
    done = gblint("check", option)
    assert done.status == 2
    assert "lies outside of the project and is not written" in done.err
    (root / "p/inside").symlink_to(root / "home")
    (root / "p/gblint.toml").write_text('baseline = "inside/.profile"\n')
    assert gblint("check", option).status == 2
    assert (root / "home/.profile").read_text() == "mine"
    assert [each.name for each in (root / "home").iterdir()] == [".profile"]


@pytest.mark.parametrize("arguments", [("--fix", "--unsafe-fixes"), ("--add-noqa",), ("--diff",), ()])
def test_nothing_is_written_beside_the_project(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    project, beside = tmp_path / "project", tmp_path / "beside"
    project.mkdir()
    beside.mkdir()
    (beside / "real.py").write_text(BREAKS)
    (project / "own.py").write_text(BREAKS)
    (project / "link.py").symlink_to(beside / "real.py")
    (project / "hard.py").hardlink_to(beside / "real.py")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GBLINT", "XDG"))},
        "HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "tmp"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    (tmp_path / "home").mkdir()
    (tmp_path / "tmp").mkdir()
    command = [sys.executable, "-m", "gblint", "check", *arguments]
    subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, env=environment)
    assert (beside / "real.py").read_text() == BREAKS
    left = [each for each in tmp_path.rglob("*") if each.is_file() and tmp_path / "cache" not in each.parents]
    assert sorted(each.name for each in left) == ["hard.py", "link.py", "own.py", "real.py"]


@pytest.mark.parametrize("form", ["full", "concise", "json", "github", "gitlab", "sarif"])
@pytest.mark.parametrize("command", ["check", "entries"])
def test_escapes_in_code_reach_no_terminal(
    gblint: Callable[..., Any], project: Callable[..., Path], form: str, command: str
) -> None:
    if command == "entries" and form not in ("full", "concise", "json"):
        pytest.skip("not a format of this command")
    evil = "\x1b]8;;http://evil\x07\x9b2J\u202e"
    project(
        {
            "net.py": BREAKS.replace('"a"', f'"{evil}"').replace("x + 1", f"x + 1  # {evil}"),
            f"bad{evil}.py": f"def f(:  # {evil}\n",
            "gblint.toml": f'"k{evil[-1]}" = 1\n',
        }
    )
    done = gblint(command, "--output-format", form)
    assert not set("\x1b\x07\x9b\u202e") & set(done.out + done.err)


def test_the_page_has_only_text_of_the_project(gblint: Callable[..., Any], project: Callable[..., Path]) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    project(
        {
            "a<b>&c.py": BREAKS.replace('"a"', f'"{evil}"'),
            "bad<i>.py": f"def f(:  # {evil}\n",
            "lines.py": BREAKS.replace('print("a")', f'print("a", x.item())  # {evil}'),
        }
    )
    done = gblint("check", "--output-format", "html")
    assert "<img src=x" not in done.out
    assert "<b>&c" not in done.out
    assert "bad<i>" not in done.out
    assert "&lt;img src=x" in done.out


@pytest.mark.skipif(os.name == "nt", reason="such names and scripts exist on POSIX systems only")
@pytest.mark.parametrize("source", ["x = 1\n", BREAKS])
def test_names_of_files_are_no_options(tmp_path: Path, source: str) -> None:
    """pre-commit, and a shell for ``*``, pass the names of files as they are."""
    names = ("--output-file=own.py", "--python=./own.py", "--fix", "-q.py")
    (tmp_path / "own.py").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    (tmp_path / "own.py").chmod(0o755)
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(source)
    before = (tmp_path / "own.py").read_text()
    command = [sys.executable, "-m", "gblint", "check", "--output-format", "json", "--changed", *names]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    found = {each["path"] for each in json.loads(done.stdout)["findings"]}
    assert found == ({name for name in names if name.endswith(".py")} if source == BREAKS else set())
    assert (tmp_path / "own.py").read_text() == before
    assert not (tmp_path / "started").exists()
    assert (tmp_path / "--fix").read_text() == source


@pytest.mark.parametrize("name", ["--output-file=setup.py", "--fix", "--baseline=net.py"])
def test_a_file_that_is_named_like_an_option_is_a_file(tmp_path: Path, name: str) -> None:
    """pre-commit passes the names of the files of a repository as they are."""
    files = ("net.py", "setup.py", name)
    for each in files:
        (tmp_path / each).write_text(BREAKS)
    done = run("check", "--changed", name, "net.py", folder=tmp_path)
    assert done.returncode == 1
    assert "error" not in done.stderr
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == dict.fromkeys(files, BREAKS)
