from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gblint.diagnostics.report import FileError
from gblint.project.discovery import FileSelection, discover
from tests.project.trees import grow


def names(root: Path, *paths: str, **options: object) -> list[str]:
    files, errors = discover([root / path for path in paths or (".",)], root=root, selection=FileSelection(**options))  # type: ignore[arg-type]
    assert errors == []
    return [file.relative_to(root).as_posix() for file in files]


def test_python_files_only_and_sorted(tmp_path: Path) -> None:
    grow(tmp_path, {"b.py": "", "a/c.py": "", "a/d.pyi": "", "e.txt": "", "a.py": ""})
    assert names(tmp_path) == ["a/c.py", "a.py", "b.py"]


def test_default_excludes_hold_below_a_path_only(tmp_path: Path) -> None:
    grow(tmp_path, {"a.py": "", "build/b.py": "", ".venv/c.py": "", "x/node_modules/d.py": "", "__pycache__/e.py": ""})
    grow(tmp_path, {"envs/mine/pyvenv.cfg": "", "envs/mine/lib/f.py": ""})
    assert names(tmp_path) == ["a.py"]
    assert names(tmp_path, "build") == ["build/b.py"]
    assert names(tmp_path, "build/b.py", ".venv", "envs/mine") == [".venv/c.py", "build/b.py", "envs/mine/lib/f.py"]


def test_package_inside_an_ignored_environment(tmp_path: Path) -> None:
    inside = ".venv/lib/python3.12/site-packages/diffusers"
    grow(tmp_path, {".git/HEAD": "", ".gitignore": ".venv*/\n*.log.py\n"})
    grow(tmp_path, {f"{inside}/__init__.py": "", f"{inside}/models/x.py": "", f"{inside}/build/y.py": ""})
    assert names(tmp_path, inside) == [f"{inside}/__init__.py", f"{inside}/models/x.py"]


def test_files_given_explicitly_need_no_suffix(tmp_path: Path) -> None:
    grow(tmp_path, {"script": "", "x.pyi": ""})
    assert names(tmp_path, "script", "x.pyi") == ["script", "x.pyi"]


def test_each_file_once(tmp_path: Path) -> None:
    grow(tmp_path, {"a/b.py": ""})
    assert names(tmp_path, ".", "a", "a/b.py", "a/../a/b.py") == ["a/b.py"]


def test_exclude_patterns(tmp_path: Path) -> None:
    grow(tmp_path, {"a.py": "", "gen/b.py": "", "x/gen/c.py": "", "x/d_pb2.py": "", "build/e.py": ""})
    assert names(tmp_path, exclude=["gen"]) == ["a.py", "build/e.py", "x/d_pb2.py"]
    assert names(tmp_path, extend_exclude=["/gen", "*_pb2.py"]) == ["a.py", "x/gen/c.py"]
    assert names(tmp_path, "gen/b.py", extend_exclude=["gen"]) == ["gen/b.py"]
    assert names(tmp_path, "gen/b.py", "a.py", extend_exclude=["gen"], force_exclude=True) == ["a.py"]


def test_gitignore_nested_and_negated(tmp_path: Path) -> None:
    grow(
        tmp_path,
        {
            ".git/info/exclude": "secret.py\n",
            ".gitignore": "# a comment\n/out/\n*_gen.py\n",
            "a.py": "",
            "a_gen.py": "",
            "out/b.py": "",
            "x/out/c.py": "",
            "secret.py": "",
            "x/.gitignore": "!keep_gen.py\nlocal.py\n",
            "x/keep_gen.py": "",
            "x/local.py": "",
            "local.py": "",
        },
    )
    assert names(tmp_path) == ["a.py", "local.py", "x/keep_gen.py", "x/out/c.py"]
    assert names(tmp_path, "x") == ["x/keep_gen.py", "x/out/c.py"]
    assert "a_gen.py" in names(tmp_path, respect_gitignore=False)


def test_gitignore_does_not_re_include_excluded_files(tmp_path: Path) -> None:
    grow(tmp_path, {".git/HEAD": "", ".gitignore": "!build/\n", "build/a.py": ""})
    assert names(tmp_path) == []


def test_gitignore_above_the_repository_does_not_count(tmp_path: Path) -> None:
    grow(tmp_path, {".gitignore": "*.py\n", "repo/.git/HEAD": "", "repo/a.py": ""})
    assert names(tmp_path, "repo") == ["repo/a.py"]


def test_malformed_gitignore_lines_are_skipped(tmp_path: Path) -> None:
    grow(tmp_path, {".git/HEAD": "", ".gitignore": "!\n/\nb.py\n\\\n", "a.py": "", "b.py": ""})
    assert names(tmp_path) == ["a.py"]


def test_missing_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(grow(tmp_path, {"a.py": ""}))
    files, errors = discover([Path("a.py"), Path("nope"), Path("nope")])
    assert files == [tmp_path / "a.py"]
    assert errors == [FileError("nope", 0, "no such file or directory")]


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links")
def test_symbolic_links(tmp_path: Path) -> None:
    grow(tmp_path, {"a.py": "", "pkg/b.py": "", "outside/c.py": ""})
    (tmp_path / "pkg/again").symlink_to(tmp_path / "pkg")
    (tmp_path / "pkg/self.py").symlink_to(tmp_path / "pkg/self.py")
    (tmp_path / "pkg/to_a.py").symlink_to(tmp_path / "a.py")
    (tmp_path / "pkg/to_c.py").symlink_to(tmp_path / "outside/c.py")
    (tmp_path / "pkg/.#b.py").symlink_to("user@host.1234")
    files, errors = discover([tmp_path], root=tmp_path)
    assert [file.relative_to(tmp_path).as_posix() for file in files] == ["a.py", "outside/c.py", "pkg/b.py"]
    assert [error.message for error in errors] == ["symbolic link loop"]
    files, errors = discover([tmp_path / "pkg"], root=tmp_path)
    assert [file.name for file in files] == ["b.py", "to_a.py", "to_c.py"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs a user without all rights")
def test_unreadable_folder(tmp_path: Path) -> None:
    grow(tmp_path, {"a.py": "", "locked/b.py": ""})
    (tmp_path / "locked").chmod(0)
    try:
        files, errors = discover([tmp_path], root=tmp_path)
    finally:
        (tmp_path / "locked").chmod(0o700)
    assert [file.name for file in files] == ["a.py"]
    assert [error.message for error in errors] == ["cannot be read: permission denied"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    assert discover([tmp_path], root=tmp_path) == ([], [])
    assert [error.message for error in discover([tmp_path / "pipe.py"])[1]] == ["not a regular file"]
