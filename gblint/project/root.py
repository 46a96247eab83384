"""The root folder of a project."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

_ROOT_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", "gblint.toml", ".git", ".hg")
_SITE_NAMES = ("site-packages", "dist-packages")


def find_root(paths: Sequence[Path]) -> Path:
    """Return the nearest folder above the paths that contains a project marker, such as ``pyproject.toml``.

    If there is no marker, the result is the common folder of the paths, or the folder above the package if it is in
    one. For a path in an installed package, the result is the site-packages folder.
    """
    folders = [Path(os.path.abspath(path)) for path in paths]
    folders = [path if path.is_dir() else path.parent for path in folders]
    if not folders:
        return Path.cwd()
    try:
        common = Path(os.path.commonpath(folders))
    except ValueError:  # on different drives
        return Path.cwd()
    for folder in (common, *common.parents):
        if folder.name in _SITE_NAMES or any((folder / marker).exists() for marker in _ROOT_MARKERS):
            return folder
    while (common / "__init__.py").exists() and common.parent != common:
        common = common.parent
    return common
