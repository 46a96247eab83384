"""Profile-guided optimization: gcc counts how often each piece of code runs while our own examples are linted.

Done with GBLINT_PROFILE=1 if the compiler is gcc; the build takes twice as long.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FOLDERS = ("tests/corpus", "tests/confirm/modules", "examples", "gblint")
# Does what the command line does, without click: it imports no dependency of gblint.
_LINT = """
import sys
from pathlib import Path
from gblint.config.settings import Config
from gblint.pipeline.lint import LintRequest, lint
for folder in map(Path, sys.argv[1:]):
    found = lint(LintRequest((folder,)), Config(folder).with_values(assume_entries="always"), jobs=1)
    print(folder, found.report.files, "files")
"""


def wanted() -> bool:
    """Return whether the environment asks for profile-guided optimization."""
    return os.environ.get("GBLINT_PROFILE", "0") not in ("", "0")


def is_gcc(command: Sequence[str]) -> bool:
    """Return whether the compiler is gcc, also if it is called through a program such as ccache."""
    try:
        version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return False
    return "Free Software Foundation" in version


def counting_flags(counts: Path) -> list[str]:
    """Return the flags for a build that writes counts to the folder ``counts``."""
    return ["-fprofile-generate", f"-fprofile-dir={counts}"]


def optimizing_flags(counts: Path) -> list[str]:
    """Return the flags for a build that uses the counts; code that never ran is optimized as without them."""
    return [f"-fprofile-use={counts}", "-fprofile-partial-training", "-Wno-missing-profile", "-Wno-coverage-mismatch"]


def train(root: Path, package: Path) -> None:
    """Lint the sample folders with the extension modules below ``package``; CalledProcessError if that fails."""
    unwanted = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(root / "gblint", package / "gblint", ignore=unwanted, dirs_exist_ok=True)
    shutil.copytree(root / "rules", package / "gblint" / "rules", ignore=unwanted, dirs_exist_ok=True)
    folders = [str(root / name) for name in FOLDERS if (root / name).is_dir()]
    # pip gives an isolated build environment, with the build requirements, in PYTHONPATH.
    path = os.pathsep.join(filter(None, (str(package), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
    subprocess.run([sys.executable, "-c", _LINT, *folders], env=environment, check=True)
