"""Which files may configure what lies in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator

OWN = "gblint.toml"
SHARED = "pyproject.toml"


def candidates(folder: str) -> Iterator[str]:
    """The files from a folder upwards, the nearest first: our own, and those for all tools that have our name in them.

    What is wrong with a file that does not even name gblint is for others to say.
    """
    while True:
        own, shared = os.path.join(folder, OWN), os.path.join(folder, SHARED)
        if os.path.isfile(own):
            yield own
        if os.path.isfile(shared) and _names_gblint(shared):
            yield shared
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
