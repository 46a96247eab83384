"""The analysis of a project: entry points, traces and project-level checks, reusing the results of an earlier run.

The result is independent of the cache, of the number of processes, and of earlier runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gblint.cache.fingerprint import RecordedStamps, key_of
from gblint.cache.store import Cache, CacheHit, Dependencies
from gblint.checks.configuration import check_configuration
from gblint.checks.recompiles import find_recompiles
from gblint.config.settings import Config
from gblint.diagnostics.break_event import ReachedBreak
from gblint.diagnostics.report import FileError
from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.entrypoints.search import EntrySearch
from gblint.interp import Interpreter, Progress, TraceResult
from gblint.interp.tracer import same_depth
from gblint.pipeline.context import LintRequest, RunContext
from gblint.pipeline.entry_search import find_entry_points, without_search
from gblint.pipeline.scan import Scan
from gblint.pipeline.unit_runner import UnitRunnerFactory
from gblint.pipeline.work_units import ENTRIES, UnitHook, UnitResult, internal_error
from gblint.project.project import Project
from gblint.runtime.lazy_dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class EntrySearchResult:
    """The result of the search for entry points, as kept for later runs.

    ``checks``: the results of the project-level checks, which are run after the search.
    ``unresolved``: the places that compile something that cannot be analysed.
    ``assumes``: whether the ``forward`` of every module is assumed to be an entry point.
    ``unit``: the problems and the dependencies of the search.
    """

    checks: tuple[ReachedBreak, ...]
    unresolved: tuple[UnresolvedTarget, ...]
    assumes: bool
    unit: UnitResult


@dataclass(frozen=True, slots=True)
class RunState:
    """The state that a run keeps for later ones: the search, the results of the units in order, and all messages."""

    search: EntrySearchResult
    units: tuple[UnitResult, ...]
    errors: tuple[FileError, ...]
    warnings: tuple[FileError, ...]

    def result(self, project: Project) -> AnalysisResult:
        """Combine the state into the result of the run."""
        errors = {*self.search.unit.problems, *self.search.unit.errors, *self.errors, *project.errors}
        return AnalysisResult(
            tuple(traced for unit in self.units for traced in unit.traces),
            self.search.checks,
            # Errors of the paths are not part of the analysis: every run finds them again.
            tuple(_sorted(errors - project.discovery_errors)),
            self.warnings,
            self.search.unresolved,
            self,
        )


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """The result of an analysis.

    ``traces``: the traces of the entry points.
    ``checks``: the results of the project-level checks.
    ``unresolved``: the places that compile something that cannot be analysed. ``state``: the results that a later run
    can reuse.
    """

    traces: tuple[TraceResult, ...]
    checks: tuple[ReachedBreak, ...]
    errors: tuple[FileError, ...]
    warnings: tuple[FileError, ...]
    unresolved: tuple[UnresolvedTarget, ...]
    state: RunState


@dataclass(frozen=True, slots=True)
class PreviousRun:
    """The state of the same run before some files were ``changed``, which are given by their full paths."""

    state: RunState
    changed: frozenset[str]


@dataclass(frozen=True, slots=True)
class ExecutionOptions:
    """The way to carry out an analysis.

    ``jobs``: the largest number of processes.
    ``cache``: the cache of results of earlier runs.
    ``recompiles``: whether to look for recompiles.
    ``in_process``: use one interpreter in this process for all units, and no cache.
    ``hook``: a step after each unit.
    ``previous``: the same run before a change; only what the change affects is done again.
    """

    jobs: int = 1
    cache: Cache | None = None
    recompiles: bool = True
    in_process: bool = False
    hook: UnitHook | None = None
    previous: PreviousRun | None = None


def analyse(
    context: RunContext, request: LintRequest, config: Config, options: ExecutionOptions, progress: Progress | None
) -> tuple[AnalysisResult, EntrySearch | None]:
    """Find the entry points and trace them; returns the search, too, unless the result comes from the cache."""
    run = _Analysis(context, request, config, options, progress)
    previous = options.previous
    # Call trees are large, and only needed for reports that are made once.
    if options.cache is None or options.in_process or request.call_trees or previous is not None:
        hit = None if previous is None else CacheHit(previous.state, previous.changed, RecordedStamps({}, {}))
        state, search, _ = run.run(hit)
        return state.result(context.project), search
    key = _cache_key(context, request, config, options)
    hit = options.cache.get(key, RunState)
    if hit is not None and not hit.changed:
        return hit.result.result(context.project), None
    state, search, dependencies = run.run(hit)
    if dependencies is not None:
        options.cache.put(key, state, dependencies)
    return state.result(context.project), search


class _Analysis:
    """One analysis, with its request."""

    def __init__(
        self,
        context: RunContext,
        request: LintRequest,
        config: Config,
        options: ExecutionOptions,
        progress: Progress | None,
    ) -> None:
        self._context, self._request, self._config = context, request, config
        self._options, self._progress = options, progress

    def run(self, hit: CacheHit | None) -> tuple[RunState, EntrySearch, Dependencies | None]:
        """Do all work whose results are not in the state of an earlier run."""
        context, options = self._context, self._options
        search_result, known = self._still_valid(hit)
        if search_result is not None:
            search = without_search(context, self._config, assumes=search_result.assumes)
        else:
            search = find_entry_points(context, self._request, self._config, self._progress)
            search_result = self._check_project(search)
        factory = UnitRunnerFactory(self._request, self._config, options.hook)
        scan = Scan(context, search, factory, isolated=not options.in_process, known=known)
        scan.run(1 if options.in_process else options.jobs, self._progress)
        entries = [unit for name, unit in known.items() if not search.entries and name.startswith(ENTRIES)]
        warnings = _sorted({*search_result.unit.warnings, *scan.warnings})
        state = RunState(search_result, (*entries, *scan.results), tuple(_sorted(scan.errors)), tuple(warnings))
        dependencies = scan.dependencies
        if dependencies is not None and known:
            assert hit is not None
            dependencies = replace(dependencies, earlier=hit.stamps)
        return state, search, dependencies

    def _still_valid(self, hit: CacheHit | None) -> tuple[EntrySearchResult | None, dict[str, UnitResult]]:
        """Return the results of an earlier run that no change affects: the search, and the units by their names."""
        if hit is None or not self._request.checks_all_files(self._config):
            return None, {}
        state: RunState = hit.result
        project = self._context.project
        modules = (project.module_at(Path(path)) for path in hit.changed)
        texts = [module.source for module in modules if module is not None and module.origin == "user"]

        def holds(unit: UnitResult) -> bool:
            return hit.changed.isdisjoint(unit.read) and not any(word in text for word in unit.words for text in texts)

        known = {unit.name: unit for unit in state.units if holds(unit)}
        of_entries = [unit for unit in state.units if unit.name.startswith(ENTRIES)]
        if holds(state.search.unit) and all(unit.name in known for unit in of_entries):
            return state.search, known
        known.pop(ENTRIES, None)  # traced by the interpreter that finds them
        return None, known

    def _check_project(self, search: EntrySearch) -> EntrySearchResult:
        checks, defects = run_project_checks(self._context.interpreter, recompiles=self._options.recompiles)
        unit = UnitResult(problems=[*search.problems, *defects])
        if search.reading is not None:
            unit.record_dependencies(self._context.project, search.reading)
        return EntrySearchResult(tuple(checks), tuple(search.unresolved), search.assumes, unit)


@same_depth()
def run_project_checks(interpreter: Interpreter, *, recompiles: bool) -> tuple[list[ReachedBreak], list[FileError]]:
    """Run the project-level checks; an internal error skips the check, not the run."""
    found: list[ReachedBreak] = []
    defects: list[FileError] = []
    for check in (find_recompiles, check_configuration) if recompiles else (check_configuration,):
        try:
            found += check(interpreter)
        except RecursionError:
            interpreter.recover()
        except Exception as error:
            interpreter.recover()
            defects.append(internal_error("gblint", 0, "the calls and settings around the regions", error))
    return found, defects


def _sorted(errors: Iterable[FileError]) -> list[FileError]:
    return sorted(errors, key=lambda error: (error.path, error.line, error.message))


def _cache_key(context: RunContext, request: LintRequest, config: Config, options: ExecutionOptions) -> str:
    """Return the key of the run: the request, the settings, and the files and packages that it is about."""
    project, environment = context.project, context.project.environment
    overlays = sorted((str(path), text) for path, text in request.overlays.items())
    asked = (request.requested(config), request.checks_all_files(config), overlays, options.recompiles)
    settings = (
        config.entry_points.assume_entries,
        config.entry_points.entry_decorators,
        sorted((place, tuple(targets)) for place, targets in config.entry_points.pins.items()),
        config.project.follow,
        config.project.src,
        str(config.root),
    )
    place = (str(project.here), str(project.root), [str(path) for path in project.files])
    packages = (
        environment.version,
        [str(path) for path in environment.search_path],
        sorted((name, str(path)) for name, path in environment.editable),
        context.knowledge.version,
    )
    return key_of([asked, settings, place, packages, options.hook.key if options.hook is not None else ""])
