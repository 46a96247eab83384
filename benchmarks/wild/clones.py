"""Clones of the judged repositories, each at its judged commit, and sources of judged packages.

A package is named ``pypi/name``, and its version stands for the commit.
"""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
import urllib.request
from pathlib import Path

GITHUB = "https://github.com/{repository}.git"
PYPI = "https://pypi.org/pypi/{name}/{version}/json"
_PACKAGE = "pypi/"


def folder_of(clones: Path, repository: str) -> Path:
    """Return the folder of the clone of ``owner/name``."""
    return clones / repository.replace("/", "+")


def fetch(clones: Path, repository: str, commit: str, source: str = GITHUB) -> str:
    """Clone one commit of a repository, or unpack a package; return the error, or an empty text."""
    folder = folder_of(clones, repository)
    if repository.startswith(_PACKAGE):
        return _unpack(folder, repository.removeprefix(_PACKAGE), commit)
    folder.mkdir(parents=True, exist_ok=True)
    steps = (
        ["git", "init", "--quiet"],
        ["git", "fetch", "--quiet", "--depth", "1", source.format(repository=repository), commit],
        ["git", "checkout", "--quiet", "FETCH_HEAD"],
    )
    for step in steps:
        run = subprocess.run(step, cwd=folder, capture_output=True, text=True, check=False)
        if run.returncode:
            return run.stderr.strip() or f"{' '.join(step[:2])} failed"
    return ""


def commit_of(folder: Path) -> str:
    """Return the commit that is checked out in a folder, or the version of a package; empty if it is neither."""
    if not folder.is_dir():
        return ""
    if folder.name.startswith(_PACKAGE.replace("/", "+")):
        return _version_of(folder)
    run = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, check=False)
    return run.stdout.strip() if run.returncode == 0 else ""


def _unpack(folder: Path, name: str, version: str) -> str:
    """Unpack the sources of a package, without the folder that contains them; return the error, or an empty text."""
    try:
        with urllib.request.urlopen(PYPI.format(name=name, version=version), timeout=60) as answer:
            files = json.load(answer)["urls"]
        url = next((each["url"] for each in files if each["packagetype"] == "sdist"), None)
        if url is None:
            return f"{name} {version} has no archive of its sources"
        with urllib.request.urlopen(url, timeout=300) as answer:
            content = answer.read()
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for member in archive.getmembers():
                member.name = member.name.partition("/")[2]
                if member.name:
                    archive.extract(member, folder, filter="data")
    except (OSError, ValueError, KeyError, tarfile.TarError) as error:
        return f"{name} {version}: {error}"
    return ""


def _version_of(folder: Path) -> str:
    try:
        lines = (folder / "PKG-INFO").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("Version:")), "")
