"""A session with the server through a real client, over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.lsp.client import LanguageClient

# The server gives up a slow request after a minute, and a test asks again.
LIMIT = 180.0
T = TypeVar("T")
CAPABILITIES = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
        configuration=False,
        workspace_folders=True,
        did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
    ),
    text_document=types.TextDocumentClientCapabilities(
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
            related_information=True, code_description_support=True, tag_support=types.ClientDiagnosticsTagOptions([])
        )
    ),
    notebook_document=types.NotebookDocumentClientCapabilities(types.NotebookDocumentSyncClientCapabilities()),
    window=types.WindowClientCapabilities(work_done_progress=True),
)


@dataclass
class Session:
    """The actions of an editor in a test."""

    client: LanguageClient
    root: Path
    diagnostics: dict[str, types.PublishDiagnosticsParams] = field(default_factory=dict)
    messages: list[types.ShowMessageParams] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)
    registered: list[types.Registration] = field(default_factory=list)
    progress: list[Any] = field(default_factory=list)
    edits: list[types.WorkspaceEdit] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    server: types.InitializeResult | None = None

    def uri(self, name: str) -> str:
        return name if ":" in name else (self.root / name).as_uri()

    def open(self, name: str, text: str | None = None, language: str = "python") -> None:
        uri = self.uri(name)
        self.texts[uri] = (self.root / name).read_bytes().decode() if text is None else text
        self.versions[uri] = 1
        item = types.TextDocumentItem(uri, language, 1, self.texts[uri])
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, name: str, text: str) -> None:
        """Replace all of a document."""
        self._change(name, types.TextDocumentContentChangeWholeDocument(text), text)

    def replace(self, name: str, old: str, new: str) -> None:
        """Replace the first ``old`` in a document, as an edit in UTF-16."""
        text = self.texts[self.uri(name)]
        start = text.index(old)
        places = (access_path(text, start), access_path(text, start + len(old)))
        after = text[:start] + new + text[start + len(old) :]
        self._change(name, types.TextDocumentContentChangePartial(types.Range(*places), new), after)

    def _change(self, name: str, change: Any, after: str) -> None:
        uri = self.uri(name)
        self.versions[uri] += 1
        self.texts[uri] = after
        about = types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(about, [change]))

    def apply(self, edit: types.WorkspaceEdit) -> None:
        """Apply an edit as an editor does."""
        for change in edit.document_changes or []:
            assert isinstance(change, types.TextDocumentEdit)
            uri = change.text_document.uri
            assert change.text_document.version == self.versions[uri]
            text = self.texts[uri]
            placed = [(offset_of(text, e.range.start), offset_of(text, e.range.end), e.new_text) for e in change.edits]
            for start, end, new in sorted(placed, reverse=True):
                text = text[:start] + new + text[end:]
            self.change(uri, text)

    def close(self, name: str) -> None:
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(self.uri(name)))
        )

    def files_changed(self, *names: str, kind: types.FileChangeType = types.FileChangeType.Changed) -> None:
        events = [types.FileEvent(self.uri(name), kind) for name in names]
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))

    def found(self, name: str) -> list[types.Diagnostic]:
        said = self.diagnostics.get(self.uri(name))
        return [] if said is None else list(said.diagnostics)

    def codes(self, name: str) -> list[tuple[str, int]]:
        return [(str(each.code), each.range.start.line + 1) for each in self.found(name)]

    async def until(self, true: Callable[[], object], limit: float = LIMIT) -> None:
        """Wait until a condition holds; if it never does, the error shows the state instead."""
        end = asyncio.get_running_loop().time() + limit
        while not true():
            if asyncio.get_running_loop().time() > end:
                shown = {uri: [(d.code, d.message) for d in p.diagnostics] for uri, p in self.diagnostics.items()}
                raise AssertionError(f"never: {shown} {[m.message for m in self.messages]} {self.logged}")
            await asyncio.sleep(0.02)

    async def asked(self, ask: Callable[[], Awaitable[T]], accepted: Callable[[T], object]) -> T:
        """Ask until an answer is accepted: on a busy machine the server may give up a request."""
        end = asyncio.get_running_loop().time() + LIMIT
        while not accepted(answer := await ask()):
            if asyncio.get_running_loop().time() > end:
                raise AssertionError(f"never: {answer} {[m.message for m in self.messages]}")
            await asyncio.sleep(0.02)
        return answer

    async def shows(self, name: str, *codes: tuple[str, int]) -> None:
        await self.until(lambda: name in self.known() and sorted(self.codes(name)) == sorted(codes))

    def known(self) -> set[str]:
        return {*map(self._name, self.diagnostics), *self.diagnostics}

    def _name(self, uri: str) -> str:
        return uri.removeprefix(self.root.as_uri() + "/")

    async def actions(self, name: str, line: int, only: list[str] | None = None) -> list[types.CodeAction]:
        place = types.Range(types.Position(line - 1, 0), types.Position(line - 1, 200))
        context = types.CodeActionContext([], only=only)
        about = types.TextDocumentIdentifier(self.uri(name))
        found = await self.client.text_document_code_action_async(types.CodeActionParams(about, place, context))
        return [each for each in found or [] if isinstance(each, types.CodeAction)]

    async def hover(self, name: str, line: int, column: int) -> str:
        about = types.TextDocumentIdentifier(self.uri(name))
        params = types.HoverParams(about, types.Position(line - 1, column - 1))
        found = await self.client.text_document_hover_async(params)
        return "" if found is None else found.contents.value

    async def lenses(self, name: str) -> list[tuple[int, str]]:
        about = types.CodeLensParams(types.TextDocumentIdentifier(self.uri(name)))
        found = await self.client.text_document_code_lens_async(about)
        return [(each.range.start.line + 1, each.command.title) for each in found or [] if each.command]

    async def command(self, name: str, *arguments: Any) -> Any:
        params = types.ExecuteCommandParams(name, list(arguments))
        return await self.client.workspace_execute_command_async(params)

    async def end(self) -> int:
        """Shut the server down by the protocol; return its exit status."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        process = self.client._server
        assert process is not None
        return await asyncio.wait_for(process.wait(), LIMIT)


