"""A project of the workspace: what is known of it, and when it is looked at again.

After every edit the entry points that come through the edited file are analysed, in a process that keeps the project in
memory; when nothing happens for a while, everything is, in another process that stands back.  What an edit has made
stale is dropped.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from gblint.config.settings import Config
from gblint.diagnostics.finding import Finding
from gblint.editors.server.documents import Document, Documents, split
from gblint.editors.server.jobs import AnalysisJob, Answer, JobProgress, JobScope, Kind
from gblint.editors.server.merge_results import absolute, all_moved, merged, scope_around, scope_of
from gblint.editors.server.settings import Settings
from gblint.editors.server.workers import Lost, WorkerProcess
from gblint.runtime.lazy_dataclasses import replace

logger = logging.getLogger(__name__)

SMALL = 0.25  # seconds for everything, up to which nothing is to be gained by doing a part of it first
LONGEST_QUICK = 20.0
LONGEST_ANSWER = 60.0


class WorkspaceProject:
    """What lies below a folder of the workspace, or a single file outside of all of them.

    ``told`` is called with the root whenever there is something new to show, ``failed`` with what went wrong.
    """

    def __init__(
        self,
        folder: Path,
        documents: Documents,
        quick: WorkerProcess,
        told: Callable[[WorkspaceProject], None],
        failed: Callable[[str], None],
        file: Path | None = None,
    ) -> None:
        self.folder = folder
        self.file = file
        self.settings = Settings()
        self.shown: Answer | None = None
        self.edit = 0
        self.whole_known = False
        self.following: Callable[[WorkspaceProject], Callable[[JobProgress | None], None]] | None = None
        self._documents = documents
        self._quick = quick
        self._background = WorkerProcess(gentle=True)
        self._told, self._failed = told, failed
        self._epoch = 0
        self._good: Config | None = None
        self._texts: Mapping[str, Sequence[str]] = {}
        self._base: Answer | None = None
        self._base_number = 0
        self._numbers = 0
        self._changed: set[str] = set()
        self._reread: set[str] = set()
        self._small = False
        self._wanted = asyncio.Event()
        self._fresh = asyncio.Event()
        self._whole: asyncio.Task[None] | None = None
        self._fixes: tuple[int, Path, list[Finding]] | None = None
        self._crashes: set[str] = set()
        self._task = asyncio.ensure_future(self._run())

    # -- what happens --------------------------------------------------------------------------------------------

    def edited(self, path: Path | None = None, *, on_disk: bool = False) -> None:
        """A file has changed, in the editor or on disk; with none, whatever the project is made of may have."""
        self.edit += 1
        self._fresh.clear()
        if path is None:
            self._epoch += 1
            self.whole_known = False
        else:
            self._changed.add(str(path))
            if on_disk:
                self._reread.add(str(path))
        if self._whole is not None:
            self._whole.cancel()
        self._wanted.set()

    def set(self, settings: Settings) -> None:
        """Use other settings."""
        if settings != self.settings:
            self.settings = settings
            self.edited()

    def close(self) -> None:
        """End everything."""
        self._task.cancel()
        if self._whole is not None:
            self._whole.cancel()
        self._background.kill()

    def stop_background(self) -> None:
        """Give up the run of everything until the next edit."""
        if self._whole is not None:
            self._whole.cancel()

    # -- what is asked -------------------------------------------------------------------------------------------

    async def settled(self) -> Answer:
        """What is known once the last edit was looked at."""
        await self._fresh.wait()
        assert self.shown is not None
        return self.shown

    async def complete(self) -> Answer:
        """What is known once everything was looked at."""
        while True:
            await self.settled()
            whole = self._whole
            if whole is None or whole.done():
                if self._fresh.is_set():
                    return await self.settled()
            else:
                await asyncio.wait([whole])
            await asyncio.sleep(0)

    def findings(self, path: str | Path) -> list[Finding]:
        """What was found in a file."""
        if self.shown is None:
            return []
        return [found for found in self.shown.findings if absolute(found.span.path) == str(path)]

    async def with_fixes(self, document: Document) -> list[Finding]:
        """What was found in a document, with the fixes."""
        answer = await self.settled()
        found = self.findings(document.path)
        if not found or answer.broken:
            return found
        cached = self._fixes
        if cached is None or cached[:2] != (self.edit, document.path):
            edit = self.edit
            scope = None if self._small else scope_around(answer, found)
            fixed = await self._ask("fixes", document.path, scope=scope)
            if fixed is None:
                return found
            cached = self._fixes = (edit, document.path, fixed.findings)
        return cached[2]

    async def all_fixed(self, document: Document, part: tuple[int, int] | None = None) -> str | None:
        """The text of a document after all safe fixes, or those in the lines ``part``; None if there are none."""
        answer = await self.settled()
        found = self.findings(document.path)
        if not found or answer.broken:
            return None
        scope = None if self._small else scope_around(answer, found)
        fixed = await self._ask("fix-all", document.path, scope=scope, part=part)
        return None if fixed is None else fixed.text

    async def why(self, document: Document, line: int) -> Answer | None:
        """What is believed at a line of a document."""
        answer = await self.settled()
        if answer.broken:
            return None
        changed = {str(document.path)}
        scope = None if self._small else scope_of(answer, changed)
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
        # Who no longer waits for the answer does not end the process.
        return await asyncio.shield(asyncio.ensure_future(self._done(job)))

    async def _done(self, job: AnalysisJob) -> Answer | None:
        try:
            answer = await self._quick.do(job, LONGEST_ANSWER)
        except Lost as error:
            self._crashed(f"{error}")
            return None
        if answer.crash:
            self._crashed(answer.crash)
            return None
        return answer

    # -- runs ----------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        while True:
            await self._wanted.wait()
            await asyncio.sleep(self.settings.delay)
            self._wanted.clear()
            try:
                await self._look()
            except asyncio.CancelledError:
                raise
            except Exception as error:
                self._crashed(f"{type(error).__name__}: {error}")
                self._settle(self.shown or Answer())

    async def _look(self) -> None:
        """Look at what the last edits have touched, and have everything looked at when there is time."""
        edit, changed, known = self.edit, frozenset(self._changed), self._base
        self._changed -= changed
        scope: JobScope | None = None
        if not (self._small and self.whole_known):
            opened = [str(each.path) for each in self._own()]
            scope = scope_of(known or Answer(), changed if changed and self.whole_known else {*changed, *opened})
        job = self._job("lint", scope)
        before, after = self._texts, {str(path): split(text) for path, text in job.overlays.items()}
        try:
            answer = await self._quick.do(job, LONGEST_QUICK)
        except Lost as error:
            answer = Answer(crash=str(error))
        self._reread -= job.reread
        if answer.crash:
            self._crashed(answer.crash)
        if edit != self.edit:
            # Somebody typed on: the next run is about this edit, too.
            self._changed |= changed
            return
        self._note(answer)
        if answer.broken or answer.crash or (answer.same and known is not None):
            self._changed |= changed
            old = all_moved(known, before, after, answer.same) if known is not None else Answer()
            self._settle(replace(old, broken=answer.broken, problems=answer.problems))
            if not answer.broken and not (answer.same and self.whole_known):
                self._look_at_everything()
            return
        if scope is not None and known is not None:
            answer = merged(known, answer, scope, before, after)
        self._texts, self._base, self._base_number = after, answer, job.number
        self._settle(answer)
        if scope is not None:
            self._look_at_everything()

    def _look_at_everything(self) -> None:
        if self._whole is not None:
            self._whole.cancel()
        self._whole = asyncio.ensure_future(self._everything())

    async def _everything(self) -> None:
        if self.whole_known:
            await asyncio.sleep(self.settings.idle)
        edit, job = self.edit, self._job("lint")
        follow = self.following(self) if self.following is not None else lambda step: None
        start = time.monotonic()
        try:
            answer = await self._background.do(job, tell=follow)
        except Lost as error:
            self._crashed(str(error))
            return
        finally:
            follow(None)
        if answer.crash:
            self._crashed(answer.crash)
        logger.info("%s: %.1f s for everything", self.folder, time.monotonic() - start)
        if edit != self.edit:
            return
        self._note(answer)
        self._small = answer.seconds <= SMALL
        if not answer.crash and not answer.broken:
            self.whole_known = True
            self._texts = {str(path): split(text) for path, text in job.overlays.items()}
            self._base = answer
            self._settle(answer)
        # What it took in memory is given back.
        self._background.kill()

    def _settle(self, answer: Answer) -> None:
        self.shown = answer
        self._fresh.set()
        self._told(self)

    def _note(self, answer: Answer) -> None:
        if answer.config is not None:
            self._good = answer.config

    def _crashed(self, said: str) -> None:
        """Say once what went wrong."""
        if said not in self._crashes:
            self._crashes.add(said)
            self._failed(f"internal error while analysing {self.folder}: {said}")

    # -- jobs ----------------------------------------------------------------------------------------------------

    def owns(self, path: Path) -> bool:
        """Whether a file belongs here."""
        return path == self.file if self.file is not None else path.is_relative_to(self.folder)

    def _own(self) -> Iterable[Document]:
        return [each for each in self._documents if self.owns(each.path)]

    def _job(self, kind: Kind, scope: JobScope | None = None) -> AnalysisJob:
        own = list(self._own())
        # An installed package that is open in the editor is read as it stands there, too.
        overlays = {each.path: each.text for each in self._documents}
        if self.file is not None:
            paths: tuple[Path, ...] = (self.file,)
        else:
            paths = (self.folder, *sorted(each.path for each in own if each.saved and not each.path.exists()))
        self._numbers += 1
        return AnalysisJob(
            kind,
            self.folder,
            paths,
            overlays,
            self._epoch,
            self.settings.options,
            self.settings.config_file,
            self._good,
            frozenset(self._reread),
            scope,
            number=self._numbers,
            base=self._base_number,
        )
