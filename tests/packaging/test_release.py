"""The command that makes a release, in a repository of its own."""

from __future__ import annotations

import subprocess
from datetime import date
from pathlib import Path

import pytest

from tools.release import release, released

DAY = date(2030, 1, 2)
CHANGELOG = "# Changelog\n\n## [Unreleased]: next\n\n### Added\n\n- Something.\n\n## [0.1.0] - 2029-01-01\n\n- All.\n"


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(variable, "somebody@example.org")
    (tmp_path / "gblint").mkdir()
    (tmp_path / "gblint" / "__init__.py").write_text('"""gblint."""\n\n__version__ = "0.1.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "all")
    return tmp_path


def test_version_changelog_and_tag_are_of_one_commit(repository: Path) -> None:
    release(repository, "0.2.0", DAY)
    assert git(repository, "status", "--porcelain") == ""
    assert git(repository, "show", "v0.2.0:gblint/__init__.py").endswith('__version__ = "0.2.0"\n')
    heading = "## [Unreleased]\n\n## [0.2.0] - 2030-01-02\n\n### Added\n\n- Something."
    assert heading in git(repository, "show", "v0.2.0:CHANGELOG.md")
    with pytest.raises(ValueError, match="there is a tag"):
        release(repository, "0.2.0", DAY)


@pytest.mark.parametrize("version", ["", "1", "0.2", "0.2.0; rm", "v0.2.0"])
def test_what_is_no_version(repository: Path, version: str) -> None:
    with pytest.raises(ValueError, match="not a version"):
        release(repository, version, DAY)


def test_changes_that_are_not_committed(repository: Path) -> None:
    (repository / "new.py").touch()
    with pytest.raises(ValueError, match="not committed"):
        release(repository, "0.2.0", DAY)


def test_a_version_without_an_entry() -> None:
    after = released(CHANGELOG, "0.2.0", DAY)
    with pytest.raises(ValueError, match="says nothing"):
        released(after, "0.3.0", DAY)