def access_path(text: str, offset: int) -> types.Position:
    before = text[:offset].replace("\r\n", "\n").split("\n")
    return types.Position(len(before) - 1, len(before[-1].encode("utf-16-le")) // 2)


def offset_of(text: str, place: types.Position) -> int:
    lines = text.split("\n")
    column = len(lines[place.line].encode("utf-16-le")[: 2 * place.character].decode("utf-16-le"))
    return sum(len(line) + 1 for line in lines[: place.line]) + column


Start = Callable[..., Awaitable[Session]]


@pytest_asyncio.fixture
async def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Start]:
    """Start a server for a folder with these files."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    sessions = []

    async def begin(
        files: dict[str, str | bytes] | None = None,
        *,
        folders: list[Path] | None = None,
        options: Any = None,
        capabilities: types.ClientCapabilities = CAPABILITIES,
    ) -> Session:
        root = tmp_path / "project"
        write(root, files or {})
        client = LanguageClient("editor", "1")
        session = Session(client, root)
        sessions.append(session)
        listen(session)
        command = str(Path(sys.executable).with_name("gblint"))
        await client.start_io(command, "server", "--log-level", "info", cwd=str(tmp_path))
        places = [root] if folders is None else folders
        params = types.InitializeParams(
            capabilities,
            workspace_folders=[types.WorkspaceFolder(each.as_uri(), each.name) for each in places],
            initialization_options=options,
        )
        session.server = await asyncio.wait_for(client.initialize_async(params), LIMIT)
        client.initialized(types.InitializedParams())
        return session

    yield begin
    for session in sessions:
        process = session.client._server
        if process is not None and process.returncode is None:
            process.kill()
        await session.client.stop()


def write(root: Path, files: dict[str, str | bytes]) -> None:
    """Write files below a folder."""
    root.mkdir(exist_ok=True, parents=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def listen(session: Session) -> None:
    client = session.client

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def published(params: types.PublishDiagnosticsParams) -> None:
        session.diagnostics[params.uri] = params

    @client.feature(types.WINDOW_SHOW_MESSAGE)
    def shown(params: types.ShowMessageParams) -> None:
        session.messages.append(params)

    @client.feature(types.WINDOW_LOG_MESSAGE)
    def logged(params: types.LogMessageParams) -> None:
        session.logged.append(params.message)

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def registered(params: types.RegistrationParams) -> None:
        session.registered.extend(params.registrations)

    @client.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)
    def progress_is_fine(params: types.WorkDoneProgressCreateParams) -> None:
        session.progress.append(params)

    @client.feature(types.PROGRESS)
    def progress(params: types.ProgressParams) -> None:
        session.progress.append(params)

    @client.feature(types.WORKSPACE_APPLY_EDIT)
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        session.edits.append(params.edit)
        session.apply(params.edit)
        return types.ApplyWorkspaceEditResult(True)
