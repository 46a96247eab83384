"""Store of verdicts for later checks.

One file for each source file, in the user's cache folder. The key of a verdict is a hash of the function's text and of
the finding's place and message in it. So a verdict is lost when the function or the finding changes, but not when the
function moves. A file that cannot be read is ignored and replaced.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gblint.cache import user_dirs
from gblint.confirm.jobs import decode
from gblint.confirm.statements import SourceFiles
from gblint.diagnostics.finding import Confirmation, Finding
from gblint.project.source_text import Source
from gblint.runtime.files import write_whole
from gblint.runtime.json_files import read_json

VERSION = 1
MAX_VERDICTS_PER_FILE = 2000  # verdicts kept for one file
_STORED_VERDICTS = ("confirmed", "refuted")


@dataclass(frozen=True)
class VerdictStore:
    """Verdicts in a folder."""

    folder: Path

    @classmethod
    def default(cls) -> VerdictStore:
        """Return the store in the user's cache folder."""
        return cls(user_dirs.confirmations())

    def save(self, findings: Iterable[Finding], source: Source) -> None:
        """Save the verdicts on these findings; a folder that cannot be written to is not an error."""
        files = SourceFiles(source)
        by_path: dict[str, list[Finding]] = {}
        for finding in findings:
            if finding.confirmation is not None and finding.confirmation.verdict in _STORED_VERDICTS:
                by_path.setdefault(_real_path(finding.span.path), []).append(finding)
        for path, in_file in by_path.items():
            stored = self._read(path)
            for finding in in_file:
                confirmation = finding.confirmation
                assert confirmation is not None
                known = stored.setdefault(_key(finding, files), {})
                platform = f"{confirmation.torch_version} on {confirmation.device}"
                # A later run with other arguments may have taken another branch: "confirmed" stays.
                if known.get(platform, {}).get("verdict") != "confirmed":
                    known[platform] = asdict(replace(confirmation, by=None))
            with contextlib.suppress(OSError):
                self._write(path, dict(list(stored.items())[-MAX_VERDICTS_PER_FILE:]))

    def annotate(self, findings: Iterable[Finding], torch_version: str, source: Source) -> Iterator[Finding]:
        """Yield the findings, each with the stored verdict of a run with this version of torch (such as "2.13"), if
        there is one."""
        if not self.folder.is_dir():
            yield from findings
            return
        files = SourceFiles(source)
        read: dict[str, dict[str, Any]] = {}
        for finding in findings:
            path = _real_path(finding.span.path)
            if path not in read:
                read[path] = self._read(path)
            candidates = (
                list(_of_torch_version(read[path].get(_key(finding, files), {}), torch_version)) if read[path] else []
            )
            best = min(candidates, key=lambda each: _STORED_VERDICTS.index(each.verdict), default=None)
            yield finding if best is None else replace(finding, confirmation=replace(best, remembered=True))

    def _file(self, path: str) -> Path:
        return self.folder / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:32]}.json"

    def _read(self, path: str) -> dict[str, Any]:
        """Return the stored verdicts of a source file by key; {} if the file is missing or invalid."""
        try:
            data = read_json(self._file(path))
            stored = data["verdicts"] if data["version"] == VERSION and data["path"] == path else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        if not isinstance(stored, dict):
            return {}
        return {key: value for key, value in stored.items() if isinstance(value, dict)}

    def _write(self, path: str, stored: dict[str, Any]) -> None:
        """Write the verdicts of a source file, replacing the file atomically."""
        self.folder.mkdir(parents=True, exist_ok=True)
        document = {"version": VERSION, "path": path, "verdicts": stored}
        write_whole(self._file(path), json.dumps(document).encode(), 0o600)


def _of_torch_version(stored: dict[str, Any], torch_version: str) -> Iterator[Confirmation]:
    """Yield the stored confirmations of one version of torch."""
    for data in stored.values():
        try:
            confirmation = decode(Confirmation, data)
        except ValueError:
            continue
        if (
            confirmation.verdict in _STORED_VERDICTS
            and confirmation.torch_version.split(".")[:2] == torch_version.split(".")[:2]
        ):
            yield confirmation


def _key(finding: Finding, files: SourceFiles) -> str:
    """Return the key of a finding: a hash of the function's text, and of the finding's place in it, code
    and message."""
    path = finding.span.path
    function = files[path].function(finding.span.line)
    first, last = function.first, function.last
    if function.name == "<module>":
        statement = files[path].statement(finding.span.line)
        first, last = statement.line, max(statement.line, statement.end_line)
    text = "\n".join(files.source.lines(path)[first - 1 : last])
    place = f"{finding.span.line - first}:{finding.span.column}:{finding.code}:{finding.message}"
    return hashlib.sha256(f"{text}\0{place}".encode("utf-8", errors="surrogatepass")).hexdigest()


def _real_path(path: str) -> str:
    return os.path.realpath(path)
