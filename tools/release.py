"""Make the commit and the tag of a release: ``python -m tools.release 0.2.0``.

It writes the version to ``gblint/__init__.py`` and to the files of the VS Code extension, gives the entry [Unreleased]
of the changelog the version and the date as its title, and adds a new, empty [Unreleased].  Nothing is pushed.
"""

from __future__ import annotations

import argparse
import difflib
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timezone
from pathlib import Path

from packaging.version import InvalidVersion, Version

from tools.clean_builds import ROOT

# The store of VS Code takes no other versions.
_VERSION = re.compile(r"(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}", re.ASCII)
_UNRELEASED = re.compile(r"^## \[Unreleased\].*\n", re.MULTILINE)
_CHANGELOG = "CHANGELOG.md"
_PACKAGE = "gblint/__init__.py"
# Each file that states the version, with the number of times and a pattern of the text before and after it.
_PLACES = {
    _PACKAGE: (1, r'^(__version__ = ")([^"\n]*)(")$'),
    "editors/vscode/package.json": (1, r'^(  "version": ")([^"\n]*)(",)$'),
    "editors/vscode/package-lock.json": (2, r'^(\s+"name": "gblint",\n\s+"version": ")([^"\n]*)(",)$'),
}
# `.ci/run` writes the commit that has passed all checks to this file.
CHECKED = "build/checked-commit"
_HALF_DONE = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD")


class ReleaseError(Exception):
    """The reason why there is no release.  The repository is as it was before."""


def released(changelog: str, version: str, day: date) -> str:
    """Return the changelog with the unreleased entry under the version; raise ReleaseError if the entry is empty."""
    headings = list(_UNRELEASED.finditer(changelog))
    if len(headings) != 1:
        raise ReleaseError(f"the changelog has {len(headings)} entries [Unreleased]")
    if re.search(rf"^## \[{re.escape(version)}\]", changelog, re.MULTILINE):
        raise ReleaseError(f"the changelog has an entry [{version}] already")
    (match,) = headings
    if not re.sub(r"^#.*", "", changelog[match.end() :].partition("\n## ")[0], flags=re.MULTILINE).strip():
        raise ReleaseError("the changelog says nothing about this version: its entry [Unreleased] is empty")
    heading = f"## [Unreleased]\n\n## [{version}] - {day.isoformat()}\n"
    return changelog[: match.start()] + heading + changelog[match.end() :]


def changes(root: Path, version: str, day: date) -> dict[str, tuple[str, str]]:
    """Return the text before and after of each file of the release."""
    found = {}
    for name, (times, pattern) in _PLACES.items():
        before = _text(root / name)
        after, replaced = re.subn(pattern, rf"\g<1>{version}\g<3>", before, flags=re.MULTILINE)
        if replaced != times:
            raise ReleaseError(f"{name} states the version in {replaced} places instead of {times}")
        found[name] = (before, after)
    changelog = _text(root / _CHANGELOG)
    found[_CHANGELOG] = (changelog, released(changelog, version, day))
    return found


def problems(root: Path, version: str, need_checks: bool = True) -> Iterator[str]:
    """Yield each reason why the repository cannot have this release now."""
    branch = _git(root, "rev-parse", "--abbrev-ref", "HEAD")
    if branch != "main":
        yield (
            "no branch is checked out; a release is made on main"
            if branch == "HEAD"
            else f"on branch {branch}, not main"
        )
    if _git(root, "rev-parse", "--is-shallow-repository") == "true":
        yield "a shallow clone does not have all tags: run `git fetch --unshallow --tags`"
    for name in _HALF_DONE:
        if _asked(root, "rev-parse", "--quiet", "--verify", name):
            yield f"an operation of git is not finished: there is {name}"
    if changed := _git(root, "status", "--porcelain"):
        yield "there are changes that are not committed:\n" + changed
    behind = _asked(root, "rev-list", "--count", "HEAD..@{upstream}")
    if behind not in (None, "0"):
        yield f"main lacks {behind} commits of its upstream: run `git pull`"
    if need_checks:
        yield from _unchecked(root)
    yield from _order(root, version)


