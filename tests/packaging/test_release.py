"""The command that makes a release, in a repository of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest

from tools.clean_builds import ROOT
from tools.release import CHECKED, ReleaseError, changes, main, release, released

DAY = date(2030, 1, 2)
CHANGELOG = "# Changelog\n\n## [Unreleased]: next\n\n### Added\n\n- Something.\n\n## [0.1.0] - 2029-01-01\n\n- All.\n"
EXTENSION = ("editors/vscode/package.json", "editors/vscode/package-lock.json")


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


def passed(root: Path) -> None:
    (root / CHECKED).parent.mkdir(exist_ok=True)
    (root / CHECKED).write_text(git(root, "rev-parse", "HEAD"))


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(variable, "somebody@example.org")
    root = tmp_path / "repository"
    (root / "gblint").mkdir(parents=True)
    (root / "gblint" / "__init__.py").write_text('"""gblint."""\n\n__version__ = "0.1.0"\n')
    (root / "CHANGELOG.md").write_text(CHANGELOG)
    (root / ".gitignore").write_text("build/\n")
    for name in EXTENSION:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, root / name)
    git(root, "init", "--quiet", "--initial-branch", "main")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "all")
    passed(root)
    return root


def state(root: Path) -> tuple[str, ...]:
    """The branch, its commit, the tags, the changes, and the texts of the files of a release."""
    texts = [(root / name).read_text() for name in ("gblint/__init__.py", "CHANGELOG.md", *EXTENSION)]
    said = [git(root, *command.split()) for command in ("rev-parse HEAD", "tag --list", "status --porcelain")]
    return (*said, *texts)


def test_version_changelog_and_tag_are_of_one_commit(repository: Path) -> None:
    release(repository, "0.2.0", DAY)
    assert git(repository, "status", "--porcelain") == ""
    assert git(repository, "rev-list", "--count", "HEAD") == "2\n"
    assert git(repository, "rev-parse", "v0.2.0^{commit}") == git(repository, "rev-parse", "HEAD")
    assert git(repository, "show", "v0.2.0:gblint/__init__.py").endswith('__version__ = "0.2.0"\n')
    heading = "## [Unreleased]\n\n## [0.2.0] - 2030-01-02\n\n### Added\n\n- Something."
    assert heading in git(repository, "show", "v0.2.0:CHANGELOG.md")


def test_the_extension_gets_the_version_and_nothing_else_changes(repository: Path) -> None:
    before = {name: json.loads((repository / name).read_text()) for name in EXTENSION}
    release(repository, "0.2.0", DAY)
    after = {name: json.loads((repository / name).read_text()) for name in EXTENSION}
    package, lock = (before[name] for name in EXTENSION)
    package["version"] = lock["version"] = lock["packages"][""]["version"] = "0.2.0"
    assert after == before


def test_the_files_of_this_checkout_can_be_released() -> None:
    made = changes(ROOT, "99.0.0", DAY)
    assert set(made) == {"gblint/__init__.py", "CHANGELOG.md", *EXTENSION}
    assert all(before != after for before, after in made.values())


def test_the_version_that_the_source_has_can_be_the_first(repository: Path) -> None:
    (repository / "CHANGELOG.md").write_text(CHANGELOG.replace("[0.1.0]", "[0.0.9]"))
    git(repository, "commit", "--quiet", "--all", "--message", "no release yet")
    passed(repository)
    release(repository, "0.1.0", DAY)
    assert git(repository, "tag", "--list") == "v0.1.0\n"


def test_a_dry_run_shows_the_changes_and_makes_none(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = state(repository)
    assert main(["0.2.0", "--dry-run"], repository) == 0
    shown = capsys.readouterr().out
    assert '-__version__ = "0.1.0"\n+__version__ = "0.2.0"\n' in shown
    assert "+## [0.2.0] - " in shown and "nothing was changed" in shown
    assert state(repository) == before


@pytest.mark.parametrize("version", ["", "1", "0.2", "0.2.0; rm", "v0.2.0", "0.2.0rc1", "0.02.0", "0.2.٣", "0.2.0\n"])
def test_what_is_no_version(repository: Path, version: str) -> None:
    with pytest.raises(ReleaseError, match="not a version"):
        release(repository, version, DAY)


BAD_STATES = {
    "not committed": "touch new.py",
    "on branch work, not main": "git checkout --quiet -b work",
    "no branch is checked out": "git checkout --quiet --detach",
    "have not passed on this commit \\(they passed on": "git commit --quiet --allow-empty --message more",
    "there is no build/checked-commit": "rm build/checked-commit",
    "there is a tag v0.2.0 already": "git tag v0.2.0",
    "there is a tag v0.3.0, which is later": "git tag v0.3.0",
    "there is MERGE_HEAD": "git rev-parse HEAD > .git/MERGE_HEAD",
    "main lacks 1 commits of its upstream": "git branch other && git commit --quiet --allow-empty --message m && "
    "git checkout --quiet -B main other && git branch --quiet -f other main@{1} && git branch --quiet -u other",
}


@pytest.mark.parametrize("expected", BAD_STATES)
def test_a_bad_state_is_told_and_kept(repository: Path, expected: str) -> None:
    subprocess.run(["sh", "-c", BAD_STATES[expected]], cwd=repository, check=True)
    before = state(repository)
    with pytest.raises(ReleaseError, match=expected):
        release(repository, "0.2.0", DAY)
    assert state(repository) == before


def test_checks_need_not_have_passed(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / CHECKED).unlink()
    assert main(["0.2.0"], repository) == 1
    assert "--without-checks" in capsys.readouterr().err
    assert main(["0.2.0", "--without-checks"], repository) == 0


def test_a_shallow_clone(repository: Path, tmp_path: Path) -> None:
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "more")
    git(tmp_path, "clone", "--quiet", "--depth", "1", repository.as_uri(), "shallow")
    with pytest.raises(ReleaseError, match="shallow clone"):
        release(tmp_path / "shallow", "0.2.0", DAY)


def test_a_later_version_in_the_source(repository: Path) -> None:
    with pytest.raises(ReleaseError, match=r"has 0\.1\.0, which is later than 0\.0\.9"):
        release(repository, "0.0.9", DAY)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("gblint/__init__.py", "VERSION = 1\n", "in 0 places instead of 1"),
        ("editors/vscode/package.json", "{}\n", "in 0 places instead of 1"),
        ("CHANGELOG.md", "# Changelog\n", "0 entries"),
        ("CHANGELOG.md", CHANGELOG + "## [Unreleased]\n", "2 entries"),
        ("CHANGELOG.md", CHANGELOG.replace("- Something.", ""), "says nothing"),
        ("CHANGELOG.md", CHANGELOG.replace("[0.1.0]", "[0.2.0]"), r"an entry \[0\.2\.0\] already"),
        ("CHANGELOG.md", None, "cannot be read"),
    ],
)
def test_files_without_the_places(repository: Path, name: str, text: str | None, expected: str) -> None:
    (repository / name).unlink() if text is None else (repository / name).write_text(text)
    git(repository, "commit", "--quiet", "--all", "--message", "changed")
    passed(repository)
    commit = git(repository, "rev-parse", "HEAD")
    with pytest.raises(ReleaseError, match=expected):
        release(repository, "0.2.0", DAY)
    assert git(repository, "rev-parse", "HEAD") == commit
    assert git(repository, "status", "--porcelain") == ""


def test_a_refused_commit_leaves_nothing(repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho refused by the hook >&2\nexit 1\n")
    hook.chmod(0o755)
    before = state(repository)
    with pytest.raises(ReleaseError, match=r"`git commit --quiet` failed: refused by the hook"):
        release(repository, "0.2.0", DAY)
    assert state(repository) == before


def test_a_refused_tag_leaves_no_commit(repository: Path) -> None:
    git(repository, "config", "tag.gpgSign", "true")
    git(repository, "config", "gpg.program", "/nowhere/gpg")
    before = state(repository)
    with pytest.raises(ReleaseError, match="`git tag --annotate` failed"):
        release(repository, "0.2.0", DAY)
    assert state(repository) == before


def test_a_folder_that_is_no_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["0.2.0"], tmp_path) == 1
    assert capsys.readouterr().err.startswith("no release: `git rev-parse --abbrev-ref` failed: fatal: not a git")


def test_a_version_without_an_entry() -> None:
    after = released(CHANGELOG, "0.2.0", DAY)
    with pytest.raises(ReleaseError, match="says nothing"):
        released(after, "0.3.0", DAY)
