"""New environments, and copies of the files that git tracks, for builds from nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def new_environment(folder: Path, interpreter: str = sys.executable) -> Path:
    """Make a virtual environment; return its interpreter."""
    subprocess.run([interpreter, "-m", "venv", folder], check=True)
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def copy_tracked(target: Path) -> None:
    """Copy the files that git tracks, with their contents in the working tree."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)


def pip(python: Path, *arguments: str, **variables: str) -> None:
    """Run pip of an interpreter; raises CalledProcessError if it fails."""
    command = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, env={**os.environ, **variables}, check=True)
