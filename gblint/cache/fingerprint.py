"""Fingerprints of runs, files and folders: the key of a run, and the stamps that show a change.

A stamp has the modification time, the size, the inode and a digest.  Time and inode are compared first; the contents
are read if these differ, or if the time is too recent to show every change.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import gblint
from gblint import __version__
from gblint.project.modules import Stamp
from gblint.project.path_finder import listing_digest
from gblint.runtime.digests import digest
from gblint.runtime.files import read_bytes
from gblint.runtime.lazy_dataclasses import dataclass

# A file changed less than so many nanoseconds before it was read may change again with the same modification time.
RECENT = 2_000_000_000
# The times that stand for "compare the contents" and "the folder does not exist".
_UNRELIABLE, _MISSING = -1, -2


@dataclass(frozen=True, slots=True)
class RecordedStamps:
    """The stamps of files and folders in an entry of the cache, by path."""

    files: Mapping[str, list[Any]]
    folders: Mapping[str, list[Any]]


def key_of(parts: Iterable[object]) -> str:
    """Return the key of a run with these ``parts``, this gblint and this Python."""
    asked = [__version__, _own_sources(), sys.version_info[:3], sys.platform, *parts]
    return digest(repr(asked).encode(), 20)


@lru_cache(maxsize=1)
def _own_sources() -> str:
    """Return a digest of the sizes and times of gblint's own files, which may change under one version."""
    found: list[tuple[str, int, int]] = []
    rules = sys.modules.get("gblint.rules")
    pending = sorted({os.path.dirname(gblint.__file__), *(getattr(rules, "__path__", ()))})
    while pending:
        with contextlib.suppress(OSError), os.scandir(pending.pop()) as listing:
            for each in listing:
                if each.is_dir(follow_symlinks=False):
                    if each.name != "__pycache__":
                        pending.append(each.path)
                elif each.name.endswith((".py", ".json", ".gz", ".txt")):
                    status = each.stat()
                    found.append((each.path, status.st_size, status.st_mtime_ns))
    return digest(repr(sorted(found)).encode())


def stamp_of_file(stamp: Stamp, now: int) -> list[Any]:
    """Return the stamp of a file as it is recorded."""
    is_reliable = stamp.time < now - RECENT and stamp.time < stamp.read - RECENT
    return [stamp.time if is_reliable else _UNRELIABLE, stamp.size, stamp.inode, stamp.digest]


def stamp_of_folder(path: str, names: frozenset[str], now: int) -> list[Any] | None:
    """Return the stamp of a folder in which ``names`` were found; None if it has other entries by now."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None if names else [_MISSING, 0, ""]
    found, listed = listing_digest(path)
    if found - {"__pycache__"} != names - {"__pycache__"}:
        return None
    return [status.st_mtime_ns if status.st_mtime_ns < now - RECENT else _UNRELIABLE, status.st_ino, listed]


def updated_stamp(path: str, changed: int, size: int, inode: int, contents: str) -> list[Any] | None:
    """Return the present stamp of a file with a recorded stamp; None if its contents have changed."""
    now = time.time_ns()
    try:
        status = os.stat(path)
        if status.st_size != size:
            return None
        if (status.st_mtime_ns, status.st_ino) == (changed, inode):
            return [changed, size, inode, contents]
        if digest(read_bytes(path)) != contents:
            return None
    except (OSError, ValueError):
        return None
    return stamp_of_file(Stamp(status.st_mtime_ns, size, status.st_ino, now, contents), now)


def is_same_folder(path: str, changed: int, inode: int, listed: str) -> bool:
    """Return whether a folder with a recorded stamp still has the same entries."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return changed == _MISSING
    if (status.st_mtime_ns, status.st_ino) == (changed, inode):
        return True
    return listing_digest(path)[1] == listed
