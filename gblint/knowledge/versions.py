"""Which versions of torch there are data for."""

from __future__ import annotations

import os
import re

from gblint.knowledge.stored import FOLDER

_FILE = re.compile(r"torch-(\d+\.\d+)\.json")


class UnknownTorchVersion(LookupError):
    """There is no data file for the version asked for."""


def release(version: str) -> tuple[int, int]:
    """(major, minor) of a version such as ``2.13`` or ``2.13.1+cu126``; ValueError if it is not one."""
    major, minor = version.split("+")[0].split(".")[:2]
    return int(major), int(minor)


def available_versions() -> tuple[str, ...]:
    """The torch versions there are data for, oldest first."""
    found = (_FILE.fullmatch(name) for name in os.listdir(FOLDER))
    return tuple(sorted((match[1] for match in found if match), key=release))
