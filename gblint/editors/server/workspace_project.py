"""A project of the workspace: its findings, and the scheduling of its analysis.

After each edit, the entry points that reach the edited file are analysed in a process that keeps the project in memory.
After a pause without edits, the whole project is analysed in another process of low priority.  The result of a run is
dropped if there was an edit during the run.

That process is kept afterwards, with all entry points: an edit inside a function is applied to what it has in memory.
For other edits, and until then, the files that compile something which reaches the edited file are searched again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from gblint.config.settings import Config
from gblint.diagnostics.finding import Finding
from gblint.editors.server.documents import Document, Documents, split
from gblint.editors.server.jobs import AnalysisJob, Answer, JobProgress, JobScope, Kind
from gblint.editors.server.merge_results import absolute, all_moved, merged, scope_around, scope_of
from gblint.editors.server.project_state import ErrorReporter, LastAnalysis, PendingEdits
from gblint.editors.server.settings import Settings
from gblint.editors.server.workers import Lost, WorkerProcess
from gblint.report.finding_notes import FindingNotes
from gblint.runtime.lazy_dataclasses import replace

logger = logging.getLogger(__name__)

# If the whole project is analysed within this time, in seconds, analysing a part of it first is not worthwhile.
FAST_ANALYSIS = 0.25
# Time limits in seconds for the run after an edit and for the answer to a request.
QUICK_TIMEOUT = 20.0
REQUEST_TIMEOUT = 60.0
# A process that has analysed the whole project is kept if it uses at most so many bytes.
MAX_KEPT_MEMORY = 800_000_000


class WorkspaceProject:
    """The files below a folder of the workspace, or a single file outside of all folders.

    ``on_change`` is called with the project whenever there are new results in ``shown``, and ``failed`` with the text
    of an internal error.  ``follow`` may be set to a function that returns a receiver for the progress of a run.
    """

    def __init__(
        self,
        folder: Path,
        documents: Documents,
        quick: WorkerProcess,
        on_change: Callable[[WorkspaceProject], None],
        failed: Callable[[str], None],
        file: Path | None = None,
    ) -> None:
        self.folder = folder
        self.file = file
        self.settings = Settings()
        self.shown: Answer | None = None
        self.follow: Callable[[WorkspaceProject], Callable[[JobProgress | None], None]] | None = None
        self._documents = documents
        self._quick = quick
        self._background = WorkerProcess(gentle=True)
        self._kept: WorkerProcess | None = None
        self._on_change = on_change
        self._errors = ErrorReporter(failed)
        self._edits = PendingEdits()
        self._last = LastAnalysis()
        self._last_config: Config | None = None
        self._jobs = 0
        self._wanted = asyncio.Event()
        self._fresh = asyncio.Event()
        self._complete_run: asyncio.Task[None] | None = None
        self._fixes: tuple[int, Path, list[Finding]] | None = None
        self._task = asyncio.ensure_future(self._run())

    @property
    def edit_number(self) -> int:
        """The number of edits so far."""
        return self._edits.number

    # -- events --------------------------------------------------------------------------------------------

    def edited(self, path: Path | None = None, *, on_disk: bool = False) -> None:
        """Schedule a run after a change of a file, in the editor or on disk; None if anything may have changed."""
        self._edits.add(None if path is None else str(path), on_disk)
        self._fresh.clear()
        if path is None:
            self._last.complete = False
        if path is None or on_disk:
            self._keep(None)
        if self._complete_run is not None:
            self._complete_run.cancel()
        self._wanted.set()

    def set(self, settings: Settings) -> None:
        """Use new settings, and schedule a run if they differ from the old ones."""
        if settings != self.settings:
            self.settings = settings
            self.edited()

    def close(self) -> None:
        """Stop all runs."""
        self._task.cancel()
        if self._complete_run is not None:
            self._complete_run.cancel()
        self._background.kill()
        self._keep(None)

    def stop_background(self) -> None:
        """Stop the run of the whole project; the next edit schedules another one."""
        if self._complete_run is not None:
            self._complete_run.cancel()

    # -- requests -----------------------------------------------------------------------------------------------

    async def settled(self) -> Answer:
        """Return the results after the last edit has been analysed."""
        await self._fresh.wait()
        assert self.shown is not None
        return self.shown

    async def complete(self) -> Answer:
        """Return the results after the whole project has been analysed."""
        while True:
            await self.settled()
            whole = self._complete_run
            if whole is None or whole.done():
                if self._fresh.is_set():
                    return await self.settled()
            else:
                await asyncio.wait([whole])
            await asyncio.sleep(0)

    def findings(self, path: str | Path) -> list[Finding]:
        """Return the findings in a file."""
        if self.shown is None:
            return []
        return [found for found in self.shown.findings if absolute(found.span.path) == str(path)]

    def notes(self) -> FindingNotes:
        """Return the notes on all findings."""
        return FindingNotes([] if self.shown is None else self.shown.findings)

    async def with_fixes(self, document: Document) -> list[Finding]:
        """Return the findings in a document, with their fixes."""
        answer = await self.settled()
        found = self.findings(document.path)
        if not found or answer.broken:
            return found
        cached = self._fixes
        if cached is None or cached[:2] != (self.edit_number, document.path):
            edit = self.edit_number
            scope = None if self._last.fast else scope_around(answer, found)
            fixed = await self._ask("fixes", document.path, scope=scope)
            if fixed is None:
                return found
            cached = self._fixes = (edit, document.path, fixed.findings)
        return cached[2]

    async def all_fixed(self, document: Document, part: tuple[int, int] | None = None) -> str | None:
        """Return a document after all its safe fixes, or only those in the lines ``part``; None if there are none."""
        answer = await self.settled()
        found = self.findings(document.path)
        if not found or answer.broken:
            return None
        scope = None if self._last.fast else scope_around(answer, found)
        fixed = await self._ask("fix-all", document.path, scope=scope, part=part)
        return None if fixed is None else fixed.text

    async def why(self, document: Document, line: int) -> Answer | None:
        """Return an answer that explains the values at a line of a document; None if there is none."""
        answer = await self.settled()
        if answer.broken:
            return None
        changed = {str(document.path)}
        scope = None if self._last.fast else scope_of(answer, changed)
        return await self._ask("why", document.path, line, scope)

    async def _ask(
        self,
        kind: Kind,
        path: Path,
        line: int = 0,
        scope: JobScope | None = None,
        part: tuple[int, int] | None = None,
    ) -> Answer | None:
        job = replace(self._job(kind, scope), path=path, line=line, part=part)
        # Shielded, because the process must not be killed when the client cancels the request.
        return await asyncio.shield(asyncio.ensure_future(self._done(job)))

    async def _done(self, job: AnalysisJob) -> Answer | None:
        try:
            answer = await self._quick.do(job, REQUEST_TIMEOUT)
        except Lost as error:
            self._errors.crashed(self.folder, str(error))
            return None
        if answer.crash:
            self._errors.crashed(self.folder, answer.crash)
            return None
        if job.kind != "why":
            self._errors.warned(answer.warnings)
        return answer

    # -- runs ----------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        while True:
            await self._wanted.wait()
            await asyncio.sleep(self.settings.delay)
            self._wanted.clear()
            try:
                await self._analyse_edits()
            except asyncio.CancelledError:
                raise
            except Exception as error:
                self._errors.crashed(self.folder, f"{type(error).__name__}: {error}")
                self._settle(self.shown or Answer())

    async def _analyse_edits(self) -> None:
        """Analyse the entry points that reach the edited files, and schedule the run of the whole project."""
        edits, last = self._edits, self._last
        edit, changed, known = edits.number, frozenset(edits.changed), last.answer
        edits.changed -= changed
        scope: JobScope | None = None
        if not (last.fast and last.complete):
            opened = [str(each.path) for each in self._own()]
            scope = scope_of(known or Answer(), changed if changed and last.complete else {*changed, *opened})
        job = self._job("lint", scope)
        before, after = last.texts, {str(path): split(text) for path, text in job.overlays.items()}
        answer = await self._from_kept(job) or await self._from_quick(job)
        edits.on_disk -= job.reread
        if answer.crash:
            self._errors.crashed(self.folder, answer.crash)
        if edit != edits.number:
            # The project was edited again during the run: the next run analyses these files as well.
            edits.changed |= changed
            return
        self._keep_config(answer)
        if answer.broken or answer.crash or (answer.same and known is not None):
            edits.changed |= changed
            old = all_moved(known, before, after, answer.same) if known is not None else Answer()
            self._settle(replace(old, broken=answer.broken, problems=answer.problems))
            if not answer.broken and not (answer.same and last.complete):
                self._start_complete_run()
            return
        if scope is not None and known is not None:
            answer = merged(known, answer, scope, before, after)
        last.texts, last.answer, last.number = after, answer, job.number
        self._settle(answer)
        if scope is not None:
            self._start_complete_run()

    async def _from_kept(self, job: AnalysisJob) -> Answer | None:
        """Return the answer of the process that has analysed everything; None if it cannot apply the edits."""
        if self._kept is None:
            return None
        try:
            answer = await self._kept.do(replace(job, only_amends=True), QUICK_TIMEOUT)
        except Lost:
            self._keep(None)
            return None
        if answer.crash or answer.memory > MAX_KEPT_MEMORY:
            self._keep(None)
        return None if answer.crash or answer.declined else answer

    async def _from_quick(self, job: AnalysisJob) -> Answer:
        try:
            return await self._quick.do(job, QUICK_TIMEOUT)
        except Lost as error:
            return Answer(crash=str(error))

    def _keep(self, process: WorkerProcess | None) -> None:
        if self._kept is not None:
            self._kept.kill()
        self._kept = process

    def _start_complete_run(self) -> None:
        if self._complete_run is not None:
            self._complete_run.cancel()
        self._complete_run = asyncio.ensure_future(self._analyse_all())

    async def _analyse_all(self) -> None:
        if self._last.complete:
            await asyncio.sleep(self.settings.idle)
        edit, job = self._edits.number, self._job("lint")
        follow = self.follow(self) if self.follow is not None else lambda step: None
        start = time.monotonic()
        try:
            answer = await self._background.do(job, tell=follow)
        except Lost as error:
            self._errors.crashed(self.folder, str(error))
            return
        finally:
            follow(None)
        if answer.crash:
            self._errors.crashed(self.folder, answer.crash)
        logger.info("%s: %.1f s for everything", self.folder, time.monotonic() - start)
        if edit != self._edits.number:
            return
        self._keep_config(answer)
        self._last.fast = answer.seconds <= FAST_ANALYSIS
        if not answer.crash and not answer.broken:
            self._last.complete = True
            self._last.texts = {str(path): split(text) for path, text in job.overlays.items()}
            self._last.answer = answer
            self._settle(answer)
            if self._is_worth_keeping(answer):
                self._keep(self._background)
                self._background, self._last.number = WorkerProcess(gentle=True), job.number
        # Killing the process frees its memory.
        self._background.kill()

    def _is_worth_keeping(self, answer: Answer) -> bool:
        """Return whether a process that keeps this analysis answers edits sooner than a new search."""
        # A short analysis is done again as a whole, and assumed entry points are found without a search.
        assumed = any(point.kind == "assumed" for point in answer.entries)
        return not self._last.fast and not assumed and 0 < answer.memory <= MAX_KEPT_MEMORY

    def _settle(self, answer: Answer) -> None:
        self.shown = answer
        self._fresh.set()
        self._on_change(self)

    def _keep_config(self, answer: Answer) -> None:
        if answer.config is not None:
            self._last_config = answer.config

    # -- jobs ----------------------------------------------------------------------------------------------------

    def owns(self, path: Path) -> bool:
        """Return whether a file belongs to this project."""
        return path == self.file if self.file is not None else path.is_relative_to(self.folder)

    def _own(self) -> Iterable[Document]:
        return [each for each in self._documents if self.owns(each.path)]

    def _job(self, kind: Kind, scope: JobScope | None = None) -> AnalysisJob:
        own = list(self._own())
        # The texts of all open documents, because the project may import an installed package that is being edited.
        overlays = {each.path: each.text for each in self._documents}
        if self.file is not None:
            paths: tuple[Path, ...] = (self.file,)
        else:
            paths = (self.folder, *sorted(each.path for each in own if each.saved and not each.path.exists()))
        self._jobs += 1
        return AnalysisJob(
            kind,
            self.folder,
            paths,
            overlays,
            self._edits.epoch,
            self.settings.options,
            self.settings.config_file,
            self._last_config,
            frozenset(self._edits.on_disk),
            scope,
            number=self._jobs,
            base=self._last.number,
        )
