"""The Pythons of this machine that gblint supports: ``python -m tools.pythons`` prints the path of each.

The versions are those of the classifiers in pyproject.toml.  They are looked for on PATH, and where pyenv and uv
install them.  A version that is not found is named on standard error.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_METADATA = Path(__file__).resolve().parents[1] / "pyproject.toml"
_FOLDERS = (".pyenv/versions/{0}.*/bin/python{0}", ".local/share/uv/python/cpython-{0}.*/bin/python{0}")
_QUESTION = "import sys; print('%d.%d' % sys.version_info[:2])"


def supported() -> list[str]:
    """Return the versions of the classifiers, such as ``3.10``."""
    return re.findall(r'"Programming Language :: Python :: (3\.\d+)"', _METADATA.read_text(encoding="utf-8"))


def find(version: str, home: Path | None = None) -> Path | None:
    """Return an interpreter of this version, None if there is none that runs."""
    return next((path for path in _candidates(version, home or Path.home()) if _runs(path, version)), None)


def _candidates(version: str, home: Path) -> Iterator[Path]:
    if found := shutil.which(f"python{version}"):
        yield Path(found)
    for pattern in _FOLDERS:
        yield from sorted(home.glob(pattern.format(version)))


def _runs(path: Path, version: str) -> bool:
    """Return whether it is such an interpreter: pyenv puts a command for each version on PATH, of which few run."""
    try:
        run = subprocess.run([path, "-I", "-c", _QUESTION], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return run.stdout.strip() == version


def main() -> int:
    """Exit status: 0; 1 if no Python was found."""
    found = {version: find(version) for version in supported()}
    for version, path in found.items():
        print(path) if path else print(f"there is no Python {version} here", file=sys.stderr)
    return 0 if any(found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
