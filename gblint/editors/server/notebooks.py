"""Notebooks that are open in the editor.  Each cell is a document of its own; together they are one module.

gblint uses positions in the text of the module, the client uses positions in a cell.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types

from gblint.diagnostics.fix import Edit
from gblint.editors.server.documents import Change, Document
from gblint.editors.server.positions import Encoding
from gblint.fix.edits import Offsets, apply_edits, edits_between
from gblint.project import source_text as reports
from gblint.project.notebook import Cell, Notebook, NotebookProblem
from gblint.runtime.lazy_dataclasses import dataclass, field

FILTERS = tuple(types.NotebookDocumentFilterWithNotebook(kind) for kind in ("jupyter-notebook", "interactive"))


@dataclass(slots=True)
class NotebookDocument(Document):
    """An open notebook.  ``text`` is the text of the module; ``order`` has the cells in order."""

    order: list[types.NotebookCell] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    notebook: Notebook = field(default_factory=lambda: Notebook.of_cells(()))

    @classmethod
    def of(cls, params: types.DidOpenNotebookDocumentParams, path: Path, saved: bool) -> NotebookDocument:
        """Return the notebook that a client has opened."""
        opened = params.notebook_document
        notebook = cls(opened.uri, path, "", opened.version, saved, order=list(opened.cells))
        notebook._open(params.cell_text_documents)
        notebook._assemble()
        return notebook

    def edit(self, event: types.NotebookDocumentChangeEvent, encoding: Encoding) -> None:
        """Apply a change: cells added, removed, moved or edited."""
        cells = event.cells
        if cells is None:
            return
        if cells.structure is not None:
            array = cells.structure.array
            self.order[array.start : array.start + array.delete_count] = array.cells or ()
            for closed in cells.structure.did_close or ():
                self.documents.pop(closed.uri, None)
            self._open(cells.structure.did_open or ())
        for data in cells.data or ():
            # The kind of a cell may have changed between code and text.
            self.order = [data if cell.document == data.document else cell for cell in self.order]
        for changed in cells.text_content or ():
            self._change_cell(changed.document, changed.changes, encoding)
        self._assemble()

    def edit_cell(
        self, about: types.VersionedTextDocumentIdentifier, changes: Iterable[Change], encoding: Encoding
    ) -> None:
        """Apply an edit of one cell."""
        self._change_cell(about, changes, encoding)
        self._assemble()

    def _open(self, items: Iterable[types.TextDocumentItem]) -> None:
        for item in items:
            if item.language_id in ("python", ""):
                self.documents[item.uri] = Document(item.uri, self.path, item.text, item.version)

    def _change_cell(
        self, about: types.VersionedTextDocumentIdentifier, changes: Iterable[Change], encoding: Encoding
    ) -> None:
        cell = self.documents.get(about.uri)
        if cell is not None:
            cell.change(changes, encoding)
            cell.version = about.version

    def _assemble(self) -> None:
        code = [
            (number, "\n".join(self.documents[cell.document].lines))
            for number, cell in enumerate(self.order, 1)
            if cell.kind == types.NotebookCellKind.Code and cell.document in self.documents
        ]
        self.notebook = Notebook.of_cells(code)
        self.text, self._lines = self.notebook.text, None
        reports.unsaved[str(self.path)] = self.notebook

    def forget(self) -> None:
        """Close the notebook: from now on the file on disk is used."""
        reports.unsaved.pop(str(self.path), None)
        self.documents.clear()

    # -- places ----------------------------------------------------------------------------------------------------

    def home(self, place: types.Range) -> tuple[str, types.Range]:
        """Return the URI of the cell at a place of the text, and the place in the cell."""
        found = self.notebook.place(place.start.line + 1)
        if found is None:
            return self.uri, place
        cell, line = found
        shift, last = place.start.line - line + 1, cell.source.count("\n")
        start = types.Position(line - 1, place.start.character)
        end = types.Position(min(place.end.line - shift, last), place.end.character)
        uri = self._uri_of(cell)
        if place.end.line - shift > last:  # into the next cell
            end = types.Position(last, len(self.documents[uri].lines[-1]))
        return uri, types.Range(start, end)

    def whole(self, uri: str, place: types.Position) -> types.Position:
        """Return the place in the text of a place in the cell ``uri``."""
        return types.Position(place.line + self.first_line(uri) - 1, place.character)

    def first_line(self, uri: str) -> int:
        """Return the line of the text, from 1, at which the cell ``uri`` begins."""
        return next((self.notebook.first_line(cell) for cell in self.notebook.cells if self._uri_of(cell) == uri), 1)

    def part(self, uri: str) -> tuple[int, int] | None:
        """Return the first and the last line of the cell ``uri``; None if it is the URI of the notebook."""
        if uri not in self.documents:
            return None
        first = self.first_line(uri)
        return first, first + len(self.documents[uri].lines) - 1

    def has(self, uri: str) -> bool:
        """Return whether ``uri`` refers to the notebook or to one of its cells."""
        return uri == self.uri or uri in self.documents

    def version_of(self, uri: str) -> int | None:
        """Return the version of a cell, or of the notebook."""
        cell = self.documents.get(uri)
        return self.version if cell is None else cell.version

    def for_client(self, edits: Iterable[Edit], encoding: Encoding) -> dict[str, list[types.TextEdit]] | None:
        """Return edits of the text as edits of cells, by URI; None if an edit crosses the border of a cell."""
        try:
            sources = self.notebook.sources(self._with(edits))
        except NotebookProblem:
            return None
        found = {}
        for cell, source in zip(self.notebook.cells, sources):
            if source == cell.source:
                continue
            document = self.documents[self._uri_of(cell)]
            end = "\r\n" if "\r\n" in document.text else "\n"
            changes = edits_between("", document.text, source.replace("\n", end))
            found[document.uri] = [types.TextEdit(encoding.range(e.span, document.lines), e.content) for e in changes]
        return found

    def _with(self, edits: Iterable[Edit]) -> str:
        """Return the text after these edits."""
        offsets = Offsets(self.text)
        spans = ((each.span, each.content) for each in edits)
        parts = [
            (offsets.offset(span.line, span.column), offsets.offset(span.end_line, span.end_column), content)
            for span, content in spans
        ]
        return apply_edits(self.text, sorted(parts))

    def _uri_of(self, cell: Cell) -> str:
        return self.order[cell.number - 1].document
