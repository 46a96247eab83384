"""Search for the configuration file of a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator

from gblint.runtime.files import MAX_SETTINGS, read_bytes

GBLINT_TOML = "gblint.toml"
PYPROJECT = "pyproject.toml"


def config_files(folder: str) -> Iterator[str]:
    """Yield the possible configuration files from ``folder`` upwards, the nearest first.

    A pyproject.toml that does not contain the word gblint is left out; one that does may still lack ``[tool.gblint]``.
    A file that cannot be read, such as a link to nothing, is not left out, so that its reader raises an error.
    """
    for top in _upwards(folder):
        own, shared = os.path.join(top, GBLINT_TOML), os.path.join(top, PYPROJECT)
        if os.path.lexists(own):
            yield own
        if os.path.lexists(shared) and _names_gblint(shared):
            yield shared


def nearest_pyproject_without_section(folder: str) -> str | None:
    """Return the nearest pyproject.toml from ``folder`` upwards if it does not contain the word gblint.

    None if it does, or if a gblint.toml is as near.
    """
    for top in _upwards(folder):
        shared = os.path.join(top, PYPROJECT)
        if os.path.lexists(os.path.join(top, GBLINT_TOML)):
            return None
        if os.path.lexists(shared):
            return None if _names_gblint(shared) else shared
    return None


def _upwards(folder: str) -> Iterator[str]:
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _names_gblint(path: str) -> bool:
    try:
        return b"gblint" in read_bytes(path, MAX_SETTINGS)
    except OSError:
        return True
