"""The files that git tracks, read from the index of a repository; git itself is not run.

The format is in ``Documentation/gitformat-index.txt`` of git.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gblint.runtime.files import MAX_SETTINGS, read_bytes, read_text

MAX_INDEX = 1 << 28
"""Bytes of the largest index that is read."""
_HEADER = 12
_FLAGS = 60  # offset of the flags in an entry: ten 32-bit numbers and a SHA-1 before them
_EXTENDED, _LENGTH = 0x4000, 0x0FFF


class TrackedFiles:
    """The files that git tracks in one repository, read on first use; none if the index cannot be read."""

    __slots__ = ("_data", "_paths", "_root")

    def __init__(self, repository: Path) -> None:
        self._root = str(repository).rstrip(os.sep) + os.sep
        self._data: bytes | None = None
        self._paths: frozenset[str] | None = None

    def contains(self, path: str, *, is_dir: bool) -> bool:
        """Return whether git tracks a file, or anything in a folder; ``path`` is absolute."""
        if not path.startswith(self._root):
            return False
        relative = path[len(self._root) :].replace(os.sep, "/")
        data = self._read()
        # Most ignored files are not in the index at all, and its entries need not be taken apart.
        if not data or (data[7] != 4 and os.fsencode(relative) not in data):
            return False
        if self._paths is None:
            self._paths = _with_folders(data)
        return (relative + "/" if is_dir else relative) in self._paths

    def _read(self) -> bytes:
        if self._data is None:
            try:
                data = read_bytes(_git_folder(self._root) / "index", MAX_INDEX)
            except (OSError, ValueError):
                data = b""
            self._data = data if data[:4] == b"DIRC" and data[4:7] == bytes(3) and data[7:8] in b"\2\3\4" else b""
        return self._data


def _git_folder(root: str) -> Path:
    """Return the folder of the index: ``.git``, or the one in the file ``.git`` of a work tree or submodule."""
    found = Path(root, ".git")
    if found.is_dir():
        return found
    text = read_text(found, limit=MAX_SETTINGS)
    return Path(root, text.partition("gitdir:")[2].strip() or ".git")


def _with_folders(data: bytes) -> frozenset[str]:
    """Return the paths of an index and of all their folders, which end in ``/``; nothing if it is malformed."""
    found: set[str] = set()
    try:
        for name in _names(data):
            path = os.fsdecode(name)
            found.add(path)
            end = path.rfind("/")
            while end > 0 and path[: end + 1] not in found:
                found.add(path[: end + 1])
                end = path.rfind("/", 0, end)
    except ValueError:
        return frozenset()
    return frozenset(found)


def _names(data: bytes) -> Iterator[bytes]:
    """Yield the names of the entries; raises ValueError for an index in another format, such as one of SHA-256."""
    version = data[7]
    position, name = _HEADER, b""
    for _ in range(int.from_bytes(data[8:_HEADER], "big")):
        start = position
        flags = int.from_bytes(data[start + _FLAGS : start + _FLAGS + 2], "big")
        position = start + _FLAGS + (4 if version > 2 and flags & _EXTENDED else 2)
        kept = 0
        if version == 4:
            dropped, position = _variable_number(data, position)
            kept = len(name) - dropped
            if kept < 0:
                raise ValueError("malformed index")
        end = data.index(b"\0", position)
        name = name[:kept] + data[position:end]
        if min(len(name), _LENGTH) != flags & _LENGTH:
            raise ValueError("malformed index")
        yield name
        # Entries are padded to a multiple of eight bytes, and end in at least one null byte.
        position = end + 1 if version == 4 else start + (end - start) // 8 * 8 + 8


def _variable_number(data: bytes, position: int) -> tuple[int, int]:
    """Return a number in the variable width encoding of git's packs (``OFS_DELTA``), and the position behind it."""
    value = -1
    while True:
        if position >= len(data):
            raise ValueError("malformed index")
        byte = data[position]
        position += 1
        value = (value + 1) << 7 | byte & 0x7F
        if not byte & 0x80:
            return value, position
