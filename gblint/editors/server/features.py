"""The features of the protocol, each with the function that implements it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from lsprotocol import types

from gblint.editors.server import actions, hover, lenses
from gblint.editors.server.app import Server
from gblint.editors.server.documents import path_of
from gblint.editors.server.pages import markdown, page_of
from gblint.rules import rule_by_code

RESTART, FIX_ALL, ANALYSE = "gblint.restart", "gblint.fixAll", "gblint.analyse"
_WATCHED = ("**/*.py", "**/*.ipynb", "**/pyproject.toml", "**/gblint.toml", "**/.gitignore")


def make() -> Server:
    """Return a server with all features."""
    server = Server()
    _lifetime(server)
    _synchronisation(server)
    _diagnostics(server)
    _actions(server)
    _hovers_and_lenses(server)
    _commands(server)
    return server


def _lifetime(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.start(params)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watched = None if workspace is None else workspace.did_change_watched_files
        if watched is not None and watched.dynamic_registration:
            watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            registration = types.Registration("gblint-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            await server.client_register_capability_async(types.RegistrationParams([registration]))
        await server.ask_for_settings()

    @server.feature(types.SHUTDOWN)
    def shutdown(params: None) -> None:
        server.end()


def _synchronisation(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.opened(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.changed(params)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        # The server has the text of a Python file before it is saved; a configuration file is read from disk.
        path = path_of(params.text_document.uri)
        if path is not None and path.suffix == ".toml":
            server.on_disk([types.FileEvent(params.text_document.uri, types.FileChangeType.Changed)])

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def notebook_opened(params: types.DidOpenNotebookDocumentParams) -> None:
        server.notebook_opened(params)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def notebook_changed(params: types.DidChangeNotebookDocumentParams) -> None:
        server.notebook_changed(params)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def notebook_closed(params: types.DidCloseNotebookDocumentParams) -> None:
        server.closed(params.notebook_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files(params: types.DidChangeWatchedFilesParams) -> None:
        server.on_disk(list(params.changes))

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(params: types.DidChangeConfigurationParams) -> None:
        if params.settings:
            server.configure(params.settings)
        await server.ask_for_settings()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        for removed in params.event.removed:
            server.remove_folder(removed.uri)
        for added in params.event.added:
            server.add_folder(added.uri)
        await server.ask_for_settings()


def _diagnostics(server: Server) -> None:
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=True, identifier="gblint", work_done_progress=False
    )

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def of_document(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return types.RelatedFullDocumentDiagnosticReport([])
        root = server.root_of(document)
        await root.settled()
        found = server.diagnostics(root).get(server.documents.key(params.text_document.uri), [])
        mark = _mark(found)
        if params.previous_result_id == mark:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=mark)
        return types.RelatedFullDocumentDiagnosticReport(found, result_id=mark)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def of_workspace(params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        before = {each.uri: each.value for each in params.previous_result_ids}
        found: dict[str, list[types.Diagnostic]] = {}
        for root in server.roots():
            await root.complete()
            for key, each in server.diagnostics(root).items():
                found.setdefault(server.documents.address(key)[0], []).extend(each)
        items: list[types.WorkspaceDocumentDiagnosticReport] = []
        for uri in {**found, **before}:
            document = server.documents.get(uri)
            version = None if document is None else document.version_of(uri)
            mark = _mark(found.get(uri, []))
            if before.get(uri) == mark:
                items.append(types.WorkspaceUnchangedDocumentDiagnosticReport(uri, result_id=mark, version=version))
            else:
                each = found.get(uri, [])
                items.append(types.WorkspaceFullDocumentDiagnosticReport(uri, each, result_id=mark, version=version))
        return types.WorkspaceDiagnosticReport(items)


def _mark(found: list[types.Diagnostic]) -> str:
    """Return an identifier of the diagnostics; equal diagnostics have equal identifiers."""
    return f"{hash(repr(found)) & (1 << 64) - 1:016x}"


def _actions(server: Server) -> None:
    kinds = [types.CodeActionKind.QuickFix, actions.FIX_ALL, actions.FIX_NOTEBOOK]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(kinds))
    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return []
        root, maker, only = server.root_of(document), server.maker(), params.context.only
        uri = params.text_document.uri
        requested = types.Range(document.whole(uri, params.range.start), document.whole(uri, params.range.end))
        out: list[types.CodeAction | types.Command] = []
        await root.settled()
        edit = root.edit_number
        here = [f for f in root.findings(document.path) if actions.overlaps(f, requested, document, maker)]
        if here and actions.wanted(types.CodeActionKind.QuickFix, only):
            for finding in await root.with_fixes(document):
                if actions.overlaps(finding, requested, document, maker):
                    out += actions.quick_fixes(finding, root.notes(), document, maker, _versions(server))
        part = document.part(uri)
        for kind, lines in ((actions.FIX_ALL, part), (actions.FIX_NOTEBOOK, None)):
            if only is None or not actions.wanted(kind, only) or (kind == actions.FIX_NOTEBOOK and part is None):
                continue
            new = await root.all_fixed(document, lines)
            if new is not None and new != document.text:
                cell = uri if lines is not None else None
                fixed = actions.fix_all(new, document, maker, _versions(server), cell)
                out += [] if fixed is None else [fixed]
        # If there was another edit, the positions of these edits are wrong.
        return out if edit == root.edit_number else []


def _versions(server: Server) -> bool:
    workspace = server.client_capabilities.workspace
    edits = None if workspace is None else workspace.workspace_edit
    return bool(edits is not None and edits.document_changes)


def _hovers_and_lenses(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(params: types.HoverParams) -> types.Hover | None:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return None
        root, maker = server.root_of(document), server.maker()
        if not root.settings.hover:
            return None
        await root.settled()
        position = document.whole(params.text_document.uri, params.position)
        at = types.Range(position, position)
        found = [f for f in root.findings(document.path) if actions.overlaps(f, at, document, maker)]
        line, column = server.encoding.place(position, document.lines)
        answer = await root.why(document, line)
        why = None if answer is None else answer.why
        text = document.lines[line - 1] if line <= len(document.lines) else ""
        indent = len(text) - len(text.lstrip())
        place = document.home(maker.encoding.range(found[0].span, document.lines))[1] if found else None
        return hover.of_findings(found, root.notes(), place, why, column - indent)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    async def code_lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return []
        root = server.root_of(document)
        if not root.settings.lenses:
            return []
        answer = await root.settled()
        return [] if answer.broken else list(lenses.lenses(answer, document, params.text_document.uri, server.encoding))


def _commands(server: Server) -> None:
    @server.command(lenses.LIST)
    async def list_breaks(path: str, *names: str) -> str:
        """Show the breaks that the named entry points reach."""
        answers = [await root.settled() for root in server.roots() if root.owns(Path(path))]
        message = lenses.listed(answers[0], path, names) if answers else f"{path} is no longer open"
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, message))
        return message

    @server.command(lenses.LOCATE)
    async def locate_breaks(path: str, *names: str) -> list[dict[str, Any]]:
        """Return the breaks that the named entry points reach, with their places."""
        answers = [await root.settled() for root in server.roots() if root.owns(Path(path))]
        return list(lenses.located(answers[0], path, names, server.maker())) if answers else []

    @server.command(actions.EXPLAIN)
    async def explain(code: str) -> str | None:
        """Show the page about a rule, and return it."""
        rule = rule_by_code(code)
        if rule is None:
            return None
        page, window = page_of(code), server.client_capabilities.window
        if (
            page is not None
            and window is not None
            and window.show_document is not None
            and window.show_document.support
        ):
            await server.window_show_document_async(types.ShowDocumentParams(page))
        else:
            message = f"{rule.code} {rule.name}: {rule.summary}"
            server.window_show_message(types.ShowMessageParams(types.MessageType.Info, message))
        return markdown(rule)

    @server.command(FIX_ALL)
    async def fix_all(uri: str) -> bool:
        """Make all safe fixes in a document."""
        document = server.documents.get(uri)
        if document is None:
            return False
        version, new = document.version, await server.root_of(document).all_fixed(document)
        if new is None or new == document.text or version != document.version:
            return False
        action = actions.fix_all(new, document, server.maker(), _versions(server))
        if action is None or action.edit is None:
            return False
        applied = await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(action.edit, action.title))
        return applied.applied

    @server.command(RESTART)
    async def restart() -> None:
        """Analyse all projects from scratch."""
        for root in server.roots():
            root.edited()

    @server.command(ANALYSE)
    async def analyse() -> int:
        """Analyse all projects now; return the number of findings."""
        answers = await asyncio.gather(*(root.complete() for root in server.roots()))
        return sum(len(answer.findings) for answer in answers)
