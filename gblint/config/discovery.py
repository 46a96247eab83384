"""Which files may configure what lies in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator

OWN = "gblint.toml"
SHARED = "pyproject.toml"


def candidates(folder: str) -> Iterator[str]:
    """The files from a folder upwards, the nearest first: our own, and those for all tools that have our name in them.

    A file that does not name gblint is passed by.
    """
    for top in _upwards(folder):
        own, shared = os.path.join(top, OWN), os.path.join(top, SHARED)
        if os.path.isfile(own):
            yield own
        if os.path.isfile(shared) and _names_gblint(shared):
            yield shared


def passed_by(folder: str) -> str | None:
    """The nearest file for all tools, from a folder upwards, if it is the one that would count, but has no settings."""
    for top in _upwards(folder):
        shared = os.path.join(top, SHARED)
        if os.path.isfile(os.path.join(top, OWN)):
            return None
        if os.path.isfile(shared):
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
        with open(path, "rb") as file:
            return b"gblint" in file.read()
    except OSError:
        return True
