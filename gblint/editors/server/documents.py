"""The documents that are open in the editor: their texts as they are there, saved or not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from gblint.editors.server.positions import Encoding
from gblint.records import dataclass, field

# What ends a line for the protocol and for Python alike; str.splitlines() knows more, such as form feeds.
_END = re.compile(r"\r\n|\r|\n")
Change = types.TextDocumentContentChangePartial | types.TextDocumentContentChangeWholeDocument


@dataclass(slots=True)
class Document:
    """An open document.  ``path`` is where it is or would be saved; ``saved`` is false for one that never was."""

    uri: str
    path: Path
    text: str
    version: int | None
    saved: bool = True
    _lines: list[str] | None = field(default=None, repr=False)

    @property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        if self._lines is None:
            self._lines = split(self.text)
        return self._lines

    def change(self, changes: Iterable[Change], encoding: Encoding) -> None:
        """Apply what the client says has changed."""
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = (_offset(self, at, encoding) for at in (change.range.start, change.range.end))
                self.text = self.text[:start] + change.text + self.text[max(start, end) :]
            else:
                self.text = change.text
            self._lines = None


def split(text: str) -> list[str]:
    """The lines of ``text``, without their ends."""
    return _END.split(text) if "\r" in text else text.split("\n")


def _offset(document: Document, position: types.Position, encoding: Encoding) -> int:
    line, column = encoding.place(position, document.lines)
    if "\r" not in document.text:
        start = sum(map(len, document.lines[: line - 1])) + min(line - 1, len(document.lines))
        return min(start + column - 1, len(document.text))
    ends = [0, *(found.end() for found in _END.finditer(document.text))]
    return ends[line - 1] + column - 1 if line <= len(ends) else len(document.text)


class Documents:
    """All of them, by URI."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}

    def open(self, item: types.TextDocumentItem, folder: Path) -> Document | None:
        """Take in a document; None for one that is no Python.  One without a path gets a name in ``folder``."""
        path = path_of(item.uri)
        if item.language_id not in ("python", "") or (path is not None and path.suffix not in ("", ".py", ".pyw")):
            return None
        if path is None:
            name = re.sub(r"\W+", "-", unquote(urlparse(item.uri).path)).strip("-") or "unnamed"
            path = folder / f"{name}.py"
            document = Document(item.uri, path, item.text, item.version, saved=False)
        else:
            document = Document(item.uri, path, item.text, item.version)
        self._open[item.uri] = document
        return document

    def close(self, uri: str) -> Document | None:
        """Forget a document."""
        return self._open.pop(uri, None)

    def get(self, uri: str) -> Document | None:
        """The document, if it is open."""
        return self._open.get(uri)

    def at(self, path: str | Path) -> Document | None:
        """The open document of the file at ``path``."""
        wanted = str(path)
        return next((each for each in self._open.values() if str(each.path) == wanted), None)

    def __iter__(self) -> Iterator[Document]:
        return iter(self._open.values())


def path_of(uri: str) -> Path | None:
    """The file that ``uri`` names; None for what is no file."""
    if urlparse(uri).scheme != "file":
        return None
    path = to_fs_path(uri)
    return None if path is None else Path(path).absolute()


def uri_of(path: str | Path) -> str:
    """The URI of a file."""
    return from_fs_path(str(Path(path).absolute())) or ""
