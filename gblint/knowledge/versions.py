"""The versions of torch that have data."""

from __future__ import annotations

import os

from gblint.knowledge.data_files import FOLDER

TYPE_CHECKING = False  # importing typing takes 2 ms

if TYPE_CHECKING:
    from packaging.version import Version


class UnknownTorchVersion(LookupError):
    """There is no data file for the requested version."""


def release(version: str) -> tuple[int, int]:
    """Return (major, minor) of a version such as ``2.13`` or ``2.13.1+cu126``; ValueError if it is not one."""
    major, minor = version.split("+")[0].split(".")[:2]
    return int(major), int(minor)


def parse_version(text: str) -> Version | None:
    """Parse a version of a package; None if it is not one."""
    from packaging.version import Version  # takes 4 ms, and few projects compare versions

    try:
        return Version(text)
    except ValueError:  # not a version, or one with a number that is too long
        return None


def available_versions() -> tuple[str, ...]:
    """Return the torch versions that have data, oldest first."""
    named = (name.removeprefix("torch-").removesuffix(".json") for name in os.listdir(FOLDER) if name[:6] == "torch-")
    return tuple(sorted((version for version in named if _is_release(version)), key=release))


def _is_release(name: str) -> bool:
    major, _, minor = name.partition(".")
    return major.isdecimal() and minor.isdecimal()
