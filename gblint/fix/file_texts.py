"""The current texts of the user's files while they are fixed."""

from __future__ import annotations

from collections.abc import Mapping

from gblint.diagnostics.report import FileError
from gblint.fix.writer import Original
from gblint.project.project import Project
from gblint.project.source import SourceProblem
from gblint.runtime.digests import digest


class FileTexts:
    """The texts of the user's files by their display paths.

    * ``overlays``: unsaved texts by full path.
    * ``originals``: the files that have been read; the mapping is extended.
    * ``changed``: the new texts of changed files.
    """

    def __init__(
        self,
        project: Project,
        overlays: Mapping[str, str],
        originals: dict[str, Original] | None = None,
        changed: Mapping[str, str] | None = None,
    ) -> None:
        self.originals = {} if originals is None else originals
        self.problems: dict[str, FileError] = {}
        self._overlays = overlays
        self._changed = {} if changed is None else changed
        self._paths = {module.display: module.path for module in project.user_modules()}

    def of(self, path: str) -> str | None:
        """Return the text of a user file with its newlines, None for any other file."""
        if path in self._changed:
            return self._changed[path]
        if path not in self._paths:
            return None
        if path not in self.originals:
            where = self._paths[path]
            if str(where) in self._overlays:
                text = self._overlays[str(where)]
                self.originals[path] = Original(where, text.encode("utf-8", "surrogatepass"), "utf-8", text)
                return text
            try:
                self.originals[path] = Original.read(where)
            except SourceProblem as problem:
                self.problems[path] = problem.at(path)
                return None
        return self.originals[path].text

    def full_path(self, path: str) -> str | None:
        """Return the full path of a user file."""
        where = self._paths.get(path)
        return None if where is None else str(where)


def text_digest(text: str) -> str:
    """Return a digest of ``text``, which may contain lone surrogates."""
    return digest(text.encode("utf-8", "surrogatepass"))
