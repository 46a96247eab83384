"""What was found in earlier runs, kept on disk as long as nothing that it depends on has changed.

An entry is found by everything that a run was asked (the paths, the files below them, the settings, the environment,
the versions of gblint, of its own sources and of Python) and holds only while every folder that a module was looked up
in has the same entries.  Of the files that were read it says which have other bytes now: what hangs on those is for
whoever kept the entry to know.  Both are told from the time, the size and the inode first, and from the contents where
these differ or are so young that a change may not show in them.

An entry is JSON with a checksum, in a folder of the user's own: nothing in it is ever run.  One that is damaged, or
that cannot be read, counts for nothing; a folder that cannot be written to is no error.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import time
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import gblint
from gblint import __version__
from gblint.cache import user_dirs
from gblint.project.modules import Stamp
from gblint.project.path_finder import listing_digest
from gblint.runtime.lazy_dataclasses import dataclass

FORMAT = 1
MOST_BYTES = 256 << 20
MOST_ENTRIES = 200
# A file that was changed so shortly before it was read may change again without its time showing it.
YOUNG = 2_000_000_000
_PRIVATE = 0o700
_ENTRY = re.compile(r"[0-9a-f]{40}.*")


@dataclass(frozen=True, slots=True)
class RecordedStamps:
    """How files and folders were seen to be, as an entry tells it, by their paths."""

    files: Mapping[str, list[Any]]
    folders: Mapping[str, list[Any]]


@dataclass(frozen=True, slots=True)
class CacheHit:
    """What was kept, the files that have ``changed`` since, and how all the others were ``seen`` to be."""

    result: Any
    changed: frozenset[str]
    seen: RecordedStamps


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What a result depends on: the files that were read, and the entries of the folders that were listed.

    A file is under its path with None where it could not be read, or was not the same all the time.  ``earlier`` is
    what an earlier run has seen, and this one found to be so still.
    """

    files: Mapping[str, Stamp | None]
    folders: Mapping[str, frozenset[str]]
    earlier: RecordedStamps | None = None

    def also(self, other: Dependencies) -> Dependencies:
        """With what another process has read, which has to be the same for both."""
        files = dict(self.files)
        for path, stamp in other.files.items():
            known = files.setdefault(path, stamp)
            if known is not stamp and (known is None or stamp is None or known.digest != stamp.digest):
                files[path] = None
        differing = {path for path, names in other.folders.items() if self.folders.get(path, names) != names}
        files.update(dict.fromkeys(differing))
        return Dependencies(files, {**other.folders, **self.folders}, self.earlier or other.earlier)


