"""Linting a repository starts none of its programs, and reads none of its files without end."""

from __future__ import annotations

import json
import os
import shutil
import socket
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
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
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
    version = f"python{VERSION}"
    (folder / "lib" / version / "site-packages" / "helper").mkdir(parents=True)
    (folder / "lib" / version / "site-packages" / "helper" / "__init__.py").write_text("SIZE = 4\n")
    (folder / "pyvenv.cfg").write_text(f"home = {sys.base_prefix}/bin\nversion = {VERSION}\n")
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
    (tmp_path / ".venv" / "pyvenv.cfg").write_text(f"home = {tmp_path / '.venv' / 'bin'}\nversion = {VERSION}\n")
    environment = Environment.discover(None, tmp_path)
    assert environment.packages is not None
    assert len(environment.search_path) == 1


def test_confirm_says_what_it_runs(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import torch\n\n\n@torch.compile\ndef f(x):\n    return x.item()\n")
    done = gblint(tmp_path, "confirm", "--no-cache", "--entry", "net:f", "--inputs", "(torch.ones(1),)", seconds=200)
    assert done.stderr.startswith(f"note: running net:f in {tmp_path} with {sys.executable}\n"), done.stderr


def test_compare_starts_no_interpreter_of_the_repository(tmp_path: Path) -> None:
    project, marker = tmp_path / "project", tmp_path / "started"
    project.mkdir()
    (project / "net.py").write_text(NET)
    _environment(project / ".venv", marker)
    _commit(project)
    done = gblint(project, "compare", "HEAD")
    assert (done.returncode, done.stdout) == (0, "0 new findings, 0 gone, 2 unchanged.\n"), done.stderr
    assert not marker.exists()


def test_compare_ignores_a_repository_inside_the_project(tmp_path: Path) -> None:
    """A folder of a project with the files of a repository has settings, and these name programs that git starts."""
    project, marker = tmp_path / "project", tmp_path / "started"
    project.mkdir()
    (project / "net.py").write_text(NET)
    (project / ".gitattributes").write_text("* filter=own\n")
    _commit(project)
    for each in (project / ".git").iterdir():
        each.rename(project / each.name)
    (project / ".git").rmdir()
    with (project / "config").open("a") as config:
        config.write(f'[core]\n\tworktree = {project}\n[filter "own"]\n\tsmudge = "touch {marker}; cat"\n')
    (commit,) = (project / "refs" / "heads").iterdir()
    done = gblint(project, "compare", commit.read_text().strip())
    assert done.returncode == 2
    assert "this is not a git repository" in done.stderr
    assert not marker.exists()


def _commit(folder: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    for arguments in (["init", "-q"], ["add", "-f", "net.py"], ["commit", "-qm", "one"]):
        settings = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.bare=false"]
        subprocess.run(["git", *settings, *arguments], cwd=folder, check=True)


def test_a_bare_name_is_a_command_on_the_path(tmp_path: Path) -> None:
    marker = tmp_path / "started"
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "python3.99").write_text(f"#!/bin/sh\ntouch {marker}\n")
    (tmp_path / "python3.99").chmod(0o755)
    done = gblint(tmp_path, "check", "--no-cache", "--python", "python3.99")
    assert (done.returncode, done.stderr) == (
        2,
        "error: --python: no interpreter or virtual environment at 'python3.99'\n",
    )
    assert not marker.exists()


def _link(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def _link_to_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("a_pipe"))
    path.symlink_to(path.with_name("a_pipe"))


def _socket(path: Path) -> None:
    here = os.open(".", os.O_RDONLY)
    os.chdir(path.parent)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as connection:
        connection.bind(path.name)
    os.fchdir(here)
    os.close(here)


def _large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


KINDS = {
    "zero": _link("/dev/zero"),
    "pipe": os.mkfifo,
    "link-to-pipe": _link_to_pipe,
    "kernel-log": _link("/proc/kmsg"),  # a regular file that waits for more
    "memory": _link("/proc/self/mem"),  # a regular file that fails
    "link-to-itself": lambda path: path.symlink_to(path.name),
    "socket": _socket,
    "large": _large,
}
CHECK = "check --no-cache"
DIFF = "check --no-cache --diff --unsafe-fixes"
PLAN = "confirm --entry net:f --plan new.json"
PACKAGES = ".venv/lib/python3.11/site-packages"
# The command that reads a file, by the path of the file.
PLACES = {
    ".git": CHECK,
    ".git/index": CHECK,
    ".git/info/exclude": CHECK,
    ".gitignore": CHECK,
    ".venv/pyvenv.cfg": CHECK,
    f"{PACKAGES}/__editable___x_finder.py": CHECK,
    f"{PACKAGES}/more.pth": CHECK,
    f"{PACKAGES}/torch-2.13.0.dist-info/METADATA": CHECK,
    f"{PACKAGES}/torch/version.py": CHECK,
    "README.md": PLAN,
    "__pycache__/net.cpython-311.pyc": CHECK,
    "base.toml": CHECK,
    "baseline.json": "check --no-cache --baseline baseline.json",
    "conf/model.yaml": CHECK,
    "config.json": CHECK,
    "conftest.py": CHECK,
    "direct.py": "check --no-cache direct.py",
    "documents.json": "check --no-cache --confirmations documents.json",
    "entries.txt": "check --no-cache --entries-file entries.txt",
    "gblint.toml": CHECK,
    "helper.py": CHECK,
    "helper/__init__.py": CHECK,
    "logs/-_0_0/dynamo_graph_break_reason_1.txt": "logs logs",
    "logs/run.log": "logs logs",
    "note.ipynb": CHECK,
    "old.json": "compare old.json old.json",
    "plan.json": "confirm --run plan.json",
    "pyproject.toml": CHECK,
    "ruff.toml": DIFF,
    "settings.toml": "check --no-cache --config settings.toml",
    "setup.cfg": DIFF,
    "train.py": "confirm train.py --plan new.json",
}
# Files that the user names may be pipes; then gblint waits for their text.
NAMED = {"documents.json", "entries.txt", "plan.json"}
EACH = """
import contextlib, io, json, os, resource, signal, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from gblint.cli.main import run
outcomes = {}
for folder, command in json.loads(sys.argv[1]).items():
    os.chdir(folder)
    out, err = io.StringIO(), io.StringIO()
    signal.alarm(30)  # ends this process, and the last line says where
    print(folder, file=sys.stderr, flush=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run(command.split())
    outcomes[folder] = status, out.getvalue(), err.getvalue()
signal.alarm(0)
print(json.dumps(outcomes))
"""


@pytest.mark.parametrize("kind", KINDS)
def test_files_that_are_no_regular_files_are_not_read(tmp_path: Path, kind: str) -> None:
    if kind == "kernel-log" and not os.access("/proc/kmsg", os.R_OK):
        pytest.skip("no log of the kernel that may be read")
    places = [place for place in PLACES if place not in NAMED or kind in ("zero", "memory", "large")]
    folders = {str(tmp_path / str(number)): place for number, place in enumerate(places)}
    for folder, place in folders.items():
        _project_with(Path(folder), place, KINDS[kind])
    commands = {folder: PLACES[place] for folder, place in folders.items()}
    variables = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    done = subprocess.run(
        [sys.executable, "-c", EACH, json.dumps(commands)], capture_output=True, text=True, check=False, env=variables
    )
    assert done.returncode == 0, done.stderr[-1000:]
    for folder, (status, out, err) in json.loads(done.stdout).items():
        place = folders[folder]
        told = (place, err)
        assert status in (0, 1, 2) and (status != 2 or err), told
        assert "Traceback" not in err and "internal error" not in err, told
        if commands[folder] in (CHECK, DIFF) and place != "base.toml":
            assert "GBL101" in out or "x.item()" in out, told
        elif place == "baseline.json":
            assert "cannot be read" in err, told
        if place in ("gblint.toml", "pyproject.toml"):
            assert status == 2, told
            assert f"{place}: cannot be read" in err, told


def _project_with(folder: Path, place: str, make: Callable[[Path], None]) -> None:
    """Make a project in which one file is of another kind."""
    path = folder / place
    path.parent.mkdir(parents=True)
    (folder / "net.py").write_text(NET)
    if place == "base.toml":
        (folder / "gblint.toml").write_text("extend = 'base.toml'\n")
    if place.startswith(PACKAGES):
        (folder / ".venv" / "pyvenv.cfg").write_text("version = 3.11.0\n")
    if place.startswith("logs/-"):
        (folder / "logs" / "compile_directory.json").write_text("{}")
    make(path)


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
