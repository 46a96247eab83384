"""The cache of results on disk.

The key of an entry covers the request: the paths, the files below them, the settings, the environment, and the versions
of gblint, of its own sources and of Python.  An entry is valid as long as every folder that a module was looked up in
has the same entries.  A hit names the files that have changed since; the caller decides what they affect.

An entry is JSON with a checksum, in a folder of the user; nothing in it is ever executed.  A damaged or unreadable
entry is ignored, and so is a folder that cannot be written.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gblint.cache import user_dirs
from gblint.cache.codec import Decoder, Encoder
from gblint.cache.fingerprint import (
    RecordedStamps,
    is_same_folder,
    stamp_of_file,
    stamp_of_folder,
    updated_stamp,
)
from gblint.project.modules import Stamp
from gblint.runtime.digests import digest
from gblint.runtime.files import write_whole
from gblint.runtime.lazy_dataclasses import dataclass

FORMAT = 1
MAX_BYTES = 256 << 20
MAX_ENTRIES = 200
_PRIVATE, _PRIVATE_FILE = 0o700, 0o600
_ENTRY = re.compile(r"[0-9a-f]{40}.*")


@dataclass(frozen=True, slots=True)
class CacheHit:
    """A cached result, the files that have ``changed`` since, and the present stamps of all other files."""

    result: Any
    changed: frozenset[str]
    stamps: RecordedStamps


@dataclass(frozen=True, slots=True)
class Dependencies:
    """The files and folders that a result depends on.

    ``files``: the stamps of the files that were read; None for a file that was unreadable or changed during the run.
    ``folders``: the entries of the folders that were listed.
    ``earlier``: the stamps of an earlier run that are still valid.
    """

    files: Mapping[str, Stamp | None]
    folders: Mapping[str, frozenset[str]]
    earlier: RecordedStamps | None = None

    def also(self, other: Dependencies) -> Dependencies:
        """Add the dependencies of another process; a file or folder that differs between both becomes None."""
        files = dict(self.files)
        for path, stamp in other.files.items():
            known = files.setdefault(path, stamp)
            if known is not stamp and (known is None or stamp is None or known.digest != stamp.digest):
                files[path] = None
        differing = {path for path, names in other.folders.items() if self.folders.get(path, names) != names}
        files.update(dict.fromkeys(differing))
        return Dependencies(files, {**other.folders, **self.folders}, self.earlier or other.earlier)


class Cache:
    """The entries in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / f"scans-{FORMAT}"

    @classmethod
    def default(cls) -> Cache:
        """Return the cache of the user, in $GBLINT_CACHE_DIR if that is set."""
        folder = os.environ.get("GBLINT_CACHE_DIR")
        return cls(Path(folder) if folder else user_dirs.user_cache())

    def get(self, key: str, kind: Any) -> CacheHit | None:
        """Return the result under ``key`` as an object of the type ``kind``; None without a valid one."""
        path = self.folder / key
        try:
            head, _, body = path.read_bytes().partition(b"\n")
            if head.decode("ascii") != digest(body):
                return None
            entry = json.loads(body)
            if not all(is_same_folder(folder, *stamp) for folder, stamp in entry["folders"].items()):
                return None
            updated = {file: updated_stamp(file, *stamp) for file, stamp in entry["files"].items()}
            result = Decoder(entry["strings"]).decode(kind, entry["result"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the entries used longest ago are removed first
        valid = {file: stamp for file, stamp in updated.items() if stamp is not None}
        return CacheHit(result, frozenset(updated) - frozenset(valid), RecordedStamps(valid, entry["folders"]))

    def put(self, key: str, result: Any, dependencies: Dependencies) -> None:
        """Store a result, unless a dependency has changed during the run."""
        now = time.time_ns()
        files = {path: stamp_of_file(stamp, now) for path, stamp in dependencies.files.items() if stamp is not None}
        folders = {path: stamp_of_folder(path, names, now) for path, names in dependencies.folders.items()}
        if len(files) < len(dependencies.files) or None in folders.values():
            return
        earlier = dependencies.earlier or RecordedStamps({}, {})
        if any(files.get(path, stamp)[-1] != stamp[-1] for path, stamp in earlier.files.items()):
            return
        files, folders = {**earlier.files, **files}, {**earlier.folders, **folders}
        encoder = Encoder()
        entry = {"files": files, "folders": folders, "result": encoder.encode(result), "strings": [*encoder.strings]}
        body = json.dumps(entry, separators=(",", ":")).encode("utf-8", "surrogatepass")
        with contextlib.suppress(OSError):
            self.folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            write_whole(self.folder / key, digest(body).encode("ascii") + b"\n" + body, _PRIVATE_FILE)
            self._prune()

    def clear(self) -> tuple[int, int]:
        """Remove all entries, of earlier releases too; returns their number and their bytes.  Raises OSError."""
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
        """Remove the entries used longest ago until the folder is within its limits."""
        with os.scandir(self.folder) as listing:
            entries = [(each.stat().st_mtime_ns, each.stat().st_size, each.path) for each in listing]
        total = 0
        for number, (_, size, path) in enumerate(sorted(entries, reverse=True)):
            total += size
            if total > MAX_BYTES or number >= MAX_ENTRIES:
                with contextlib.suppress(OSError):
                    os.unlink(path)
