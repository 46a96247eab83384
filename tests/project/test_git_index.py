"""Tests of the files that git tracks although a ``.gitignore`` names them; git writes the indexes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gblint.project.discovery import discover
from gblint.project.git_index import TrackedFiles
from tests.project.trees import grow

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

FILES = {
    ".gitignore": "sat\n*_gen.py\n",
    "a.py": "",
    "a_gen.py": "",
    "sat/model.py": "",
    "sat/deep/er/layer.py": "",
    "sat/.gitignore": "*.py\n",
    "sat/untracked.py": "",
    "sat/other/untracked.py": "",
    "x/sat/untracked.py": "",
    "ä/sat/ü.py": "",
}
TRACKED = [".gitignore", "a.py", "sat/model.py", "sat/deep/er/layer.py", "ä/sat/ü.py"]
FOUND = ["a.py", "sat/deep/er/layer.py", "sat/model.py", "ä/sat/ü.py"]


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, *options: str) -> Path:
    folder.mkdir(exist_ok=True)
    git(folder, "init", "--quiet", *options)
    grow(folder, FILES)
    git(folder, "add", "--force", *TRACKED)
    return folder


def found(folder: Path, below: str = "") -> list[str]:
    files, errors = discover([folder / below], root=folder)
    assert not errors
    return [path.relative_to(folder).as_posix() for path in files]


@pytest.mark.parametrize("version", ["2", "4"])
def test_tracked_files_are_found_although_they_are_ignored(tmp_path: Path, version: str) -> None:
    folder = repository(tmp_path)
    git(folder, "update-index", "--index-version", version)
    assert (folder / ".git" / "index").read_bytes()[7] == int(version)
    assert found(folder) == FOUND
    assert found(folder, "ä") == ["ä/sat/ü.py"]


def test_index_with_extended_entries(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    git(folder, "add", "--force", "--intent-to-add", "a_gen.py")
    assert (folder / ".git" / "index").read_bytes()[7] == 3
    assert found(folder) == sorted(["a_gen.py", *FOUND])


def test_long_path(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    name = "/".join(["sat", *["b" * 200] * 3, "c.py"])
    grow(folder, {name: ""})
    git(folder, "add", "--force", name)
    assert name in found(folder)


def test_work_tree_with_a_file_that_names_the_git_folder(tmp_path: Path) -> None:
    folder = repository(tmp_path / "main")
    git(folder, "commit", "--quiet", "-m", "a")
    git(folder, "worktree", "add", "--quiet", str(tmp_path / "second"))
    assert (tmp_path / "second" / ".git").is_file()
    assert found(tmp_path / "second") == FOUND


def test_an_index_that_cannot_be_read_tracks_nothing(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    index = folder / ".git" / "index"
    data = index.read_bytes()
    for damaged in (b"", b"DIRC", data[:12], data[:90], data[:7] + b"\x09" + data[8:], data[:73] + b"\xff" + data[74:]):
        index.write_bytes(damaged)
        assert not TrackedFiles(folder).contains(str(folder / "sat"), is_dir=True)
        assert found(folder) == ["a.py"]
    index.write_bytes(data[:7] + b"\4" + data[8:])  # names that are not prefix of each other
    assert found(folder) == ["a.py"]
    index.unlink()
    assert found(folder) == ["a.py"]


def test_an_index_of_another_hash_tracks_nothing(tmp_path: Path) -> None:
    try:
        folder = repository(tmp_path, "--object-format=sha256")
    except subprocess.CalledProcessError:
        pytest.skip("this git has no SHA-256")
    assert found(folder) == ["a.py"]
