"""Lets the C compiler know which code runs how often, by linting what our own tests are about.

With GBLINT_PROFILE=1, where gcc is the compiler; the build takes twice as long.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FOLDERS = ("tests/corpus", "tests/confirm/modules", "examples", "gblint")
# As the command does it, but for click, which is not there while a package is built.
_LINT = """
import sys
from pathlib import Path
from gblint.config.settings import Config
from gblint.pipeline.lint import LintRequest, lint
for folder in map(Path, sys.argv[1:]):
    found = lint(LintRequest((folder,)), Config(root=folder, assume_entries="always"), jobs=1)
    print(folder, found.report.files, "files")
"""


def wanted() -> bool:
    """Whether this is asked for."""
    return os.environ.get("GBLINT_PROFILE", "0") not in ("", "0")


def is_gcc(command: Sequence[str]) -> bool:
    """Whether a compiler, which may be called by way of another program such as ccache, understands these flags."""
    try:
        said = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return False
    return "Free Software Foundation" in said


def counting(counts: Path) -> list[str]:
    """The flags for what counts, into the folder ``counts``."""
    return ["-fprofile-generate", f"-fprofile-dir={counts}"]


def by(counts: Path) -> list[str]:
    """The flags for what is compiled by these counts; what never ran is left as it was."""
    return [f"-fprofile-use={counts}", "-fprofile-partial-training", "-Wno-missing-profile", "-Wno-coverage-mismatch"]


def train(root: Path, package: Path) -> None:
    """Lint with the extension modules below ``package``; CalledProcessError if that fails."""
    unwanted = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(root / "gblint", package / "gblint", ignore=unwanted, dirs_exist_ok=True)
    shutil.copytree(root / "rules", package / "gblint" / "rules", ignore=unwanted, dirs_exist_ok=True)
    folders = [str(root / name) for name in FOLDERS if (root / name).is_dir()]
    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONSAFEPATH": "1"}
    subprocess.run([sys.executable, "-c", _LINT, *folders], env=environment, check=True)
