"""Runs of entry points without fixes and with them: the evidence on which fixes are accepted or rejected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from gblint.confirm import planning
from gblint.confirm.jobs import CallTiming, ComparisonStep, Job, Result, Target
from gblint.confirm.planning import RunOptions
from gblint.fix.fixed_point import AppliedFix, FixKey, FixResult
from gblint.fix.run_comparison import BaselineRun
from gblint.runtime.lazy_dataclasses import dataclass, replace

RunJobs = Callable[[list[Job]], list[Result]]


@dataclass(frozen=True, slots=True)
class TrialSetup:
    """The way entry points are run.

    ``options`` are the run options of the user, ``targets`` have the expressions to call named entry points, and
    ``run`` runs jobs and returns their results in order.
    """

    options: RunOptions
    targets: Sequence[Target]
    run: RunJobs


@dataclass(slots=True)
class EntryRuns:
    """The runs of one entry point.

    ``job`` and ``before`` are the run without fixes, ``after_job`` and ``after`` the last run with the fixes that were
    kept by then.  ``timings`` are those without fixes and with them, if they were measured.
    """

    name: str
    job: Job
    before: Result
    after: Result | None = None
    after_job: Job | None = None
    timings: tuple[tuple[CallTiming, ...], tuple[CallTiming, ...]] = ((), ())


@dataclass(frozen=True, slots=True)
class FixedRun:
    """A run of one entry point with fixes, and these fixes."""

    job: Job
    result: Result
    fixed: FixResult

    @property
    def is_wrong(self) -> bool:
        """Whether the run failed, or its results differ from those of the run without fixes."""
        return self.result.status != "ok" or bool(self.result.differences)


class TrialRuns:
    """Runs entry points and keeps the results.

    ``folder`` holds the outputs of the runs without fixes, with which later runs compare theirs.  ``overlays`` are
    unsaved texts of files by full path.
    """

    def __init__(self, setup: TrialSetup, folder: str, overlays: Mapping[str, str]) -> None:
        self._setup, self._folder, self._overlays = setup, folder, overlays
        self.entries: dict[str, EntryRuns] = {}
        self._results: dict[object, FixedRun] = {}
        self.fixed_runs = 0

    def run_baselines(self, applied: Iterable[AppliedFix], prediction: planning.Prediction) -> None:
        """Run the entry points that reach the fixes, without fixes; those that have run are not run again."""
        names = dict.fromkeys(name for each in applied for name in each.finding.entries)
        known = {each.name: each for each in self._setup.targets}
        targets = [known.get(name) or Target("entry", name) for name in names if name not in self.entries]
        targets = [each for each in targets if each.name not in prediction.refused]
        planned = planning.entry_jobs(targets, prediction, self._setup.options)
        jobs = [
            replace(job, trial=ComparisonStep(self._folder, f"{number}.pt", first=True), overlays=self._overlays)
            for number, job in enumerate(planned, len(self.entries))
        ]
        for job, result in zip(jobs, self._setup.run(jobs)):
            self.entries[job.target.name] = EntryRuns(job.target.name, job, result)

    def has_baseline(self, name: str) -> bool:
        """Return whether the entry point ran without fixes to its end."""
        entry = self.entries.get(name)
        return entry is not None and entry.before.status == "ok"

    def baseline(self, name: str, fixed: FixResult) -> BaselineRun:
        """Return the run of an entry point without fixes, to compare a run with ``fixed`` with."""
        entry = self.entries[name]
        return BaselineRun(entry.job, entry.before, fixed)

    def run_fixed(self, fixed: FixResult, names: Iterable[str]) -> dict[str, FixedRun]:
        """Run entry points with the fixes; a run with the same fixes of the lines that it reaches is not repeated."""
        changed = {str(fixed.originals[path].path.absolute()): fixed.texts[path] for path in fixed.changed}
        overlays = {**self._overlays, **changed}
        jobs = {name: self._fixed_job(name, fixed, overlays) for name in names}
        keys = {
            name: (job.trial, frozenset(_content_key(each) for each in fixes_of(name, fixed)))
            for name, job in jobs.items()
        }
        new = [name for name in jobs if keys[name] not in self._results]
        self.fixed_runs += len(new)
        for name, result in zip(new, self._setup.run([jobs[name] for name in new])):
            self._results[keys[name]] = FixedRun(jobs[name], result, fixed)
        return {name: self._results[keys[name]] for name in jobs}

    def _fixed_job(self, name: str, fixed: FixResult, overlays: Mapping[str, str]) -> Job:
        """Return the job of the baseline with the fixed texts, and with the arguments that the baseline found."""
        exact = all(each.fix.applicability == "safe" for each in fixes_of(name, fixed))
        quiet = any(each.fix.quiet for each in fixes_of(name, fixed))
        entry = self.entries[name]
        trial, target = entry.job.trial, entry.job.target
        assert trial is not None
        if target.inputs is None and target.inputs_from is None:
            target = replace(target, init=entry.before.call.init or None, inputs=entry.before.call.inputs)
        trial = replace(trial, first=False, exact=exact, quiet=quiet)
        return replace(entry.job, target=target, overlays=overlays, trial=trial, hints=None)


def fixes_of(name: str, fixed: FixResult) -> list[AppliedFix]:
    """Return the applied fixes of lines that an entry point reaches."""
    return [each for each in fixed.applied if name in each.finding.entries]


def _content_key(applied: AppliedFix) -> tuple[FixKey, tuple[str, ...]]:
    return applied.key, tuple(edit.content for edit in applied.fix.edits)