class Cache:
    """Entries in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / f"scans-{FORMAT}"

    @classmethod
    def default(cls) -> Cache:
        """The one in the user's cache folder, or where $GBLINT_CACHE_DIR says."""
        told = os.environ.get("GBLINT_CACHE_DIR")
        if told:
            return cls(Path(told))
        return cls(user_dirs.user_cache())

    def recall(self, key: str, kind: Any) -> CacheHit | None:
        """What is kept under ``key``, as an object of the type ``kind``; None if there is none that holds."""
        path = self.folder / key
        try:
            head, _, body = path.read_bytes().partition(b"\n")
            if head.decode("ascii") != _digest(body):
                return None
            entry = json.loads(body)
            if not all(_same_folder(path, *told) for path, told in entry["folders"].items()):
                return None
            files = {path: _same_file(path, *told) for path, told in entry["files"].items()}
            found = _Reader(entry["strings"]).read(kind, entry["result"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # what was of use stays longest
        seen = RecordedStamps({path: told for path, told in files.items() if told is not None}, entry["folders"])
        return CacheHit(found, frozenset(files) - frozenset(seen.files), seen)

    def keep(self, key: str, result: Any, evidence: Dependencies) -> None:
        """Keep ``result`` for as long as the evidence is the same."""
        now = time.time_ns()
        files = {path: _of_age(stamp, now) for path, stamp in evidence.files.items() if stamp is not None}
        folders = {path: _folder(path, names, now) for path, names in evidence.folders.items()}
        if len(files) < len(evidence.files) or None in folders.values():
            return
        earlier = evidence.earlier or RecordedStamps({}, {})
        if any(files.get(path, told)[-1] != told[-1] for path, told in earlier.files.items()):
            return  # changed meanwhile
        files, folders = {**earlier.files, **files}, {**earlier.folders, **folders}
        writer = _Writer()
        entry = {"files": files, "folders": folders, "result": writer.write(result), "strings": [*writer.strings]}
        body = json.dumps(entry, separators=(",", ":")).encode("utf-8", "surrogatepass")
        with contextlib.suppress(OSError):
            self.folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            _replace(self.folder / key, _digest(body).encode("ascii") + b"\n" + body)
            self._prune()

    def clear(self) -> tuple[int, int]:
        """Remove all entries, those of earlier releases too; how many there were, and their bytes.  Raises OSError."""
        number = total = 0
        top = self.folder.parent
        for folder in sorted(top.glob("scans-*")) if top.is_dir() else ():
            with os.scandir(folder) as listing:
                entries = [(each.path, each.stat().st_size) for each in listing if _ENTRY.fullmatch(each.name)]
            for path, size in entries:
                os.unlink(path)
                number, total = number + 1, total + size
            with contextlib.suppress(OSError):
                folder.rmdir()
        return number, total

    def _prune(self) -> None:
        """Remove what has been of no use for longest, until the folder is as small as it should be."""
        with os.scandir(self.folder) as listing:
            entries = [(each.stat().st_mtime_ns, each.stat().st_size, each.path) for each in listing]
        total = 0
        for number, (_, size, path) in enumerate(sorted(entries, reverse=True)):
            total += size
            if total > MOST_BYTES or number >= MOST_ENTRIES:
                with contextlib.suppress(OSError):
                    os.unlink(path)


def key_of(parts: Iterable[object]) -> str:
    """The name of the entry for a run that was asked all this."""
    asked = [__version__, _own_sources(), sys.version_info[:3], sys.platform, *parts]
    return blake2b(repr(asked).encode(), digest_size=20).hexdigest()


@lru_cache(maxsize=1)
def _own_sources() -> str:
    """What tells this gblint from one whose sources were changed under the same version."""
    found: list[tuple[str, int, int]] = []
    rules = sys.modules.get("gblint.rules")
    tops = {os.path.dirname(gblint.__file__), *(getattr(rules, "__path__", ()))}
    pending = sorted(tops)
    while pending:
        with contextlib.suppress(OSError), os.scandir(pending.pop()) as listing:
            for each in listing:
                if each.is_dir(follow_symlinks=False):
                    if each.name != "__pycache__":
                        pending.append(each.path)
                elif each.name.endswith((".py", ".json", ".gz", ".txt")):
                    status = each.stat()
                    found.append((each.path, status.st_size, status.st_mtime_ns))
    return _digest(repr(sorted(found)).encode())


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _of_age(stamp: Stamp, now: int) -> list[Any]:
    old = stamp.time < now - YOUNG and stamp.time < stamp.read - YOUNG
    return [stamp.time if old else -1, stamp.size, stamp.inode, stamp.digest]


def _folder(path: str, names: frozenset[str], now: int) -> list[Any] | None:
    """What tells that a folder has other entries; None if it has them already."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None if names else [-2, 0, ""]
    found, digest = listing_digest(path)
    if found - {"__pycache__"} != names - {"__pycache__"}:
        return None
    return [status.st_mtime_ns if status.st_mtime_ns < now - YOUNG else -1, status.st_ino, digest]


def _same_file(path: str, changed: int, size: int, inode: int, digest: str) -> list[Any] | None:
    """How a file is to be told from now on; None for one that has other bytes, or none."""
    now = time.time_ns()
    try:
        status = os.stat(path)
        if status.st_size != size:
            return None
        if (status.st_mtime_ns, status.st_ino) == (changed, inode):
            return [changed, size, inode, digest]
        if _digest(Path(path).read_bytes()) != digest:
            return None
    except (OSError, ValueError):
        return None
    return _of_age(Stamp(status.st_mtime_ns, size, status.st_ino, now, digest), now)


def _same_folder(path: str, changed: int, inode: int, digest: str) -> bool:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return changed == -2
    if (status.st_mtime_ns, status.st_ino) == (changed, inode):
        return True
    return listing_digest(path)[1] == digest


def _replace(path: Path, data: bytes) -> None:
    """Write a file so that whoever reads it sees all of it or nothing."""
    import tempfile  # few runs write anything

    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


# -- dataclasses as JSON -----------------------------------------------------------------------------------------------


class _Writer:
    """Plain data without the names of its types; texts, which mostly recur, by their numbers."""

    def __init__(self) -> None:
        self.strings: dict[str, int] = {}

    def write(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.strings.setdefault(value, len(self.strings))
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if isinstance(value, Enum):
            return self.write(value.value)
        if isinstance(value, frozenset):
            return sorted(self.write(each) for each in sorted(value))
        if isinstance(value, (list, tuple)):
            return [self.write(each) for each in value]
        return [self.write(getattr(value, name)) for name in type(value).__match_args__]


class _Reader:
    """Makes of such data what it was, going by the types that the fields are declared with."""

    def __init__(self, strings: list[str]) -> None:
        self._strings = strings
        self._readers: dict[Any, Callable[[Any], Any]] = {
            str: strings.__getitem__,
            int: _same,
            bool: _same,
            float: _same,
        }

    def read(self, kind: Any, data: Any) -> Any:
        """An object of the type ``kind``; raises TypeError or LookupError for data that is none."""
        return self._reader(kind)(data)

    def _reader(self, kind: Any) -> Callable[[Any], Any]:
        reader = self._readers.get(kind)
        if reader is None:
            reader = self._readers[kind] = self._new(kind)
        return reader

    def _new(self, kind: Any) -> Callable[[Any], Any]:
        origin = typing.get_origin(kind)
        if origin is typing.Literal:
            return self._reader(str)
        if origin in (typing.Union, types.UnionType):
            (inner,) = (self._reader(each) for each in typing.get_args(kind) if each is not type(None))
            return lambda data: None if data is None else inner(data)
        if origin is not None:
            member, make = self._reader(typing.get_args(kind)[0]), origin
            return lambda data: make(map(member, data))
        if isinstance(kind, type) and issubclass(kind, Enum):
            texts = {each.value for each in kind}
            known = {number: kind(text) for number, text in enumerate(self._strings) if text in texts}
            return known.__getitem__
        parts: list[Callable[[Any], Any]] = []
        made = self._readers[kind] = lambda data: kind(*[part(each) for part, each in zip(parts, data, strict=True)])
        parts += map(self._reader, _hints(kind))  # only now: a type may have fields of its own kind
        return made


def _same(data: Any) -> Any:
    return data


def _hints(kind: Any) -> list[Any]:
    hints = typing.get_type_hints(kind)
    return [hints[name] for name in kind.__match_args__]
