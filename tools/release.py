"""Make the commit and the tag of a release: ``python -m tools.release 0.2.0``.

It writes the version to ``gblint/__init__.py``, where everything else reads it, gives the entry [Unreleased] of the
changelog the version as its title, and adds a new, empty [Unreleased].  Nothing is pushed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import date, datetime, timezone
from pathlib import Path

from tools.clean_builds import ROOT

_VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
_UNRELEASED = re.compile(r"^## \[Unreleased\].*\n", re.MULTILINE)
_PLACE = re.compile(r'^__version__ = ".*"$', re.MULTILINE)


def released(changelog: str, version: str, day: date) -> str:
    """Return the changelog with the unreleased entry under the version; raise ValueError if the entry is empty."""
    match = _UNRELEASED.search(changelog)
    if match is None:
        raise ValueError("the changelog has no entry [Unreleased]")
    if not re.sub(r"^#.*", "", changelog[match.end() :].partition("\n## ")[0], flags=re.MULTILINE).strip():
        raise ValueError("the changelog says nothing about this version")
    heading = f"## [Unreleased]\n\n## [{version}] - {day.isoformat()}\n"
    return changelog[: match.start()] + heading + changelog[match.end() :]


def release(root: Path, version: str, day: date) -> None:
    """Write the version and the changelog, commit and tag; raise ValueError if that is not possible."""
    if not _VERSION.fullmatch(version):
        raise ValueError(f"not a version: {version}")
    if _git(root, "status", "--porcelain"):
        raise ValueError("there are changes that are not committed")
    if _git(root, "tag", "--list", f"v{version}"):
        raise ValueError(f"there is a tag v{version} already")
    changelog, package = root / "CHANGELOG.md", root / "gblint" / "__init__.py"
    text = released(changelog.read_text(encoding="utf-8"), version, day)
    package.write_text(_PLACE.sub(f'__version__ = "{version}"', package.read_text(encoding="utf-8")), encoding="utf-8")
    changelog.write_text(text, encoding="utf-8")
    _git(root, "commit", "--quiet", "--all", "--message", f"version {version}")
    _git(root, "tag", "--annotate", "--message", f"gblint {version}", f"v{version}")


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, stdout=subprocess.PIPE, text=True, check=True).stdout


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("version")
    version = parser.parse_args(arguments).version
    try:
        release(ROOT, version, datetime.now(timezone.utc).date())
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"committed and tagged v{version}; `git push --follow-tags` publishes it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
