"""Folders, settings, files and clients of several kinds."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from lsprotocol import types

from tests.editors.server.conftest import CAPABILITIES, LIMIT, Start, write

pytestmark = pytest.mark.asyncio

BREAKS = """import torch


@torch.compile
def f(x: torch.Tensor):
    print(x)
    return x + 1
"""
CLEAN = BREAKS.replace("    print(x)\n", "")


async def test_every_folder_has_its_own_configuration(start: Start, tmp_path: Path) -> None:
    write(tmp_path / "project", {"a.py": BREAKS})
    write(tmp_path / "other", {"gblint.toml": 'ignore = ["GBL4"]\n', "b.py": BREAKS, "c.py": BREAKS + "\n# item\n"})
    editor = await start(folders=[tmp_path / "project", tmp_path / "other"])
    editor.open("a.py")
    await editor.shows("a.py", ("GBL401", 6))
    other = editor.uri((tmp_path / "other/b.py").as_uri())
    editor.open(other, BREAKS.replace("print(x)", "x.max().item()"))
    await editor.shows(other, ("GBL101", 6))

    # The diagnostics of a removed folder disappear; those of an added folder appear.
    third = tmp_path / "third"
    write(third, {"d.py": BREAKS})
    event = types.WorkspaceFoldersChangeEvent(
        added=[types.WorkspaceFolder(third.as_uri(), "third")],
        removed=[types.WorkspaceFolder((tmp_path / "project").as_uri(), "project")],
    )
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    await editor.shows((third / "d.py").as_uri(), ("GBL401", 6))
    assert editor.codes(other) == [("GBL101", 6)]


async def test_settings_of_the_editor(start: Start) -> None:
    editor = await start(
        {"a.py": BREAKS}, options={"settings": {"ignore": ["GBL401"], "selekt": ["GBL1"], "delay": "x"}}
    )
    editor.open("a.py")
    await editor.until(lambda: editor.logged)
    assert editor.codes("a.py") == []
    shown = sorted(each.message for each in editor.messages)
    assert shown == [
        "gblint: setting gblint.delay: a number of milliseconds from 0 to 60000 is expected",
        "gblint: setting gblint.selekt: there is no such setting; did you mean 'select'?",
    ]
    editor.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"gblint": {"minConfidence": "certain", "codeLens": False}})
    )
    await editor.shows("a.py", ("GBL401", 6))
    assert await editor.lenses("a.py") == []


async def test_only_open_files_if_asked_for(start: Start) -> None:
    editor = await start({"a.py": BREAKS, "b.py": BREAKS}, options={"diagnosticMode": "openFiles"})
    editor.open("a.py")
    await editor.shows("a.py", ("GBL401", 6))
    await editor.until(lambda: "2 entry points, 2 graph breaks" in " ".join(editor.logged))
    assert "b.py" not in editor.known()


async def test_the_whole_workspace_is_shown_and_kept_up_to_date(start: Start) -> None:
    editor = await start({"a.py": BREAKS, "b.py": BREAKS})
    await editor.shows("a.py", ("GBL401", 6))
    await editor.shows("b.py", ("GBL401", 6))
    assert any(registration.method == "workspace/didChangeWatchedFiles" for registration in editor.registered)
    (editor.root / "b.py").write_text(CLEAN)
    editor.files_changed("b.py")
    await editor.shows("b.py")
    write(editor.root, {"new/c.py": BREAKS})
    editor.files_changed("new/c.py", kind=types.FileChangeType.Created)
    await editor.shows("new/c.py", ("GBL401", 6))
    (editor.root / "a.py").unlink()
    editor.files_changed("a.py", kind=types.FileChangeType.Deleted)
    await editor.shows("a.py")
    begun = [each for each in editor.progress if isinstance(each, types.ProgressParams)]
    assert begun


async def test_diagnostics_that_the_client_asks_for(start: Start) -> None:
    pull = types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities())
    capabilities = replace_text(pull)
    editor = await start({"a.py": BREAKS, "b.py": BREAKS}, capabilities=capabilities)
    assert editor.server is not None
    assert editor.server.capabilities.diagnostic_provider is not None
    editor.open("a.py")
    about = types.TextDocumentIdentifier(editor.uri("a.py"))
    await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    first = await editor.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(about))
    assert isinstance(first, types.RelatedFullDocumentDiagnosticReport)
    assert [each.code for each in first.items] == ["GBL401"]
    again = types.DocumentDiagnosticParams(about, previous_result_id=first.result_id)
    assert isinstance(
        await editor.client.text_document_diagnostic_async(again), types.RelatedUnchangedDocumentDiagnosticReport
    )
    editor.replace("a.py", "    print(x)\n", "")
    changed = await editor.client.text_document_diagnostic_async(again)
    assert isinstance(changed, types.RelatedFullDocumentDiagnosticReport)
    assert list(changed.items) == []
    report = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    found = {item.uri: item for item in report.items}
    assert set(found) == {editor.uri("b.py")}
    before = [types.PreviousResultId(uri, item.result_id or "") for uri, item in found.items()]
    (same,) = (await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(before))).items
    assert isinstance(same, types.WorkspaceUnchangedDocumentDiagnosticReport)
    # Nothing is published in addition to what the client asks for.
    assert "a.py" not in editor.known()


def replace_text(text: types.TextDocumentClientCapabilities) -> types.ClientCapabilities:
    return types.ClientCapabilities(workspace=CAPABILITIES.workspace, text_document=text)


async def test_columns_are_those_of_the_client(start: Start) -> None:
    text = BREAKS.replace("    print(x)", '    s = "\N{SNAKE}\N{LATIN SMALL LETTER E WITH ACUTE}"; print(x)')
    editor = await start({"a.py": text})
    editor.open("a.py")
    await editor.shows("a.py", ("GBL401", 6))
    place = editor.found("a.py")[0].range
    assert (place.start.character, place.end.character) == (15, 23)
    # An edit after the wide characters changes the right place.
    editor.replace("a.py", "print(x)", "print(x, 2)")
    await editor.until(lambda: editor.found("a.py") and editor.found("a.py")[0].range.end.character == 26)

    general = types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf8])
    other = await start({"a.py": text}, capabilities=types.ClientCapabilities(general=general))
    assert other.server is not None
    assert other.server.capabilities.position_encoding == types.PositionEncodingKind.Utf8
    await other.shows("a.py", ("GBL401", 6))
    place = other.found("a.py")[0].range
    assert (place.start.character, place.end.character) == (18, 26)


async def test_documents_that_were_never_saved(start: Start, tmp_path: Path) -> None:
    editor = await start({"a.py": CLEAN})
    editor.open("untitled:Untitled-1", BREAKS)
    await editor.shows("untitled:Untitled-1", ("GBL401", 6))
    # An unsaved document with a file name belongs to the project.
    editor.open("new.py", BREAKS)
    await editor.shows("new.py", ("GBL401", 6))
    # A document outside of the workspace and of any project is linted alone.
    write(tmp_path / "loose", {"b.py": BREAKS, "c.py": BREAKS})
    loose = (tmp_path / "loose/b.py").as_uri()
    editor.open(loose, BREAKS)
    await editor.shows(loose, ("GBL401", 6))
    assert (tmp_path / "loose/c.py").as_uri() not in editor.known()
    editor.close(loose)
    await editor.shows(loose)


async def test_fixes_of_all_kinds(start: Start) -> None:
    editor = await start({"a.py": BREAKS})
    editor.open("a.py")
    await editor.shows("a.py", ("GBL401", 6))
    silence, *rest = [each for each in await editor.actions("a.py", 6) if "noqa" in each.title]
    assert not rest
    assert silence.edit is not None
    editor.apply(silence.edit)
    await editor.shows("a.py")
    assert "print(x)  # noqa: GBL401" in editor.texts[editor.uri("a.py")]
    assert await editor.actions("a.py", 3) == []
    page = await editor.command("gblint.explain", "GBL401")
    assert page.startswith("# GBL401 print-call")


async def test_all_safe_fixes_at_once(start: Start) -> None:
    editor = await start({"a.py": SAFE})
    editor.open("a.py")
    await editor.until(lambda: editor.codes("a.py"))
    (action,) = await editor.actions("a.py", 1, ["source.fixAll"])
    assert action.kind == "source.fixAll.gblint"
    assert action.edit is not None
    assert await editor.command("gblint.fixAll", editor.uri("a.py")) is True
    await editor.shows("a.py")
    assert await editor.actions("a.py", 1, ["source.fixAll"]) == []


SAFE = """import numpy as np
import torch


