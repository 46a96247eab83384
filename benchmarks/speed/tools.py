"""The linters with which gblint is compared, each in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# In an environment without flake8, which would run TorchFix as its plugin.  Installed without dependencies.
FLAKE8 = ("flake8==7.5.0", "pyflakes==4.1.0", "pycodestyle==2.15.0", "mccabe==0.7.0")
TORCHFIX = ("torchfix==0.7.0", "libcst==1.9.0", "PyYAML==6.0.3", *FLAKE8)


@dataclass(frozen=True, slots=True)
class Tools:
    """The commands of these linters."""

    flake8: tuple[str, ...]
    torchfix: tuple[str, ...]


def make(folder: Path) -> Tools:
    """Return the commands; create the environments below ``folder`` that do not exist."""
    flake8, torchfix = _environment(folder / "flake8", FLAKE8), _environment(folder / "torchfix", TORCHFIX)
    return Tools((str(flake8), "-m", "flake8"), (str(torchfix), "-m", "torchfix"))


def _environment(folder: Path, packages: tuple[str, ...]) -> Path:
    folder = folder.absolute()
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    stamp = folder / "installed.txt"
    wanted = "\n".join(packages)
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        _run(sys.executable, "-m", "venv", str(folder))
        _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *packages)
        stamp.write_text(wanted, encoding="utf-8")
    return python


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
