"""Lint runs whose findings carry fixes.

A small project is analysed by one interpreter.  A large one is divided into work units with an interpreter each, and a
fix is kept if the units agree on it (``consensus``).
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from gblint.cache.store import Cache
from gblint.config.settings import Config
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.report import FileError
from gblint.diagnostics.span import Span
from gblint.filters.selection import Selection
from gblint.fix.budget import warnings_about
from gblint.fix.consensus import FixVoter, agreed_fixes, finding_key, may_have_fix
from gblint.fix.file_texts import FileTexts, text_digest
from gblint.fix.propose import FixOptions, FixProposer, attach_fixes, breaking_library, propose
from gblint.fix.writer import Original
from gblint.interp.observers.value_recorder import ValueRecorder
from gblint.pipeline.context import open_project
from gblint.pipeline.entry_search import find_entry_points, without_search
from gblint.pipeline.incremental import PreviousRun, RunState
from gblint.pipeline.lint import LintRequest, LintResult, Progress, lint, project_of
from gblint.pipeline.scan import Scan
from gblint.pipeline.unit_runner import UnitRunnerFactory
from gblint.pipeline.work_units import ENTRIES, FixVote, UnitResult
from gblint.project.project import Project
from gblint.rules import all_codes
from gblint.runtime.lazy_dataclasses import dataclass, field, replace

# A project of more files is divided into work units, whatever the number of processes.
MAX_FILES_IN_ONE_RUN = 64

Select = Callable[[Finding], bool]
_FindingKey = tuple[str, Span, str]


@dataclass(frozen=True, slots=True)
class Resources:
    """The number of processes, and the cache of results; neither changes the findings."""

    jobs: int = 1
    cache: Cache | None = None


@dataclass(frozen=True, slots=True)
class FileState:
    """The files as they were read before the first fix, and the ``texts`` of those that have changed since.

    ``spent``: the work on fixes of the rounds before, by file.
    """

    originals: dict[str, Original] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    spent: Mapping[str, int] = field(default_factory=dict)


class FixRun:
    """A finished lint run; the findings of ``outcome`` carry fixes, except those that are ``left_out``.

    ``spent``: the work on these fixes, by file.
    """

    outcome: LintResult
    left_out: Sequence[Finding] = ()
    spent: Mapping[str, int]

    def __init__(self, project: Project, request: LintRequest, state: FileState) -> None:
        self.project: Project | None = project
        self.state = state
        overlays = {str(path.absolute()): text for path, text in request.overlays.items()}
        self._texts = FileTexts(project, overlays, state.originals, state.texts)

    @property
    def originals(self) -> dict[str, Original]:
        """The files that have been read, by path."""
        return self.state.originals

    @property
    def problems(self) -> Mapping[str, FileError]:
        """The files that could not be read, by path."""
        return self._texts.problems

    def text_of(self, path: str) -> str | None:
        """Return the current text of a user file with its newlines, None for any other file."""
        return self._texts.of(path)


def lint_with_fixes(
    request: LintRequest,
    config: Config,
    progress: Progress | None = None,
    *,
    state: FileState | None = None,
    previous: FixRun | None = None,
    select: Select | None = None,
    escape_hatches: bool = False,
    resources: Resources | None = None,
) -> FixRun:
    """Lint, and find fixes for the findings, or for those that ``select`` accepts.

    With ``escape_hatches`` there are also fixes that are only displayed.  ``previous`` is a run for the same request on
    another ``state`` of the files.
    """
    options = FixOptions(fix_choices(config), escape_hatches)
    job = _Job(request, config, options, progress, select, resources or Resources())
    state = state or FileState()
    if request.is_transferable and request.checks_all_files(config) and not request.requested(config):
        project = project_of(request, config)
        if len(project.files) > MAX_FILES_IN_ONE_RUN:
            return _DividedRun(project, job, state, previous if isinstance(previous, _DividedRun) else None)
    return _SingleRun(job, state)


def lint_showing_fixes(
    request: LintRequest,
    config: Config,
    progress: Progress | None = None,
    select: Select | None = None,
    resources: Resources | None = None,
) -> LintResult:
    """Lint, and attach all known fixes, also those that are only displayed.

    With ``select`` only the findings that it accepts are returned.
    """
    run = lint_with_fixes(request, config, progress, select=select, escape_hatches=True, resources=resources)
    return run.outcome


def fix_choices(config: Config) -> dict[str, str]:
    """Return the name of the fix that the configuration chooses for each rule, ``off`` for rules not to be fixed."""
    fixable = Selection.of_codes(config.fix.fixable, config.fix.extend_fixable, config.fix.unfixable)
    unfixable = (code for code in all_codes() if not fixable.wants(code))
    return {**config.fix.fixes, **dict.fromkeys(unfixable, "off")}


@dataclass(frozen=True, slots=True)
class _Job:
    """The input of a lint run with fixes."""

    request: LintRequest
    config: Config
    options: FixOptions
    progress: Progress | None
    select: Select | None
    resources: Resources

    def selected(self, findings: list[Finding]) -> list[Finding]:
        """Return the selected findings."""
        return findings if self.select is None else list(filter(self.select, findings))

    def libraries(self, outcome: LintResult) -> tuple[str, ...]:
        """Return the library files in which selected findings break, if escape hatches are wanted."""
        if not self.options.escape_hatches:
            return ()
        findings = filter(self.select, outcome.report.findings)
        return tuple(sorted(set(filter(None, map(breaking_library, findings)))))


class _SingleRun(FixRun):
    """A run by one interpreter."""

    def __init__(self, job: _Job, state: FileState) -> None:
        recorder = ValueRecorder()
        self.outcome = lint(job.request, job.config, job.progress, observer=recorder)
        libraries = job.libraries(self.outcome)
        if libraries:
            # The second run records values in the files of these libraries as well.
            recorder = ValueRecorder(libraries)
            self.outcome = lint(job.request, job.config, job.progress, observer=recorder)
        super().__init__(self.outcome.project, job.request, state)
        self.outcome.context = None
        report = self.outcome.report
        options = replace(job.options, torch_version=report.torch_version)
        proposer = FixProposer(self.text_of, recorder.values, options, recorder.libraries, spent=state.spent)
        report.findings = propose(job.selected(report.findings), proposer, report.errors)
        self.left_out, self.spent = proposer.budget.left_out, proposer.budget.spent
        self.outcome.warnings += warnings_about(self.left_out)


class _DividedRun(FixRun):
    """A run with one interpreter for each work unit; the fixes are those that the units agree on.

    A unit proposes fixes for its own findings when it is done.  For findings of other units in code that it also runs
    it is run once more.  The results of units that no change since the previous run concerns are reused.
    """

    def __init__(self, project: Project, job: _Job, state: FileState, previous: _DividedRun | None) -> None:
        super().__init__(project, job.request, state)
        if previous is not None:
            gc.collect()  # frees the syntax trees of the last round; the caller may have disabled automatic collection
        self._job = job
        self._run_again: Sequence[UnitResult] = ()
        self._digests: dict[str, str] = {}
        overlays = {str(path.absolute()): text for path, text in job.request.overlays.items()}
        self._voter = FixVoter(job.config, job.options, overlays, state.spent)
        self.outcome = lint(
            job.request,
            job.config,
            job.progress,
            jobs=job.resources.jobs,
            cache=job.resources.cache,
            hook=self._voter,
            previous=None if previous is None else PreviousRun(previous.run_state, self._changed_since(previous)),
        )
        self.outcome.context = None
        report = self.outcome.report
        report.findings = job.selected(report.findings)
        unanswered = self._unanswered([each for each in report.findings if may_have_fix(each, job.options)])
        if unanswered:
            self._rerun(unanswered, job.libraries(self.outcome))
        options = replace(job.options, torch_version=report.torch_version)
        without_values = FixProposer(self.text_of, {}, options, spent=state.spent)
        votes = self._votes()
        left_out = [each for each in report.findings if any(v.left_out for v in votes.get(finding_key(each), ()))]
        report.findings = [*self._with_fixes(report.findings, votes, without_values)]
        self.left_out = [*left_out, *without_values.budget.left_out]
        self.spent = self._most_work(previous, without_values.budget.spent)
        self.outcome.warnings += warnings_about(self.left_out)

    def _most_work(self, previous: _DividedRun | None, most: dict[str, int]) -> dict[str, int]:
        """Return for each file the most work of a unit in this run, which has reused some units of the previous one."""
        reused = set() if previous is None else {id(unit) for unit in previous.run_state.units}
        work: Counter[tuple[str, str]] = Counter()
        for unit in (*self.run_state.units, *self._run_again):
            for each in unit.fix_work if id(unit) not in reused else ():
                work[unit.name, each.path] += each.work
        for (_, path), of_unit in work.items():
            most[path] = max(most.get(path, 0), of_unit)
        return most

    @property
    def run_state(self) -> RunState:
        """The results that the next run can reuse."""
        assert self.outcome.state is not None
        return self.outcome.state

    def _changed_since(self, previous: FixRun) -> frozenset[str]:
        """Return the full paths of the files whose texts differ from those of the previous run."""
        paths = {*self.state.texts, *previous.state.texts}
        full = (self._texts.full_path(path) for path in paths if self.text_of(path) != previous.text_of(path))
        return frozenset(filter(None, full))

    def _unanswered(self, findings: Iterable[Finding]) -> dict[str, tuple[Finding, ...]]:
        """Return by unit the findings on which the unit has to vote and has not voted.

        These are findings in lines that the unit runs, or whose fixes change such lines.
        """
        votes = self._votes()
        by_file: dict[str, list[tuple[Finding, list[Span]]]] = {}
        for finding in findings:
            path = finding.span.path
            edits = (
                edit.span for vote in votes.get(finding_key(finding), ()) for fix in vote.fixes for edit in fix.edits
            )
            spans = [finding.span, *(each for each in edits if each.path == path)]
            by_file.setdefault(path, []).append((finding, spans))
        unanswered = {}
        for unit in self.run_state.units:
            answered = {finding_key(vote) for vote in self._current_votes(unit)}
            missing = [
                finding
                for executed in unit.executed
                for finding, spans in by_file.get(executed.path, ())
                if finding_key(finding) not in answered
                and any(executed.overlaps(each.line, each.end_line or each.line) for each in spans)
            ]
            if missing:
                unanswered[unit.name] = tuple(missing)
        return unanswered

    def _current_votes(self, unit: UnitResult) -> Iterator[FixVote]:
        """Yield the votes of a unit that were made on the current texts."""
        for vote in unit.votes:
            path = vote.span.path
            if path not in self._digests:
                text = self.text_of(path)
                self._digests[path] = "" if text is None else text_digest(text)
            if vote.text == self._digests[path]:
                yield vote

    def _rerun(self, unanswered: Mapping[str, tuple[Finding, ...]], libraries: Sequence[str]) -> None:
        """Run units once more, so that they vote on these findings."""
        config, units = self._job.config, {unit.name: unit for unit in self.run_state.units}
        request = replace(self._job.request, entry_filter=self._entries_running(unanswered))
        voter = replace(self._voter, unanswered=unanswered, libraries=tuple(libraries))
        factory = UnitRunnerFactory(request, config, voter)
        context = open_project(request, config, voter.new_observer())
        if any(name.startswith(ENTRIES) for name in unanswered):
            search = find_entry_points(context, request, config)
        else:
            search = without_search(context, config, assumes=self.run_state.search.assumes)
        done = {name: UnitResult(name) for name in units if name not in unanswered}
        scan = Scan(context, search, factory, isolated=True, known=done)
        scan.run(self._job.resources.jobs, self._job.progress)
        self._run_again = scan.results
        for unit in scan.results:
            units[unit.name].votes += unit.votes
        report = self.outcome.report
        report.errors += sorted(scan.errors - set(report.errors), key=lambda each: (each.path, each.line, each.message))

    def _entries_running(self, findings: Mapping[str, tuple[Finding, ...]]) -> EntrySubset:
        """Return the entry points that run the files of the findings."""
        points: set[EntryPoint] = set()
        for unit in self.run_state.units:
            files = {self._texts.full_path(each.span.path) for each in findings.get(unit.name, ())}
            points.update(traced.point for traced in unit.traces if not files.isdisjoint(traced.files))
        return EntrySubset(frozenset(points))

    def _votes(self) -> Mapping[_FindingKey, Sequence[FixVote]]:
        """Return the current votes by finding, in the order of the units."""
        votes: dict[_FindingKey, list[FixVote]] = {}
        for unit in self.run_state.units:
            for vote in self._current_votes(unit):
                votes.setdefault(finding_key(vote), []).append(vote)
        return votes

    def _with_fixes(
        self,
        findings: Iterable[Finding],
        votes: Mapping[_FindingKey, Sequence[FixVote]],
        without_values: FixProposer,
    ) -> Iterator[Finding]:
        for finding in findings:
            on_finding = votes.get(finding_key(finding))
            fixes = without_values.fixes(finding) if on_finding is None else agreed_fixes(on_finding)
            yield attach_fixes(finding, fixes)


@dataclass(frozen=True, slots=True)
class EntrySubset:
    """A predicate that accepts some entry points."""

    points: frozenset[EntryPoint]

    def __call__(self, point: EntryPoint) -> bool:
        """Return whether the entry point is in the subset."""
        return point in self.points