@torch.compile
def f(x: torch.Tensor):
    return x * x.is_signed()
"""


async def test_findings_in_notebooks_stand_on_lines_of_the_file(start: Start) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": BREAKS.splitlines(keepends=True)}
    raw = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}, indent=1)
    editor = await start({"nb.ipynb": raw})
    line = next(number for number, text in enumerate(raw.splitlines(), 1) if "print(x)" in text)
    await editor.shows("nb.ipynb", ("GBL401", line))


async def test_commands(start: Start) -> None:
    editor = await start({"a.py": BREAKS})
    editor.open("a.py")
    await editor.shows("a.py", ("GBL401", 6))
    shown = await editor.command("gblint.listBreaks", str(editor.root / "a.py"), "a:f")
    assert shown.startswith("a:f: 1 graph break")
    assert "\nline 6: GBL401 " in shown
    (located,) = await editor.command("gblint.locateBreaks", str(editor.root / "a.py"), "a:f")
    assert (located["code"], located["place"], located["uri"]) == ("GBL401", "line 6", editor.uri("a.py"))
    assert located["start"] == {"line": 5, "character": 4}
    assert await editor.command("gblint.analyse") == 1
    await editor.command("gblint.restart")
    assert await editor.command("gblint.analyse") == 1


TWO_ON_A_LINE = """import torch


