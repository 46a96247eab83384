"""The hooks, through the real pre-commit in a real repository."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    ".gitignore": "*.pyc\n",
    "base.py": "LIMIT = 3\nNAME = 'base'\n",
    "flags.py": "from base import LIMIT, NAME\n\nCHECKED = LIMIT > 2\n",
    "helper.py": "def scale(x):\n    return x * 2\n\n\ndef size(x):\n    return x.shape[0]\n",
    "train.py": """\
import torch
from flags import CHECKED
from helper import scale, size


@torch.compile
def step(x: torch.Tensor):
    y = scale(x)
    if CHECKED and size(x) > 0:
        y = y + 1
    return y
""",
    "other.py": "import torch\n\n\n@torch.compile\ndef other(x: torch.Tensor):\n    return x.tolist()\n",
}
# The name of a file: pre-commit passes it as it is.
HOSTILE = "--output-file=base.py"
CHANGED = "def scale(x):\n    print(1)\n    return x * x.is_signed()\n\n\ndef size(x):\n    return x.sum()\n"


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the files of this one that are installed."""
    target = tmp_path_factory.mktemp("hooks")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in listed.stdout.splitlines():
        wanted = not name.startswith(("tests/", "benchmarks/", "docs/", "examples/", "tools/"))
        if wanted and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes((ROOT / name).read_bytes())
    git(target, "init", "--quiet")
    git(target, "add", "--all", "--force")
    git(target, "commit", "--quiet", "--message", "hooks")
    return target


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A project with a staged change of a helper: now it breaks, and so does a function that calls it."""
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "before")
    (folder / "helper.py").write_text(CHANGED)
    (folder / HOSTILE).write_text("X = 1\n")
    git(folder, "add", "--all")
    return folder


def try_repo(hooks: Path, repository: Path, cache: Path) -> Any:
    pytest.importorskip("pre_commit", reason="pre-commit is in the extra `test`")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment |= {"PRE_COMMIT_HOME": str(cache), "XDG_CACHE_HOME": str(cache), "PRE_COMMIT_COLOR": "never"}
    command = [sys.executable, "-m", "pre_commit", "try-repo", str(hooks), "--verbose"]
    done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True)
    if "An unexpected error has occurred" in done.stdout and "pip" in done.stdout:
        pytest.skip("the hooks' environment cannot be made: pip finds no packages here")
    return done


def test_try_repo(hooks: Path, repository: Path, tmp_path: Path) -> None:
    done = try_repo(hooks, repository, tmp_path / "cache")
    assert done.returncode == 1, done.stdout
    lint, _, fix = done.stdout.partition("gblint (fixes)")
    # The changed helper, and the entry point in another file that calls it; no file that does not depend on it.
    assert "helper.py:2:5: GBL401" in lint
    assert "train.py:9:20: GBL2" in lint
    assert "other.py" not in done.stdout
    assert "note: 1 finding not shown: these files cannot affect them" in lint
    assert "files were modified by this hook" in fix
    assert "fixed 1 finding in 1 file" in fix
    assert (repository / "helper.py").read_text() != CHANGED
    assert (repository / "base.py").read_text() == FILES["base.py"]
    assert git(repository, "diff", "--name-only").split() == ["helper.py"]


def test_an_edit_that_counts_two_imports_away(hooks: Path, repository: Path, tmp_path: Path) -> None:
    git(repository, "commit", "--quiet", "--message", "helper")
    (repository / "base.py").write_text("LIMIT = 4\n")
    git(repository, "add", "--all")
    done = try_repo(hooks, repository, tmp_path / "cache")
    assert done.returncode == 1, done.stdout
    lint = done.stdout.partition("gblint (fixes)")[0]
    assert "helper.py:2:5: GBL401" in lint and "train.py:9:20: GBL2" in lint
    assert "other.py" not in done.stdout
    # Only files of the commit are fixed.
    assert git(repository, "diff", "--name-only").split() == []


def test_every_hook_is_a_command_of_ours() -> None:
    yaml = pytest.importorskip("yaml", reason="pyyaml is in the extra `test`")
    from gblint.cli.check import check

    options = {option for parameter in check.params for option in parameter.opts}
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [hook["id"] for hook in hooks] == ["gblint", "gblint-fix"]
    for hook in hooks:
        name, command, *arguments = hook["entry"].split()
        assert (name, command) == ("gblint", "check")
        assert set(arguments) <= options
        assert hook["language"] == "python"
