"""No program of a repository is started by looking at it, and no file of it is read without end."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gblint.project.environment import Environment
from gblint.runtime import files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and devices of POSIX")
NET = "import torch\nimport helper\n\n\n@torch.compile\ndef f(x):\n    print('a')\n    return x.item()\n"
RUN = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from gblint.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


def gblint(folder: Path, *arguments: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
    variables = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    return subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        env=variables,
    )


def _environment(folder: Path, marker: Path) -> None:
    """Make an environment whose programs leave a mark when they are started."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    (folder / "lib" / version / "site-packages" / "helper").mkdir(parents=True)
    (folder / "lib" / version / "site-packages" / "helper" / "__init__.py").write_text("SIZE = 4\n")
    (folder / "pyvenv.cfg").write_text(f"home = {sys.base_prefix}/bin\nversion = 3.11.0\n")
    (folder / "bin").mkdir()
    for name in ("python", "python3", version, "other"):
        program = folder / "bin" / name
        program.write_text(f'#!/bin/sh\ntouch {marker}\nexec {sys.executable} "$@"\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--no-cache"),
        ("check", "--no-cache", "--fix"),
        ("check", "--no-cache", "--diff"),
        ("check", "--no-cache", "--add-noqa"),
        ("check", "--no-cache", "--config", "python = '.venv/bin/other'"),
        ("entries",),
        ("confirm", "--plan", "plan.json"),
        ("confirm", "--entry", "net:f", "--plan", "plan.json"),
        ("confirm", "--pytest", "--plan", "plan.json"),
    ],
    ids=lambda arguments: "-".join(arguments[:4]).replace("/", ""),
)
@pytest.mark.parametrize(
    "setting", ["", "python = '.venv'", "python = '.venv/bin/python'", "python = '.venv/bin/other'"]
)
def test_no_interpreter_of_the_repository_is_started(tmp_path: Path, arguments: tuple[str, ...], setting: str) -> None:
    project, marker = tmp_path / "project", tmp_path / "started"
    project.mkdir()
    (project / "net.py").write_text(NET)
    (project / "gblint.toml").write_text(setting + "\n")
    _environment(project / ".venv", marker)
    done = gblint(project, *arguments)
    assert "Traceback" not in done.stderr
    assert not marker.exists(), done.stderr
    if "--plan" in arguments and "other" not in setting and "bin" not in setting:
        (job, *_) = json.loads((project / "plan.json").read_text())["jobs"]
        assert job["python"] == ""


def test_the_packages_of_an_environment_are_found_without_starting_it(tmp_path: Path) -> None:
    _environment(tmp_path / ".venv", tmp_path / "started")
    environment = Environment.discover(None, tmp_path)
    assert environment.packages is not None
    assert environment.packages.name == "site-packages"
    assert environment.packages.is_relative_to(tmp_path)
    assert not (tmp_path / "started").exists()


def test_an_environment_made_from_itself(tmp_path: Path) -> None:
    _environment(tmp_path / ".venv", tmp_path / "started")
    (tmp_path / ".venv" / "pyvenv.cfg").write_text(f"home = {tmp_path / '.venv' / 'bin'}\nversion = 3.11.0\n")
    environment = Environment.discover(None, tmp_path)
    assert environment.packages is not None
    assert len(environment.search_path) == 1


def test_confirm_says_what_it_runs(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import torch\n\n\n@torch.compile\ndef f(x):\n    return x.item()\n")
    done = gblint(tmp_path, "confirm", "--no-cache", "--entry", "net:f", "--inputs", "(torch.ones(1),)", seconds=200)
    assert done.stderr.startswith(f"note: running net:f in {tmp_path} with {sys.executable}\n"), done.stderr


Place = Callable[[Path], None]


def _zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _link_to_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("a_pipe"))
    path.symlink_to(path.with_name("a_pipe"))


PLACES = {
    ".gitignore": ("check",),
    ".git/info/exclude": ("check",),
    "gblint.toml": ("check",),
    "pyproject.toml": ("check",),
    "helper.py": ("check",),
    "helper/__init__.py": ("check",),
    "conf/model.yaml": ("check",),
    "baseline.json": ("check", "--baseline", "baseline.json"),
    ".venv/pyvenv.cfg": ("check",),
    ".venv/lib/python3.11/site-packages/more.pth": ("check",),
    ".venv/lib/python3.11/site-packages/__editable___x_finder.py": ("check",),
    ".venv/lib/python3.11/site-packages/torch/version.py": ("check",),
    "README.md": ("confirm", "--entry", "net:f", "--plan", "plan.json"),
    "logs/run.log": ("logs", "logs"),
    "logs/-_0_0/dynamo_graph_break_reason_1.txt": ("logs", "logs"),
}


@pytest.mark.parametrize("make", [_zero, _pipe, _link_to_pipe])
@pytest.mark.parametrize("place", PLACES)
def test_files_that_are_no_regular_files_are_not_read(tmp_path: Path, place: str, make: Place) -> None:
    (tmp_path / "net.py").write_text(NET)
    if place.startswith(".venv"):
        (tmp_path / ".venv" / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
        (tmp_path / ".venv" / "pyvenv.cfg").write_text("version = 3.11.0\n")
    if place.startswith("logs/-"):
        (tmp_path / "logs").mkdir()
        (tmp_path / "logs" / "compile_directory.json").write_text("{}")
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    make(path)
    command, *rest = PLACES[place]
    done = gblint(tmp_path, command, *(["--no-cache"] if command == "check" else []), *rest)
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    if command == "check" and place != "baseline.json":
        assert "GBL101" in done.stdout, done.stderr
    if place == "baseline.json":
        assert "not a regular file" in done.stderr


def test_flake8_does_not_wait_for_a_pipe(tmp_path: Path) -> None:
    pytest.importorskip("flake8")
    (tmp_path / "net.py").write_text(NET)
    os.mkfifo(tmp_path / "helper.py")
    command = [sys.executable, "-m", "flake8", "--select", "GBL", "net.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert "GBL101" in done.stdout, done.stderr


def test_large_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(files.MAX_BYTES + 1)
    with pytest.raises(OSError, match="larger than 64 MiB"):
        files.read_bytes(path)
    with pytest.raises(OSError, match="not a regular file"):
        files.read_bytes(tmp_path)
    assert files.read_start(path, 4) == bytes(4)


@pytest.mark.parametrize("name", ["pyproject.toml", "gblint.toml"])
def test_long_words_in_a_configuration(tmp_path: Path, name: str) -> None:
    text = f"{'a' * 60}\n{'a.' * 60}!\n{' . ' * 60}\n"
    settings = "[tool.gblint]\nselect = ['GBL']\n" if name == "pyproject.toml" else "select = ['GBL']\n"
    other = f'[tool.other]\ntext = """\n{text}"""\n'
    (tmp_path / name).write_text(settings + other if name == "pyproject.toml" else settings)
    (tmp_path / "net.py").write_text(NET)
    start = time.monotonic()
    done = gblint(tmp_path, "check", "--no-cache")
    assert "GBL101" in done.stdout
    assert time.monotonic() - start < 30


def test_a_gitignore_that_makes_others_backtrack(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*a" * 30 + "*b\n" + "**/a/" * 30 + "*b\n")
    folder = tmp_path.joinpath(*["a"] * 30)
    folder.mkdir(parents=True)
    (folder / ("a" * 200 + ".py")).write_text(NET)
    assert "GBL101" in gblint(tmp_path, "check", "--no-cache").stdout
