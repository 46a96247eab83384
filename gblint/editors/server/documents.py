"""The documents that are open in the editor, with their current text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from gblint.diagnostics.fix import Edit
from gblint.editors.server.positions import Encoding
from gblint.runtime.lazy_dataclasses import dataclass, field

# The line ends that the protocol and Python have in common; str.splitlines() also splits at others, such as form feeds.
_END = re.compile(r"\r\n|\r|\n")
Change = types.TextDocumentContentChangePartial | types.TextDocumentContentChangeWholeDocument


@dataclass(slots=True)
class Document:
    """An open document.  ``path`` is the path of the file, or an invented one if the document was never ``saved``."""

    uri: str
    path: Path
    text: str
    version: int | None
    saved: bool = True
    _lines: list[str] | None = field(default=None, repr=False)

    @property
    def lines(self) -> list[str]:
        """The lines without line ends."""
        if self._lines is None:
            self._lines = split(self.text)
        return self._lines

    def change(self, changes: Iterable[Change], encoding: Encoding) -> None:
        """Apply the changes that the client reports."""
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = (_offset(self, at, encoding) for at in (change.range.start, change.range.end))
                self.text = self.text[:start] + change.text + self.text[max(start, end) :]
            else:
                self.text = change.text
            self._lines = None

    def home(self, place: types.Range) -> tuple[str, types.Range]:
        """Return the URI and the range that the client uses for a range of the text."""
        return self.uri, place

    def whole(self, uri: str, place: types.Position) -> types.Position:
        """Return the position in the text for a position of the client."""
        return place

    def part(self, uri: str) -> tuple[int, int] | None:
        """Return the first and the last line of ``uri`` in the text; None for the whole text."""
        return None

    def version_of(self, uri: str) -> int | None:
        """Return the version of the document or cell ``uri``."""
        return self.version

    def for_client(self, edits: Iterable[Edit], encoding: Encoding) -> dict[str, list[types.TextEdit]] | None:
        """Return edits of the text as edits of the client, by URI; None if the client cannot make them."""
        return {self.uri: [types.TextEdit(encoding.range(each.span, self.lines), each.content) for each in edits]}

    def has(self, uri: str) -> bool:
        """Return whether ``uri`` refers to the document or to a part of it."""
        return uri == self.uri

    def forget(self) -> None:
        """Close the document: from now on the file on disk is used."""


def split(text: str) -> list[str]:
    """Return the lines of ``text`` without line ends."""
    return _END.split(text) if "\r" in text else text.split("\n")


def _offset(document: Document, position: types.Position, encoding: Encoding) -> int:
    line, column = encoding.place(position, document.lines)
    if "\r" not in document.text:
        start = sum(map(len, document.lines[: line - 1])) + min(line - 1, len(document.lines))
        return min(start + column - 1, len(document.text))
    ends = [0, *(found.end() for found in _END.finditer(document.text))]
    return ends[line - 1] + column - 1 if line <= len(ends) else len(document.text)


class Documents:
    """The open documents, by URI."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}

    def open(self, item: types.TextDocumentItem, folder: Path) -> Document | None:
        """Add a document; return None if it is not Python.  A document without a path gets a name in ``folder``."""
        path, saved = place_for(item.uri, folder, ".py")
        if item.language_id not in ("python", "") or path.suffix not in ("", ".py", ".pyw"):
            return None
        return self.add(Document(item.uri, path, item.text, item.version, saved))

    def add(self, document: Document) -> Document:
        """Add a document."""
        self._open[document.uri] = document
        return document

    def close(self, uri: str) -> Document | None:
        """Remove a document, and return it."""
        document = self._open.pop(uri, None)
        if document is not None:
            document.forget()
        return document

    def get(self, uri: str) -> Document | None:
        """Return the open document ``uri``, or the notebook of the cell ``uri``; None if there is none."""
        return self._open.get(uri) or next((each for each in self._open.values() if each.has(uri)), None)

    def key(self, uri: str) -> str:
        """Return the key of the diagnostics of ``uri``: the path of a document, the URI of a cell."""
        document = self._open.get(uri)
        return uri if document is None else str(document.path)

    def home(self, path: str, place: types.Range) -> tuple[str, types.Range]:
        """Return the key of the diagnostics at a range of the file ``path``, and the range there."""
        document = self.at(path)
        uri, there = (path, place) if document is None else document.home(place)
        return (path if document is None or uri == document.uri else uri), there

    def address(self, key: str) -> tuple[str, int | None]:
        """Return the URI and the version of the document or cell whose diagnostics have this key."""
        document = self.at(key)
        if document is not None:
            return document.uri, document.version
        document = self.get(key)
        if document is not None:
            return key, document.version_of(key)
        return (uri_of(key) if Path(key).is_absolute() else key), None

    def at(self, path: str | Path) -> Document | None:
        """Return the open document of the file ``path``; None if it is not open."""
        wanted = str(path)
        return next((each for each in self._open.values() if str(each.path) == wanted), None)

    def __iter__(self) -> Iterator[Document]:
        return iter(self._open.values())


def place_for(uri: str, folder: Path, suffix: str) -> tuple[Path, bool]:
    """Return the path of a document and True, or, if it was never saved, a path in ``folder`` and False."""
    path = path_of(uri)
    if path is not None:
        return path, True
    name = re.sub(r"\W+", "-", unquote(urlparse(uri).path)).strip("-") or "unnamed"
    return folder / f"{name}{suffix}", False


def path_of(uri: str) -> Path | None:
    """Return the path of a ``file:`` URI; None for others."""
    if urlparse(uri).scheme != "file":
        return None
    path = to_fs_path(uri)
    return None if path is None else Path(path).absolute()


def uri_of(path: str | Path) -> str:
    """Return the URI of a file."""
    return from_fs_path(str(Path(path).absolute())) or ""