def f(x):
    print(x)
    return x.sum().item()


def g(x):
    print(x)
    return x


both = torch.compile(f), torch.compile(g)
"""


async def test_a_line_has_one_lens_for_all_its_entry_points(start: Start) -> None:
    editor = await start({"a.py": TWO_ON_A_LINE})
    editor.open("a.py")
    await editor.shows("a.py", ("GBL401", 5), ("GBL101", 6), ("GBL401", 10))
    assert await editor.lenses("a.py") == [(14, "3 graph breaks in 2 entry points")]
    shown = await editor.command("gblint.listBreaks", str(editor.root / "a.py"), "a:f", "a:g")
    assert "a:f: 2 graph breaks" in shown
    assert "a:g: 1 graph break" in shown


async def test_a_request_can_be_cancelled(start: Start) -> None:
    editor = await start({"a.py": BREAKS})
    editor.open("a.py")
    await editor.shows("a.py", ("GBL401", 6))
    place = types.HoverParams(types.TextDocumentIdentifier(editor.uri("a.py")), types.Position(5, 6))
    # The server may answer before it reads the cancellation.
    for number in range(50):
        asked = editor.client.protocol.send_request("textDocument/hover", place, msg_id=f"mine {number}")
        editor.client.protocol.notify("$/cancelRequest", types.CancelParams(f"mine {number}"))
        try:
            await asyncio.wait_for(asyncio.wrap_future(asked), LIMIT)
        except Exception as error:
            assert "cancel" in str(error).lower()
            break
    else:
        pytest.fail("none was cancelled")
    assert "GBL401" in await editor.hover("a.py", 6, 6)
    assert await editor.end() == 0


async def test_what_was_not_analysed_is_a_hint(start: Start) -> None:
    unknown = "import torch\n\n\ndef main(net):\n    return torch.compile(net)\n"
    editor = await start({"a.py": BREAKS, "b.py": unknown})
    editor.open("b.py")
    await editor.shows("b.py", ("not-analysed", 5))
    (found,) = editor.found("b.py")
    assert found.severity == types.DiagnosticSeverity.Hint
    assert "`net` is a parameter of `main`" in found.message
    editor.change("b.py", "\n" + unknown)
    await editor.shows("b.py", ("not-analysed", 6))
    editor.change("b.py", unknown.replace("torch.compile(net)", "net"))
    await editor.shows("b.py")