def _unchecked(root: Path) -> Iterator[str]:
    """Yield the problem if this commit has not passed the checks."""
    try:
        checked = (root / CHECKED).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        checked = ""
    if checked != _git(root, "rev-parse", "HEAD"):
        found = f"they passed on {checked[:12]}" if checked else f"there is no {CHECKED}"
        yield f"the checks have not passed on this commit ({found}): run `.ci/run`, or pass --without-checks"


def _order(root: Path, version: str) -> Iterator[str]:
    """Yield the problem if there is a tag of this version or of a later one, or the source has a later version."""
    match = re.search(_PLACES[_PACKAGE][1], _text(root / _PACKAGE), re.MULTILINE)
    if match is not None and (present := _version(match[2])) is not None and present > Version(version):
        yield f"{_PACKAGE} has {match[2]}, which is later than {version}"
    for tag in _git(root, "tag", "--list", "v*").split():
        other = _version(tag[1:])
        if other == Version(version):
            yield f"there is a tag {tag} already"
        elif other is not None and other > Version(version):
            yield f"there is a tag {tag}, which is later than {version}"


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def release(root: Path, version: str, day: date, *, need_checks: bool = True, dry_run: bool = False) -> str:
    """Write the version and the changelog, commit and tag; return the difference.  Raise ReleaseError if it fails."""
    if not _VERSION.fullmatch(version):
        raise ReleaseError(f"not a version like 1.2.3: {version!r}")
    if found := list(problems(root, version, need_checks)):
        raise ReleaseError("\n".join(found))
    made = changes(root, version, day)
    if not dry_run:
        _commit(root, version, made)
    return "".join(_difference(name, before, after) for name, (before, after) in made.items())


def _commit(root: Path, version: str, made: dict[str, tuple[str, str]]) -> None:
    """Write, commit and tag.  If a step fails, the branch and the files are as before."""
    before = _git(root, "rev-parse", "HEAD")
    try:
        for name, (_, text) in made.items():
            (root / name).write_text(text, encoding="utf-8", newline="")
        _git(root, "commit", "--quiet", "--message", f"version {version}", "--", *made)
        _git(root, "tag", "--annotate", "--message", f"gblint {version}", f"v{version}")
    except BaseException:
        # Nothing was uncommitted before, so nothing of somebody else is lost.
        subprocess.run(["git", "reset", "--quiet", "--hard", before], cwd=root, check=True)
        raise


def _difference(name: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), f"a/{name}", f"b/{name}", n=1)
    return "".join(lines)


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ReleaseError(f"{path} cannot be read: {error}") from None


def _asked(root: Path, *arguments: str) -> str | None:
    """Return the output of git, None if it fails."""
    try:
        return _git(root, *arguments)
    except ReleaseError:
        return None


def _git(root: Path, *arguments: str) -> str:
    """Return the output of git; raise ReleaseError with its message if it fails."""
    try:
        run = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ReleaseError(f"git cannot be run: {error}") from None
    if run.returncode:
        raise ReleaseError(f"`git {' '.join(arguments[:2])}` failed: {(run.stderr or run.stdout).strip()}")
    return run.stdout.strip()


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Run the command line.  Exit status: 0; 1 if there is no release."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("version", help="the version to release, such as 0.2.0")
    parser.add_argument("--dry-run", action="store_true", help="show the changes and make none")
    parser.add_argument("--without-checks", action="store_true", help=f"do not ask for {CHECKED}, written by .ci/run")
    options = parser.parse_args(arguments)
    today = datetime.now(timezone.utc).date()
    need_checks, dry_run = not options.without_checks, options.dry_run
    try:
        print(release(root, options.version, today, need_checks=need_checks, dry_run=dry_run))
    except ReleaseError as error:
        print(f"no release: {error}", file=sys.stderr)
        return 1
    tag = f"v{options.version}"
    if dry_run:
        print(f"would be committed and tagged {tag}; nothing was changed")
    else:
        print(f"committed and tagged {tag}; `git push --follow-tags` publishes it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
