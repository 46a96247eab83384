"""What runs have shown, kept until the code changes.

One file for each source file, in the user's cache folder.  A verdict is kept under a hash of the function's text and of
what the finding says there, so that it is forgotten when either changes, and not when the function moves.  A file that
cannot be read counts for nothing and is written anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gblint.cache import user_dirs
from gblint.confirm.jobs import decode
from gblint.confirm.statements import SourceFiles
from gblint.diagnostics.finding import Confirmation, Finding
from gblint.project.source_text import Source

VERSION = 1
MAX_VERDICTS_PER_FILE = 2000  # verdicts kept for one file
_LASTING = ("confirmed", "refuted")


@dataclass(frozen=True)
class VerdictStore:
    """Verdicts in a folder."""

    folder: Path

    @classmethod
    def default(cls) -> VerdictStore:
        """The one in the user's cache folder."""
        return cls(user_dirs.confirmations())

    def remember(self, findings: Iterable[Finding], source: Source) -> None:
        """Keep what runs say of these findings; a folder that cannot be written to is no error."""
        files = SourceFiles(source)
        by_path: dict[str, list[Finding]] = {}
        for finding in findings:
            if finding.confirmation is not None and finding.confirmation.verdict in _LASTING:
                by_path.setdefault(_full(finding.span.path), []).append(finding)
        for path, several in by_path.items():
            kept = self._read(path)
            for finding in several:
                said = finding.confirmation
                assert said is not None
                known = kept.setdefault(_key(finding, files), {})
                where = f"{said.torch_version} on {said.device}"
                # What broke once breaks; other arguments may have taken another way.
                if known.get(where, {}).get("verdict") != "confirmed":
                    known[where] = asdict(replace(said, by=None))
            with contextlib.suppress(OSError):
                self._write(path, dict(list(kept.items())[-MAX_VERDICTS_PER_FILE:]))

    def recall(self, findings: Iterable[Finding], torch_version: str, source: Source) -> Iterator[Finding]:
        """The findings, each with what runs on a torch of this version (as in "2.13") have said of it."""
        if not self.folder.is_dir():
            yield from findings
            return
        files = SourceFiles(source)
        read: dict[str, dict[str, Any]] = {}
        for finding in findings:
            path = _full(finding.span.path)
            if path not in read:
                read[path] = self._read(path)
            said = list(_same_torch(read[path].get(_key(finding, files), {}), torch_version)) if read[path] else []
            best = min(said, key=lambda each: _LASTING.index(each.verdict), default=None)
            yield finding if best is None else replace(finding, confirmation=replace(best, remembered=True))

    def _file(self, path: str) -> Path:
        return self.folder / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:32]}.json"

    def _read(self, path: str) -> dict[str, Any]:
        try:
            data = json.loads(self._file(path).read_text(encoding="utf-8"))
            kept = data["verdicts"] if data["version"] == VERSION and data["path"] == path else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        if not isinstance(kept, dict):
            return {}
        return {key: value for key, value in kept.items() if isinstance(value, dict)}

    def _write(self, path: str, kept: dict[str, Any]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.folder, suffix=".new")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"version": VERSION, "path": path, "verdicts": kept}, file)
            os.replace(name, self._file(path))
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise


def _same_torch(kept: dict[str, Any], torch_version: str) -> Iterator[Confirmation]:
    for data in kept.values():
        try:
            said = decode(Confirmation, data)
        except ValueError:
            continue
        if said.verdict in _LASTING and said.torch_version.split(".")[:2] == torch_version.split(".")[:2]:
            yield said


def _key(finding: Finding, files: SourceFiles) -> str:
    """A hash of the function's text, the place of the finding in it, and what the finding is."""
    path = finding.span.path
    function = files[path].function(finding.span.line)
    first, last = function.first, function.last
    if function.name == "<module>":
        statement = files[path].statement(finding.span.line)
        first, last = statement.line, max(statement.line, statement.end_line)
    text = "\n".join(files.source.lines(path)[first - 1 : last])
    place = f"{finding.span.line - first}:{finding.span.column}:{finding.code}:{finding.message}"
    return hashlib.sha256(f"{text}\0{place}".encode("utf-8", errors="surrogatepass")).hexdigest()


def _full(path: str) -> str:
    return os.path.realpath(path)
