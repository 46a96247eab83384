"""The worker process: it reads jobs from standard input and writes answers to standard output.

It keeps the project between jobs: a file is parsed again only after a change.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import os
import pickle
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from gblint.config.errors import ConfigError
from gblint.config.loading import common_parent
from gblint.config.loading import load as load_config
from gblint.config.settings import Config
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Fix
from gblint.diagnostics.span import FileLine
from gblint.editors.server.jobs import LENGTH, AnalysisJob, Answer, JobProgress, JobScope, entry_key, packed
from gblint.pipeline.edits import same_program
from gblint.pipeline.incremental_edit import apply_edit
from gblint.pipeline.lint import LintRequest, LintResult, Session, lint, project_of
from gblint.project.project import Project
from gblint.project.source import SourceProblem, parse_source
from gblint.runtime.lazy_dataclasses import dataclass, field, replace
from gblint.runtime.memory import peak_memory

MOST_PROJECTS = 4
SECONDS_BETWEEN_STEPS = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """A text with its syntax tree."""

    text: str
    tree: ast.Module


@dataclass(slots=True)
class _ProjectState:
    """A project of an earlier job.

    ``made_with`` are the inputs that created it; ``texts`` are the open files when job ``number`` analysed it.
    """

    project: Project
    made_with: tuple[Any, ...]
    session: Session | None = None
    scope: JobScope | None = None
    number: int = 0
    texts: Mapping[Path, Parsed] = field(default_factory=dict)


class AnalysisWorker:
    """Runs jobs one after the other; ``report`` is called with the progress."""

    def __init__(self, report: Callable[[JobProgress], None] = lambda step: None) -> None:
        self._report_progress = report
        self._last_report = 0.0
        self._projects: dict[Path, _ProjectState] = {}
        self._parsed: dict[Path, Parsed] = {}

    def do(self, job: AnalysisJob) -> Answer:
        """Return the answer to a job; an exception is reported in the answer."""
        start = time.perf_counter()
        try:
            answer = self._do(job)
        except ConfigError as error:
            answer = Answer(problems=error.problems)
        except Exception as error:
            # After an exception the project may be in an inconsistent state.
            self._projects.pop(job.root, None)
            detail = " ".join(str(error).split())[:300]
            answer = Answer(crash=f"{type(error).__name__}: {detail}")
            if os.environ.get("GBLINT_DEBUG"):
                raise
        answer.seconds = time.perf_counter() - start
        answer.memory = peak_memory()
        return answer

    def _do(self, job: AnalysisJob) -> Answer:
        config, answer = _settings(job)
        scope = job.scope
        request = LintRequest(job.paths, overlays=job.overlays, entry_filter=None if scope is None else scope.wants)
        if job.only_amends and (job.root not in self._projects or job.reread):
            return Answer(declined=True)
        kept = self._project(job, request, config)
        request = replace(request, project=kept.project)
        if scope is not None and scope.assume is not None:
            config = config.with_values(assume_entries=scope.assume)
        if job.kind == "lint":
            self._lint(job, replace(request, keep_session=True), config, kept, answer)
        else:
            kept.project.restrict_to(None if scope is None else scope.files)
            _STEPS[job.kind](job, request, config, answer)
        return answer

    def _lint(
        self, job: AnalysisJob, request: LintRequest, config: Config, kept: _ProjectState, answer: Answer
    ) -> None:
        """Add the findings to ``answer``; what the last job has left is used if the edits can be applied to it."""
        texts = self._read(job, kept.project, answer)
        if answer.broken:
            return
        answer.same = 0 < kept.number == job.base and _same_programs(kept.texts, texts)
        if answer.same:
            _follow(kept, texts)
            return
        kept.project.restrict_to(None if job.scope is None else job.scope.files)
        session = _amended(job, kept, texts)
        if job.only_amends and session is None:
            answer.declined = True
            return
        kept.session = None
        outcome = lint(replace(request, session=_part_of(session, job.scope)), config, self._progress)
        _report(outcome, answer)
        if session is None:
            kept.scope, session = job.scope, outcome.session
        kept.number, kept.texts, kept.session = job.number, texts, session

    def _progress(self, done: int, total: int, name: str) -> None:
        now = time.perf_counter()
        if now - self._last_report > SECONDS_BETWEEN_STEPS:
            self._last_report = now
            self._report_progress(JobProgress(done, total, name))

    def _read(self, job: AnalysisJob, project: Project, answer: Answer) -> dict[Path, Parsed]:
        """Return the open files; those that cannot be parsed go to ``answer.broken``."""
        files = set(project.files)
        read: dict[Path, Parsed] = {}
        for path, text in job.overlays.items():
            if path not in files:
                continue
            known = self._parsed.get(path)
            if known is None or known.text != text:
                try:
                    known = self._parsed[path] = Parsed(text, parse_source(text))
                except SourceProblem as problem:
                    answer.broken.append(problem.at(str(path)))
                    continue
            read[path] = known
        return read

    def _project(self, job: AnalysisJob, request: LintRequest, config: Config) -> _ProjectState:
        made_with = (job.epoch, job.paths, config.with_values(locations={}))
        kept = self._projects.pop(job.root, None)
        if kept is None or kept.made_with != made_with:
            kept = _ProjectState(project_of(request, config), made_with)
        elif job.reread:
            kept.project.reread(job.reread)
            kept.number = 0
        self._projects[job.root] = kept
        while len(self._projects) > MOST_PROJECTS:
            del self._projects[next(iter(self._projects))]
        return kept


def _amended(job: AnalysisJob, kept: _ProjectState, texts: Mapping[Path, Parsed]) -> Session | None:
    """Return the session of the last run with the edits applied; None if they cannot be applied."""
    session, changed = kept.session, [path for path in texts if kept.texts.get(path) is not texts[path]]
    if session is None or kept.scope not in (job.scope, None) or not set(texts).issuperset(kept.texts):
        return None
    if kept.number != job.base and not job.only_amends:
        return None
    return session if _apply(kept, session, texts, changed) else None


def _apply(kept: _ProjectState, session: Session, texts: Mapping[Path, Parsed], changed: Sequence[Path]) -> bool:
    """Apply the edits of the ``changed`` files to a session; return false if they cannot be applied."""
    return all(
        apply_edit(kept.project, session, path, texts[path].text, texts[path].tree, alone=len(changed) == 1)
        for path in changed
    )


def _follow(kept: _ProjectState, texts: Mapping[Path, Parsed]) -> None:
    """Set the texts after edits of comments and blanks, so that later edits are compared with these."""
    changed = [path for path in texts if kept.texts.get(path) is not texts[path]]
    if kept.session is not None and _apply(kept, kept.session, texts, changed):
        kept.texts = texts


def _part_of(session: Session | None, scope: JobScope | None) -> Session | None:
    """Return a session with only the entry points in a scope."""
    if session is None or scope is None:
        return session
    entries = [entry for entry in session.search.entries if scope.wants(entry.point)]
    return replace(session, search=replace(session.search, entries=entries))


def _same_programs(old: Mapping[Path, Parsed], new: Mapping[Path, Parsed]) -> bool:
    """Return whether only comments and blanks have changed in these files."""
    return set(old) == set(new) and all(
        old[path] is new[path]
        or same_program(old[path].tree, new[path].tree, old[path].text.split("\n"), new[path].text.split("\n"))
        for path in new
    )


def _settings(job: AnalysisJob) -> tuple[Config, Answer]:
    """Return the configuration, and an answer with the errors in it."""
    try:
        config = load_config([job.root], job.config_file)
        return config.with_options(**job.options).with_values(trusted=False), Answer(config=config)
    except ConfigError as error:
        config = job.fallback or Config(root=common_parent([job.root]))
        return config.with_options(**job.options).with_values(trusted=False), Answer(problems=error.problems)


def _report(outcome: LintResult, answer: Answer) -> None:
    report = outcome.report
    answer.findings, answer.errors, answer.entries = report.findings, report.errors, report.entries
    answer.warnings, answer.note = outcome.warnings, outcome.note
    answer.unresolved = report.unresolved
    answer.reach = {entry_key(point): files for point, files in outcome.reach.items()}


def _fixes(job: AnalysisJob, request: LintRequest, config: Config, answer: Answer) -> None:
    """Add the findings in one file with their fixes to ``answer``."""
    from gblint.fix.budget import about_fixes
    from gblint.fix.lint_with_fixes import lint_showing_fixes

    outcome = lint_showing_fixes(request, config, select=lambda found: _is_in(found, job))
    answer.findings, answer.warnings = outcome.report.findings, about_fixes(outcome.warnings)


def _fix_all(job: AnalysisJob, request: LintRequest, config: Config, answer: Answer) -> None:
    """Add the text of one file after all its safe fixes to ``answer``."""
    from gblint.fix.budget import about_fixes
    from gblint.fix.fixed_point import FixKey, fix_files

    def choose(finding: Finding, way: Fix, key: FixKey) -> bool:
        there = job.part is None or job.part[0] <= key.line <= job.part[1]
        return way.applicability == "safe" and there and _is_in(finding, job)

    fixed = fix_files(request, config, choose)
    answer.text = next((text for path, text in fixed.texts.items() if Path(path).absolute() == job.path), None)
    answer.findings, answer.warnings = [], about_fixes(fixed.outcome.warnings)


def _is_in(finding: Finding, job: AnalysisJob) -> bool:
    return Path(finding.span.path).absolute() == job.path


def _why(job: AnalysisJob, request: LintRequest, config: Config, answer: Answer) -> None:
    """Add the explanation of one line to ``answer``."""
    from gblint.pipeline.explain_line import explain_line

    assert job.path is not None
    with contextlib.suppress(ConfigError):  # the line does not exist any more
        answer.why = explain_line(FileLine(job.path, job.line), request, config)


_STEPS = {"fixes": _fixes, "fix-all": _fix_all, "why": _why}


def read(stream: BinaryIO) -> AnalysisJob | None:
    """Return the next job; None at the end of the stream."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    data = stream.read(LENGTH.unpack(head)[0])
    job = pickle.loads(data)
    assert isinstance(job, AnalysisJob)
    return job


def main() -> None:
    """Run jobs until the end of standard input."""
    answers = os.fdopen(os.dup(1), "wb")
    # Text printed by mistake must not get between the answers, so standard output is redirected.
    os.dup2(2, 1)
    # Garbage is collected between jobs, because a collection among live syntax trees is slower than the analysis.
    gc.disable()

    def send(item: Answer | JobProgress) -> None:
        answers.write(packed(item))
        answers.flush()

    worker = AnalysisWorker(send)
    while (job := read(sys.stdin.buffer)) is not None:
        send(worker.do(job))
        del job
        gc.collect()
        gc.freeze()
