"""The scan: all work units of a run, in this process or in several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gblint.cache.store import Dependencies
from gblint.diagnostics.report import FileError
from gblint.entrypoints.search import EntrySearch
from gblint.interp import Progress
from gblint.pipeline.context import RunContext
from gblint.pipeline.unit_runner import UnitRunner, UnitRunnerFactory
from gblint.pipeline.work_units import UnitResult, WorkUnit, divide

# A process pays off with so many units.  Where processes are forked it also pays off with one unit and so many bytes
# of source.
UNITS_PER_PROCESS = 2
BYTES_PER_FORK = 50_000


class Scan:
    """All units of a run, and their results in the order of the entry points and the files.

    ``known`` has results that are still valid, by the names of their units; these units are not run. The others are run
    as whole units, since the grouping of files may affect the findings. The units depend only on the list of files, not
    on the number of processes.
    """

    def __init__(
        self,
        context: RunContext,
        search: EntrySearch,
        factory: UnitRunnerFactory,
        *,
        isolated: bool,
        known: Mapping[str, UnitResult] | None = None,
    ) -> None:
        self._files = [module.display for module in context.project.user_modules()]
        request, config = factory.request, factory.config
        all_files = request.checks_all_files(config)
        units = divide(context, search, requested=bool(request.requested(config)), all_files=all_files)
        self._runner = UnitRunner(context, search, factory, isolated=isolated)
        self._known = known or {}
        self._order = [self._runner.name_of(unit) for unit in units]
        self._units = [unit for unit, name in zip(units, self._order) if name not in self._known]
        self._factory = factory
        self._search = search
        self._is_incomplete = False
        self.results: list[UnitResult] = []
        self.warnings: list[FileError] = []
        self.errors: set[FileError] = set()
        self.dependencies: Dependencies | None = None

    def run(self, jobs: int, progress: Progress | None) -> None:
        """Run the units in up to ``jobs`` processes.

        Afterwards ``dependencies`` is None if a process ended early, since the results are then not to be cached.
        """
        jobs = min(jobs, max(len(self._units) // UNITS_PER_PROCESS, self._useful_forks(jobs)))
        done = dict(self._known)
        for result in self._run_here(progress) if jobs < 2 else self._run_in_pool(jobs, progress):
            if result.dependencies is None:
                done[result.name] = result
                continue
            known = self.dependencies
            self.dependencies = result.dependencies if known is None else known.also(result.dependencies)
            self.warnings += result.warnings
        self.results = [done[name] for name in self._order if name in done]
        for result in self.results:
            self.warnings += result.warnings
            self.errors.update(result.problems, result.errors)
        if self._is_incomplete:
            self.dependencies = None
        self.warnings = sorted(set(self.warnings), key=lambda each: (each.path, each.line, each.message))

    def _useful_forks(self, jobs: int) -> int:
        """Return the number of forked processes that pay off with one unit or more each; 1 for none."""
        if not jobs >= 2 or not 2 <= len(self._units) < UNITS_PER_PROCESS * jobs:
            return 1
        forks = min(len(self._units), sum(map(self._runner.size_of, self._units)) // BYTES_PER_FORK)
        if forks < 2:
            return 1
        from gblint.parallel import pool

        return forks if pool.may_fork() else 1

    def _run_here(self, progress: Progress | None) -> Iterator[UnitResult]:
        total = sum(unit.step_count for unit in self._units)
        done = 0

        def step(label: str) -> None:
            nonlocal done
            if progress is not None:
                progress(done, total, label)
            done += 1

        for unit in self._units:
            yield self._runner.do(unit, step)
        yield self._runner.close()

    def _run_in_pool(self, jobs: int, progress: Progress | None) -> Iterator[UnitResult]:
        from gblint.parallel import pool

        total = sum(unit.step_count for unit in self._units)
        done = 0

        def on_done(number: int) -> None:
            nonlocal done
            done += self._units[number].step_count
            if progress is not None:
                progress(done, total, self._label(self._units[number]))

        weights = [self._runner.weight_of(unit) for unit in self._units]
        result = pool.run(self._units, weights, jobs, self._runner, self._factory, on_done)
        project = self._runner.project
        self.dependencies = Dependencies(project.files_read(), project.folders_listed())
        self._is_incomplete = bool(result.killed or result.lost)
        for reason in result.killed:
            self.errors.add(FileError("gblint", 0, f"a process {reason}; its work was started again"))
        for number, reason in result.lost.items():
            unit = self._units[number]
            noun = "file" if unit.files else "entry point"
            count = unit.step_count
            lost = f"1 {noun} from here on is" if count == 1 else f"{count} {noun}s from here on are"
            self.errors.add(FileError(self._label(unit), 0, f"{lost} not checked: {reason}"))
        yield from (result.results[number] for number in sorted(result.results))
        yield from result.final_results

    def _label(self, unit: WorkUnit) -> str:
        if unit.files:
            return self._files[unit.files[0]]
        return self._search.entries[unit.entries[0]].point.name
