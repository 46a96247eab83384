"""Clones of the judged repositories, each at its judged commit."""

from __future__ import annotations

import subprocess
from pathlib import Path

GITHUB = "https://github.com/{repository}.git"


def folder_of(clones: Path, repository: str) -> Path:
    """Return the folder of the clone of ``owner/name``."""
    return clones / repository.replace("/", "+")


def fetch(clones: Path, repository: str, commit: str, source: str = GITHUB) -> str:
    """Clone one commit of a repository; return the error of git, or an empty text."""
    folder = folder_of(clones, repository)
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
    """Return the commit that is checked out in a folder; empty if it is not a clone."""
    if not folder.is_dir():
        return ""
    run = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, check=False)
    return run.stdout.strip() if run.returncode == 0 else ""
