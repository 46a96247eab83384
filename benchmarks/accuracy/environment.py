"""The environment that the recorded packages are installed in; linting needs their sources only."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements.txt")


class NotInstalled(Exception):
    """Raised if recorded packages are not installed; the message is for the user."""


def make(folder: Path) -> Path:
    """Create or update the virtual environment with the packages of ``requirements.txt``; return its interpreter."""
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    wanted = REQUIREMENTS.read_text(encoding="utf-8")
    stamp = folder / "installed.txt"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    if not python.exists():
        _run(sys.executable, "-m", "venv", str(folder))
    # Each line pins one version. Their dependencies (torch above all) are not needed to read their sources.
    _run(
        str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--no-deps",
        "--requirement", str(REQUIREMENTS),
    )  # fmt: skip
    stamp.write_text(wanted, encoding="utf-8")
    return python


def site_packages(python: Path) -> Path:
    """Return the folder with the packages of ``python``."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(_run(str(python), "-c", code).strip()).resolve()


def check_versions(recorded: Mapping[str, str], folder: Path) -> None:
    """Raise NotInstalled, with the names of packages that are not installed in exactly the recorded version."""
    wrong = []
    for name, version in recorded.items():
        # The sources of torch itself are not linted.
        if name != "torch" and not _is_installed(name, version, folder):
            wrong.append(f"{name} {version}")
    if wrong:
        raise NotInstalled(f"not installed in {folder}: {', '.join(wrong)}")


def _is_installed(name: str, version: str, folder: Path) -> bool:
    """Return whether this version of a distribution, or of one that has a package of this name, is installed."""
    if any((folder / f"{each}-{version}.dist-info").is_dir() for each in (name.replace("-", "_"), name)):
        return True
    return any(
        any(file.parts[0] == name for file in each.files or ())
        for each in metadata.distributions(path=[str(folder)])
        if each.version == version
    )


def _run(*command: str) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
