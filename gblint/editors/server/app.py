"""The state of a session with an editor, and the handling of its notifications."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from gblint import __version__
from gblint.editors.plugin_analyses import project_root
from gblint.editors.server.diagnostics import DiagnosticFactory, summary
from gblint.editors.server.documents import Document, Documents, path_of, place_for, uri_of
from gblint.editors.server.framing import FrameReader
from gblint.editors.server.jobs import JobProgress
from gblint.editors.server.notebooks import FILTERS, NotebookDocument
from gblint.editors.server.positions import Encoding
from gblint.editors.server.settings import Settings
from gblint.editors.server.workers import WorkerProcess
from gblint.editors.server.workspace_project import WorkspaceProject
from gblint.project.notebook import SUFFIX

logger = logging.getLogger(__name__)
_MARKS = ("gblint.toml", "pyproject.toml", ".git", "setup.cfg")


class Server(LanguageServer):
    """A session with one client."""

    def __init__(self) -> None:
        notebooks = types.NotebookDocumentSyncOptions(FILTERS)
        super().__init__("gblint", __version__, types.TextDocumentSyncKind.Incremental, notebooks)
        self.documents = Documents()
        self.encoding = Encoding()
        self.pull = False
        self.ended = False
        self.defaults = Settings()
        self._quick = WorkerProcess()
        self._roots: dict[Path, WorkspaceProject] = {}
        self._folders: list[Path] = []
        self._shown: dict[WorkspaceProject, dict[str, list[types.Diagnostic]]] = {}
        # Documents opened since their diagnostics were last sent; the client may have dropped the earlier ones.
        self._opened: set[str] = set()
        self._messages: set[str] = set()

    # -- the connection ------------------------------------------------------------------------------------------

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Serve the client at the other end of two streams, by default the standard ones."""
        super().start_io(cast("BinaryIO", FrameReader(stdin or sys.stdin.buffer)), stdout)

    def start_tcp(self, host: str, port: int) -> None:
        """Serve the first client that connects."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.create_server((host, port), family=family) as listener:
            logger.info("Serving on %s", listener.getsockname()[:2])
            connection, _ = listener.accept()
        with connection, connection.makefile("rb") as incoming, connection.makefile("wb") as outgoing:
            self.start_io(incoming, outgoing)

    # -- roots ---------------------------------------------------------------------------------------------------

    def start(self, params: types.InitializeParams) -> None:
        """Read the capabilities, the settings and the folders of the client."""
        capabilities = params.capabilities
        encoding = getattr(self.workspace, "position_encoding", None)
        self.encoding = Encoding(encoding)
        text = capabilities.text_document
        self.pull = text is not None and text.diagnostic is not None
        self.defaults = self._settings(params.initialization_options)
        folders = params.workspace_folders or []
        if not folders and params.root_uri:
            folders = [types.WorkspaceFolder(params.root_uri, "")]
        for folder in folders:
            self.add_folder(folder.uri)

    def add_folder(self, uri: str) -> None:
        """Add a folder to the workspace."""
        path = path_of(uri)
        if path is not None and path not in self._folders:
            self._folders.append(path)
            self._regroup()

    def remove_folder(self, uri: str) -> None:
        """Remove a folder from the workspace."""
        path = path_of(uri)
        if path in self._folders:
            self._folders.remove(path)
            self._regroup()

    def _regroup(self) -> None:
        """Close the projects without a folder or open document, and start the missing ones."""
        needed: dict[Path, Path | None] = dict.fromkeys(self._folders)
        for document in self.documents:
            folder, file = self._place_of(document)
            needed.setdefault(file or folder, file)
        for key in [key for key in self._roots if key not in needed]:
            root = self._roots.pop(key)
            root.close()
            for path in self._shown.pop(root, {}):
                self._publish(path, [])
        for key, file in needed.items():
            if key not in self._roots:
                folder = key if file is None else file.parent
                root = WorkspaceProject(folder, self.documents, self._quick, self._send_results, self.complain, file)
                root.follow = self._follow
                root.settings = self.defaults
                self._roots[key] = root
                root.edited()

    def _place_of(self, document: Document) -> tuple[Path, Path | None]:
        """Return the folder of a document's project, and the document's path if it is a project of its own."""
        inside = [folder for folder in self._folders if document.path.is_relative_to(folder)]
        if not document.saved:
            return document.path.parent, document.path
        if inside:
            return max(inside, key=lambda folder: len(folder.parts)), None
        folder = project_root(document.path)
        # A folder without a project file may contain unrelated files.
        alone = not any((folder / mark).exists() for mark in _MARKS)
        return folder, document.path if alone else None

    def root_of(self, document: Document) -> WorkspaceProject:
        """Return the project that a document belongs to."""
        folder, file = self._place_of(document)
        if (file or folder) not in self._roots:
            self._regroup()
        return self._roots[file or folder]

    def roots(self) -> list[WorkspaceProject]:
        """Return all projects."""
        return list(self._roots.values())

    # -- notifications ------------------------------------------------------------------------------------------

    def opened(self, item: types.TextDocumentItem) -> None:
        """Handle the opening of a document."""
        folder = self._folders[0] if self._folders else Path.cwd()
        document = self.documents.open(item, folder)
        if document is not None:
            self._add(document)

    def notebook_opened(self, params: types.DidOpenNotebookDocumentParams) -> None:
        """Handle the opening of a notebook."""
        folder = self._folders[0] if self._folders else Path.cwd()
        path, saved = place_for(params.notebook_document.uri, folder, SUFFIX)
        if path.suffix == SUFFIX:
            self._add(self.documents.add(NotebookDocument.of(params, path, saved)))

    def _add(self, document: Document) -> None:
        self._opened.add(str(document.path))
        known = set(self._roots)
        root = self.root_of(document)
        if not document.path.exists():
            root.edited()
        elif known == set(self._roots):
            root.edited(document.path)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        """Handle an edit of a document."""
        about = params.text_document
        document = self.documents.get(about.uri)
        if document is None:
            return
        if isinstance(document, NotebookDocument):
            document.edit_cell(about, params.content_changes, self.encoding)
        else:
            document.change(params.content_changes, self.encoding)
            document.version = about.version
        self.root_of(document).edited(document.path)

    def notebook_changed(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """Handle an edit of a notebook."""
        document = self.documents.get(params.notebook_document.uri)
        if isinstance(document, NotebookDocument):
            document.version = params.notebook_document.version
            document.edit(params.change, self.encoding)
            self.root_of(document).edited(document.path)

    def closed(self, uri: str) -> None:
        """Handle the closing of a document: the file on disk is analysed from now on."""
        document = self.documents.close(uri)
        if document is None:
            return
        self._regroup()
        for root in self.roots():
            if root.owns(document.path):
                root.edited(document.path if document.path.exists() else None, on_disk=True)
        if not any(root.owns(document.path) for root in self.roots()):
            self._publish(str(document.path), [], uri)

    def on_disk(self, changes: list[types.FileEvent]) -> None:
        """Handle changes of files on disk."""
        for change in changes:
            path = path_of(change.uri)
            if path is None:
                continue
            plain = path.suffix in (".py", SUFFIX) and change.type == types.FileChangeType.Changed
            for root in self.roots():
                if plain and root.owns(path):
                    # The editor has the current text of an open document.
                    if self.documents.at(path) is None:
                        root.edited(path, on_disk=True)
                elif root.owns(path) or root.folder.is_relative_to(path.parent):
                    root.edited()

    def configure(self, given: object) -> None:
        """Use other settings for all folders."""
        self.defaults = self._settings(given)
        for root in self.roots():
            root.set(self.defaults)

    async def ask_for_settings(self) -> None:
        """Request the settings of each folder, if the client supports that."""
        workspace = self.client_capabilities.workspace
        if workspace is None or not workspace.configuration:
            return
        roots = self.roots()
        items = [types.ConfigurationItem(uri_of(root.folder), "gblint") for root in roots]
        try:
            given = await self.workspace_configuration_async(types.ConfigurationParams(items))
        except Exception as error:
            logger.warning("the client does not send its settings: %s", error)
            return
        for root, each in zip(roots, given):
            if each:
                root.set(self._settings(each))

    def _settings(self, given: object) -> Settings:
        settings, problems = Settings.of(given)
        for problem in problems:
            self.complain(problem, types.MessageType.Warning)
        return settings

    # -- messages to the client ---------------------------------------------------------------------------------

    def complain(self, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """Show a message to the user, once."""
        if message not in self._messages:
            self._messages.add(message)
            logger.warning("%s", message)
            self.window_show_message(types.ShowMessageParams(kind, f"gblint: {message}"))

    def maker(self) -> DiagnosticFactory:
        """Return the factory of diagnostics for this client."""
        text = self.client_capabilities.text_document
        known = None if text is None else (text.diagnostic if self.pull else text.publish_diagnostics)
        return DiagnosticFactory(
            self.encoding,
            self.documents,
            bool(known is not None and known.related_information),
            bool(known is not None and known.tag_support),
            bool(known is not None and known.code_description_support),
        )

    def _send_results(self, root: WorkspaceProject) -> None:
        """Send the new results of a project."""
        answer = root.shown
        if answer is None:
            return
        for problem in answer.problems:
            place = f"{problem.where}:{problem.line}" if problem.line else problem.where
            self.complain(f"{place}: {problem.message}", types.MessageType.Warning)
        if answer.note:
            self._log(answer.note)
        self._log(summary(answer, root.folder))
        found = self.maker().all(answer)
        if root.settings.mode != "workspace":
            files = (".py", SUFFIX)
            found = {key: each for key, each in found.items() if self.documents.at(key) or not key.endswith(files)}
        before = self._shown.get(root, {})
        self._shown[root] = found
        opened = {path for path in self._opened if root.owns(Path(path))}
        self._opened -= opened
        changed = [path for path in {**before, **found} if before.get(path) != found.get(path) or path in opened]
        for path in changed:
            # A client that pulls diagnostics does so for Python files and cells only.
            if not self.pull or (Path(path).is_absolute() and not path.endswith(".py")):
                self._publish(path, found.get(path, []))
        self._refresh(bool(changed))

    def diagnostics(self, root: WorkspaceProject) -> dict[str, list[types.Diagnostic]]:
        """Return the diagnostics of a project by path, or by the URI of a cell."""
        return self._shown.get(root, {})

    def _publish(self, key: str, found: list[types.Diagnostic], uri: str | None = None) -> None:
        where, version = self.documents.address(key) if uri is None else (uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(where, found, version))

    def _refresh(self, changed: bool) -> None:
        """Ask the client to pull the diagnostics and the code lenses again."""
        workspace = self.client_capabilities.workspace
        if workspace is None:
            return
        if changed and self.pull and workspace.diagnostics is not None and workspace.diagnostics.refresh_support:
            self._ask(self.workspace_diagnostic_refresh_async)
        if workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self._ask(self.workspace_code_lens_refresh_async)

    def _ask(self, request: Callable[[None], Any]) -> None:
        async def ask() -> None:
            try:
                await request(None)
            except Exception as error:
                logger.info("%s", error)

        self._later = asyncio.ensure_future(ask())

    def _log(self, message: str) -> None:
        self.window_log_message(types.LogMessageParams(types.MessageType.Info, message))

    def _follow(self, root: WorkspaceProject) -> Callable[[JobProgress | None], None]:
        """Return the receiver of the progress of a run of the whole project; None ends the progress bar."""
        window = self.client_capabilities.window
        if window is None or not window.work_done_progress:
            return lambda step: None
        token = str(uuid.uuid4())
        bar = self.work_done_progress
        started = asyncio.ensure_future(self._begin(token, root))

        def tell(step: JobProgress | None) -> None:
            if step is None:
                started.add_done_callback(
                    lambda done: bar.end(token, types.WorkDoneProgressEnd()) if _succeeded(done) else None
                )
            elif started.done() and _succeeded(started):
                percent = min(100 * step.done // max(step.total, 1), 100)
                bar.report(token, types.WorkDoneProgressReport(message=step.name, percentage=percent))

        return tell

    async def _begin(self, token: str, root: WorkspaceProject) -> None:
        await self.work_done_progress.create_async(token)
        title = f"gblint: {root.folder.name or root.folder}"
        self.work_done_progress.begin(token, types.WorkDoneProgressBegin(title, cancellable=True, percentage=0))
        self.work_done_progress.tokens[token].add_done_callback(
            lambda asked: root.stop_background() if asked.cancelled() else None
        )

    def end(self) -> None:
        """Stop all processes at the request of the client."""
        self.ended = True
        for root in self.roots():
            root.close()
        self._quick.kill()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error in the handling of a message; for a request, the error is also in the response."""
        logger.error("%s: %s", getattr(source, "__name__", source), error)

    def open_documents(self) -> Iterator[Document]:
        """Return the open documents."""
        return iter(self.documents)


def _succeeded(done: asyncio.Future[None]) -> bool:
    return not done.cancelled() and done.exception() is None
