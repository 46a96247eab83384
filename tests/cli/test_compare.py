"""``gblint compare``: reports, commits, and the files as they are."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Gblint = Callable[..., Any]
Write = Callable[..., Path]
ITEM = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x * x.sum().item()\n"
BOTH = ITEM.replace("    return", "    print(1)\n    return")


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(project: Write) -> Path:
    """A repository with one commit, and a further break in the files as they are."""
    folder = project({"pkg/a.py": ITEM, "pkg/gblint/__init__.py": "raise SystemExit(9)\n", "json.py": "1 / 0\n"})
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    project({"pkg/a.py": BOTH})
    return folder


def test_the_files_as_they_are_against_a_commit(repository: Path, gblint: Gblint) -> None:
    result = gblint("compare", "HEAD")
    assert result.status == 1, result.err
    assert result.out.splitlines() == [
        "New:",
        "  pkg/a.py:6:5: GBL401 [certain] `print` writes to the terminal",
        "1 new finding, 0 gone, 1 unchanged.",
    ]
    assert gblint("compare", "HEAD", "--exit-zero").status == 0
    assert sorted(path.name for path in repository.iterdir()) == [".git", "json.py", "pkg"]


def test_two_commits_a_folder_of_them_and_options(
    repository: Path, gblint: Gblint, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "commit", "-qam", "second")
    monkeypatch.chdir(repository / "pkg")
    document = json.loads(gblint("compare", "HEAD~1", "HEAD", "--output-format", "json").out)
    assert ([each["path"] for each in document["new"]], document["unchanged"]) == (["a.py"], 1)
    assert gblint("compare", "HEAD", "HEAD~1").status == 0
    assert gblint("compare", "HEAD~1", "HEAD", "--", "--ignore", "GBL401").status == 0
    assert gblint("compare", "HEAD~1", "--", "--ignore", "GBL401").status == 0


def test_reports_and_a_file_for_the_comment(repository: Path, gblint: Gblint) -> None:
    gblint("check", "--no-cache", "--output-format", "json", "--output-file", "new.json")
    gblint("check", "--no-cache", "--output-format", "json", "--output-file", "old.json", "--ignore", "GBL401")
    result = gblint("compare", "old.json", "new.json", "--output-format", "markdown", "--output-file", "comment.md")
    assert (result.status, result.out) == (1, "") and "1 new finding, 0 gone, 1 unchanged" in result.err
    lines = Path("comment.md").read_text("utf-8").splitlines()
    assert lines[0] == "**gblint**: 1 new finding, 0 gone, 1 unchanged"
    assert "| `pkg/a.py:6` | GBL401 | `print` writes to the terminal |" in lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing",), "nothing is neither a file nor a commit"),
        (("--", "--version"), "Missing argument"),
        (("pkg/a.py",), "pkg/a.py: not JSON"),
        (("HEAD", "--", "--select", "GBL999", "--no-such-option"), "gblint check ended with status 2"),
    ],
)
def test_mistakes_are_told(repository: Path, gblint: Gblint, arguments: tuple[str, ...], message: str) -> None:
    result = gblint("compare", *arguments)
    assert result.status == 2 and message in result.err and "Traceback" not in result.err


def test_without_a_repository(project: Write, gblint: Gblint) -> None:
    project({"a.py": ITEM})
    result = gblint("compare", "HEAD")
    assert result.status == 2 and "HEAD is not a file, and this is not a git repository" in result.err
