"""Notebooks that are open in the editor, cell by cell (version 3.17 of the protocol)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from lsprotocol import types

from tests.editors.server.conftest import CAPABILITIES, Session, Start

pytestmark = pytest.mark.asyncio

NAME = "nb.ipynb"
HELPER = "def scale(x):\n    return x * 2\n"
CELLS = [
    ("markdown", "# A title"),
    ("code", "%matplotlib inline\nimport torch\nfrom helper import scale"),
    ("code", "def inner(x):\n    print(x)\n    return scale(x)"),
    ("code", "@torch.compile\ndef f(x: torch.Tensor):\n    é = inner(x)\n    return é"),
]


def raw(cells: list[tuple[str, str]]) -> str:
    made = []
    for kind, source in cells:
        extra: dict[str, Any] = {"outputs": [], "execution_count": None} if kind == "code" else {}
        made.append({"cell_type": kind, "metadata": {}, "source": source.splitlines(keepends=True), **extra})
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made}, indent=1)


@dataclass
class Notebook:
    """A notebook in an editor, which sends the messages of the protocol about it."""

    editor: Session
    uri: str
    cells: list[str] = field(default_factory=list)
    version: int = 1
    made: int = 0

    def _cell(self, kind: str, text: str) -> tuple[types.NotebookCell, types.TextDocumentItem]:
        self.made += 1
        uri = f"vscode-notebook-cell:{self.uri.partition(':')[2]}#W{self.made}s"
        self.editor.texts[uri], self.editor.versions[uri] = text, 1
        code = kind == "code"
        cell = types.NotebookCell(types.NotebookCellKind.Code if code else types.NotebookCellKind.Markup, uri)
        return cell, types.TextDocumentItem(uri, "python" if code else "markdown", 1, text)

    def open(self, cells: list[tuple[str, str]]) -> None:
        made = [self._cell(*each) for each in cells]
        self.cells = [cell.document for cell, _ in made]
        about = types.NotebookDocument(self.uri, "jupyter-notebook", 1, [cell for cell, _ in made])
        self.editor.client.notebook_document_did_open(
            types.DidOpenNotebookDocumentParams(about, [text for _, text in made])
        )

    def _change(self, **cells: Any) -> None:
        self.version += 1
        about = types.VersionedNotebookDocumentIdentifier(uri=self.uri, version=self.version)
        event = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(**cells))
        self.editor.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(about, event))

    def replace(self, number: int, old: str, new: str) -> None:
        """Replace a text in the cell with this number, from 1."""
        uri = self.cells[number - 1]
        text = self.editor.texts[uri]
        assert old in text
        line = text[: text.index(old)].count("\n")
        column = len(text[: text.index(old)].rpartition("\n")[2].encode("utf-16-le")) // 2
        end = types.Position(line, column + len(old.encode("utf-16-le")) // 2)
        self.editor.texts[uri] = text.replace(old, new, 1)
        self.editor.versions[uri] += 1
        change = types.TextDocumentContentChangePartial(types.Range(types.Position(line, column), end), new)
        about = types.VersionedTextDocumentIdentifier(uri=uri, version=self.editor.versions[uri])
        self._change(text_content=[types.NotebookDocumentCellContentChanges(about, [change])])

    def splice(self, start: int, count: int, *new: tuple[str, str]) -> None:
        """Replace ``count`` cells from the index ``start`` on by other cells."""
        made = [self._cell(*each) for each in new]
        gone, self.cells[start : start + count] = self.cells[start : start + count], [c.document for c, _ in made]
        array = types.NotebookCellArrayChange(start, count, [cell for cell, _ in made])
        closed = [types.TextDocumentIdentifier(uri) for uri in gone]
        opened = [text for _, text in made]
        self._change(structure=types.NotebookDocumentCellChangeStructure(array, opened, closed))

    def apply(self, edit: types.WorkspaceEdit) -> None:
        """Apply an edit of cells as an editor does."""
        for change in edit.document_changes or []:
            assert isinstance(change, types.TextDocumentEdit)
            uri = change.text_document.uri
            assert change.text_document.version == self.editor.versions[uri]
            for each in sorted(change.edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
                text, place = self.editor.texts[uri], each.range
                lines = text.splitlines(keepends=True)
                starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
                first = starts[place.start.line] + place.start.character
                last = starts[place.end.line] + place.end.character
                self.editor.texts[uri] = text[:first] + each.new_text + text[last:]
            self.editor.versions[uri] += 1
            about = types.VersionedTextDocumentIdentifier(uri=uri, version=self.editor.versions[uri])
            whole = types.TextDocumentContentChangeWholeDocument(self.editor.texts[uri])
            self._change(text_content=[types.NotebookDocumentCellContentChanges(about, [whole])])

    def close(self) -> None:
        self.editor.client.notebook_document_did_close(
            types.DidCloseNotebookDocumentParams(
                types.NotebookDocumentIdentifier(self.uri), [types.TextDocumentIdentifier(uri) for uri in self.cells]
            )
        )


async def begin(start: Start, cells: list[tuple[str, str]], **options: Any) -> tuple[Session, Notebook]:
    editor = await start({"gblint.toml": "", "helper.py": HELPER, NAME: raw(cells)}, **options)
    notebook = Notebook(editor, editor.uri(NAME))
    return editor, notebook


async def test_a_session_with_a_notebook(start: Start) -> None:
    editor, notebook = await begin(start, CELLS)
    assert editor.server is not None
    sync = editor.server.capabilities.notebook_document_sync
    assert sync is not None and sync.notebook_selector[0].notebook == "jupyter-notebook"
    line = next(number for number, text in enumerate(raw(CELLS).splitlines(), 1) if "print(x)" in text)
    await editor.shows(NAME, ("GBL401", line))

    # Once the notebook is open, its cells have the findings, and the lines of the file no longer have them.
    notebook.open(CELLS)
    await editor.shows(notebook.cells[2], ("GBL401", 2))
    await editor.shows(NAME)
    (found,) = editor.found(notebook.cells[2])
    assert found.range == types.Range(types.Position(1, 4), types.Position(1, 12))
    (related,) = found.related_information or []
    assert (related.location.uri, related.location.range.start.line) == (notebook.cells[3], 2)
    assert await editor.lenses(notebook.cells[3]) == [(2, "1 graph break, 1 graph")]
    assert await editor.lenses(notebook.cells[2]) == []

    # An edit in a cell, after a character of two bytes in UTF-8.
    notebook.replace(4, "return é", "return é * x.max().item()")
    await editor.shows(notebook.cells[3], ("GBL101", 4))
    (found,) = editor.found(notebook.cells[3])
    assert found.range.start == types.Position(3, 15)
    shown = await editor.hover(notebook.cells[3], 4, 17)
    assert "**GBL101** tensor-item" in shown
    shown = await editor.hover(notebook.cells[2], 2, 6)
    assert "nb.ipynb:cell 4:3" in shown and "nb.ipynb:cell 3:2" in shown

    # A cell is inserted above; the findings keep their places within their cells.
    notebook.splice(1, 0, ("code", "import os\n\n\n"))
    await editor.until(lambda: editor.codes(notebook.cells[3]) == [("GBL401", 2)])
    shown = await editor.command("gblint.listBreaks", str(editor.root / NAME), "nb:f")
    assert "nb.ipynb:cell 4:2: GBL401" in shown and "nb.ipynb:cell 5:4: GBL101" in shown

    # While a cell has a syntax error, the earlier findings stay, and the cell shows the error.
    notebook.replace(4, "def inner(x):", "def inner(x:")
    await editor.until(lambda: any("not analysed" in each.message for each in editor.found(notebook.cells[3])))
    notebook.replace(4, "def inner(x:", "def inner(x):")
    await editor.shows(notebook.cells[3], ("GBL401", 2))

    # The cell with the break is deleted and inserted again.
    gone = notebook.cells[3]
    notebook.splice(3, 1)
    await editor.shows(gone)
    notebook.splice(3, 0, CELLS[2])
    await editor.shows(notebook.cells[3], ("GBL401", 2))

    # A break in a helper file is found from the notebook, and is shown in the file too.
    editor.open("helper.py")
    editor.replace("helper.py", "x * 2", "x * x.min().item()")
    await editor.shows("helper.py", ("GBL101", 2))
    (found,) = editor.found("helper.py")
    assert [each.location.uri for each in found.related_information or []] == [notebook.cells[4], notebook.cells[3]]

    # A closed notebook is read from the disk.
    cells = list(notebook.cells)
    notebook.close()
    await editor.shows(NAME, ("GBL401", line))
    assert not any(editor.codes(cell) for cell in cells)
    assert await editor.end() == 0


async def test_fixes_in_cells(start: Start) -> None:
    first = "%time\nimport torch\ndef inner(x: torch.Tensor):\n    y = x.is_signed()\n    return x"
    second = "@torch.compile\ndef f(x: torch.Tensor):\n    y = x.is_signed()\n    return inner(x)"
    cells = [("code", first), ("markdown", "text"), ("code", second)]
    editor, notebook = await begin(start, cells)
    notebook.open(cells)
    await editor.shows(notebook.cells[0], ("GBL610", 4))
    await editor.shows(notebook.cells[2], ("GBL610", 3))

    # A comment that silences the finding.
    silence = next(each for each in await editor.actions(notebook.cells[2], 3) if "noqa" in each.title)
    assert silence.edit is not None and silence.diagnostics is not None
    assert silence.diagnostics[0].range.start.line == 2
    notebook.apply(silence.edit)
    await editor.shows(notebook.cells[2])
    assert editor.texts[notebook.cells[2]].splitlines()[2] == "    y = x.is_signed()  # noqa: GBL610"
    notebook.replace(3, "  # noqa: GBL610", "")
    await editor.shows(notebook.cells[2], ("GBL610", 3))

    # A quick fix edits the cell of the finding.
    fixes = [each for each in await editor.actions(notebook.cells[0], 4) if "GBL610" in each.title and each.edit]
    assert fixes[0].edit is not None
    changes = [each for each in fixes[0].edit.document_changes or [] if isinstance(each, types.TextDocumentEdit)]
    assert [each.text_document.uri for each in changes] == [notebook.cells[0]]

    # All safe fixes of one cell, then of the whole notebook.
    (fix,) = await editor.actions(notebook.cells[2], 1, only=["source.fixAll"])
    assert fix.kind == "source.fixAll.gblint" and fix.edit is not None
    touched = [each.text_document.uri for each in fix.edit.document_changes or [] if hasattr(each, "text_document")]
    assert touched == [notebook.cells[2]]
    (fix,) = await editor.actions(notebook.cells[2], 1, only=["notebook.source.fixAll.gblint"])
    assert fix.kind == "notebook.source.fixAll.gblint" and fix.edit is not None
    notebook.apply(fix.edit)
    await editor.shows(notebook.cells[0])
    await editor.shows(notebook.cells[2])
    assert editor.texts[notebook.cells[0]].startswith("%time\nimport torch\n")
    assert not any("cell" in editor.texts[cell] for cell in notebook.cells)
    assert await editor.actions(notebook.cells[2], 1, only=["notebook"]) == []


async def test_diagnostics_of_cells_that_the_client_asks_for(start: Start) -> None:
    text = types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities())
    asking = types.ClientCapabilities(text_document=text, notebook_document=CAPABILITIES.notebook_document)
    editor, notebook = await begin(start, CELLS, capabilities=asking)
    notebook.open(CELLS)
    about = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(notebook.cells[2]))
    shown = await editor.client.text_document_diagnostic_async(about)
    assert isinstance(shown, types.RelatedFullDocumentDiagnosticReport)
    assert [(each.code, each.range.start.line) for each in shown.items] == [("GBL401", 1)]
    other = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(notebook.cells[3]))
    shown = await editor.client.text_document_diagnostic_async(other)
    assert isinstance(shown, types.RelatedFullDocumentDiagnosticReport) and not shown.items
    whole = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    assert [(each.uri, each.version) for each in whole.items if getattr(each, "items", [])] == [(notebook.cells[2], 1)]
    assert notebook.cells[2] not in editor.known()


async def test_a_notebook_that_was_never_saved(start: Start) -> None:
    editor = await start({"gblint.toml": ""})
    notebook = Notebook(editor, "untitled:Untitled-1.ipynb")
    notebook.open([(kind, source.replace("from helper import scale", "scale = abs")) for kind, source in CELLS])
    await editor.shows(notebook.cells[2], ("GBL401", 2))
    notebook.close()
    await editor.shows(notebook.cells[2])


async def test_messages_about_no_notebook(start: Start) -> None:
    editor, notebook = await begin(start, CELLS)
    notebook.cells = ["vscode-notebook-cell:/nowhere#1"]
    editor.texts[notebook.cells[0]], editor.versions[notebook.cells[0]] = "x", 1
    notebook.replace(1, "x", "y")  # never opened
    notebook.open([])
    notebook.splice(0, 0, ("code", "x = ("), ("code", ""), ("code", "!ls"))
    notebook.splice(5, 9)
    notebook.splice(0, 99, *CELLS)
    await editor.shows(notebook.cells[2], ("GBL401", 2))
    notebook.replace(3, "print(x)", "%%bash\nprint(x)")
    notebook.close()
    notebook.close()
    other = Notebook(editor, editor.uri("paired.py"))
    other.open(CELLS)  # a text file that an extension shows as a notebook
    await editor.until(lambda: editor.codes(NAME))
    assert await editor.end() == 0
