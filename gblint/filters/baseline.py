"""The baseline: a file of known findings, so that only new ones are reported.

A finding is identified by its file and its fingerprint, which does not depend on line numbers.  Paths are relative to
the folder of the baseline.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from gblint.config.errors import ConfigError, Problem
from gblint.diagnostics.finding import Finding
from gblint.project.source_text import Source
from gblint.report.fingerprints import fingerprints
from gblint.runtime.files import read_text, write_whole
from gblint.runtime.lazy_dataclasses import dataclass

VERSION = 1


@dataclass(frozen=True, slots=True, order=True)
class BaselineEntry:
    """One finding of the baseline; the message is for human readers only."""

    path: str
    code: str
    message: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The entries of a baseline file."""

    file: Path
    entries: tuple[BaselineEntry, ...] = ()

    @classmethod
    def read(cls, file: Path) -> Baseline:
        """Read a baseline; raises ConfigError if that is not possible."""
        try:
            data = json.loads(read_text(file))
        except FileNotFoundError:
            raise _problem(file, 0, "there is no such baseline; --write-baseline creates it") from None
        except OSError as error:
            raise _problem(file, 0, f"cannot be read: {error.strerror or error}") from None
        except json.JSONDecodeError as error:
            raise _problem(file, error.lineno, f"not a baseline: {error.msg}") from None
        except (ValueError, RecursionError):
            raise _problem(file, 0, "not a baseline") from None
        version = data.get("version") if isinstance(data, dict) else None
        if version != VERSION:
            problem = f"of version {version}, which this gblint does not know" if version else "no version in it"
            raise _problem(file, 0, f"not a usable baseline: {problem}")
        listed = data.get("findings")
        if not isinstance(listed, list) or not all(map(_is_entry, listed)):
            raise _problem(file, 0, "not a usable baseline: `findings` is not a list of findings")
        return cls(file, tuple(BaselineEntry(*(item[name] for name in BaselineEntry.__slots__)) for item in listed))

    @staticmethod
    def may_replace(file: Path) -> bool:
        """Return whether a baseline may be written there: there is no file, or it is a baseline of any version."""
        if not os.path.isfile(file):
            return True
        try:
            text = read_text(file)
            data = json.loads(text) if text else {"findings": []}
        except (OSError, ValueError, RecursionError):
            return False
        return isinstance(data, dict) and "findings" in data

    @classmethod
    def of(cls, file: Path, findings: Sequence[Finding], all_findings: Sequence[Finding], source: Source) -> Baseline:
        """Return a baseline of ``findings``, to be written to ``file``; see ``split`` for ``all_findings``."""
        keys = dict(zip([each.identity for each in all_findings], _keys(all_findings, source, file.parent)))
        listed = (
            BaselineEntry(path, finding.code, finding.message.encode("utf-8", "replace").decode(), mark)
            for finding in findings
            for path, mark in [keys[finding.identity]]
        )
        return cls(file, tuple(sorted(set(listed))))

    def without(self, entries: Iterable[BaselineEntry]) -> Baseline:
        """Return the baseline without these entries."""
        gone = set(entries)
        return Baseline(self.file, tuple(each for each in self.entries if each not in gone))

    def write(self) -> None:
        """Replace the file; raises ConfigError.  Each finding is on a line of its own, which avoids merge conflicts."""
        objects = ({name: getattr(entry, name) for name in BaselineEntry.__slots__} for entry in self.entries)
        rows = ",\n".join(f"    {json.dumps(each)}" for each in objects)
        text = f'{{\n  "version": {VERSION},\n  "findings": [{f"{chr(10)}{rows}{chr(10)}  " if rows else ""}]\n}}\n'
        try:
            write_whole(self.file, text.encode())
        except OSError as error:
            raise _problem(self.file, 0, f"cannot be written: {error.strerror or error}") from None

    def split(
        self, findings: Sequence[Finding], all_findings: Sequence[Finding], source: Source
    ) -> tuple[list[Finding], list[Finding], list[BaselineEntry]]:
        """Return the new and the known ones of ``findings``, and the entries that match none of ``all_findings``.

        ``all_findings`` includes those that are not reported: they count in the numbering of equal findings.
        """
        keys = dict(zip([each.identity for each in all_findings], _keys(all_findings, source, self.file.parent)))
        known = {(entry.path, entry.fingerprint) for entry in self.entries}
        old = [finding for finding in findings if keys.get(finding.identity) in known]
        new = [finding for finding in findings if keys.get(finding.identity) not in known]
        there = set(keys.values())
        return new, old, [entry for entry in self.entries if (entry.path, entry.fingerprint) not in there]

    def expired(self, missing: Iterable[BaselineEntry], was_linted: Callable[[str], bool]) -> list[BaselineEntry]:
        """Return those of ``missing`` whose file no longer exists, or was linted without finding them."""
        paths = {entry.path: os.path.normpath(self.file.parent / entry.path) for entry in self.entries}
        return [each for each in missing if was_linted(paths[each.path]) or not os.path.exists(paths[each.path])]


def _keys(findings: Sequence[Finding], source: Source, folder: Path) -> list[tuple[str, str]]:
    paths = {finding.span.path: _below(finding.span.path, folder) for finding in findings}
    return [(paths[finding.span.path], mark) for finding, mark in zip(findings, fingerprints(findings, source))]


def _below(path: str, folder: Path) -> str:
    try:
        return os.path.relpath(path, folder).replace(os.sep, "/")
    except ValueError:  # on another drive
        return path


def _is_entry(item: Any) -> bool:
    return isinstance(item, dict) and all(isinstance(item.get(name), str) for name in BaselineEntry.__slots__)


def _problem(file: Path, line: int, message: str) -> ConfigError:
    return ConfigError([Problem(str(file), line, message)])
