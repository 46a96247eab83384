"""What is found in a project before anybody chooses among it: by looking, or from an earlier run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gblint.cache.store import Cache, CacheHit, Dependencies, RecordedStamps, key_of
from gblint.checks.configuration import advise
from gblint.checks.recompiles import recompiles
from gblint.config.settings import Config
from gblint.diagnostics.break_event import ReachedBreak
from gblint.diagnostics.report import FileError
from gblint.entrypoints.search import EntrySearch
from gblint.interp import Interpreter, Progress, TraceResult
from gblint.interp.tracer import same_depth
from gblint.pipeline.context import LintRequest, RunContext
from gblint.pipeline.scan import (
    ENTRIES,
    Scan,
    UnitHook,
    UnitResult,
    UnitRunnerFactory,
    internal_error,
    look_for_entries,
    note,
)
from gblint.pipeline.speculative import begun
from gblint.project.project import Project
from gblint.runtime.lazy_dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """The traces of the entry points; what is ``beside`` them in the project's own code; what is to be told.

    ``unknown`` are places where something is compiled that is not known.
    """

    traces: tuple[TraceResult, ...]
    beside: tuple[ReachedBreak, ...]
    errors: tuple[FileError, ...]
    warnings: tuple[FileError, ...]
    unknown: tuple[FileError, ...]
    kept: RunState


@dataclass(frozen=True, slots=True)
class EntrySearchResult:
    """What looking for entry points came to; ``part`` has what went wrong and what the search came by."""

    beside: tuple[ReachedBreak, ...]
    unknown: tuple[FileError, ...]
    assumes: bool
    part: UnitResult


@dataclass(frozen=True, slots=True)
class RunState:
    """What a run leaves for the next one: the search, the parts in their order, and what concerns all of them."""

    looked: EntrySearchResult
    parts: tuple[UnitResult, ...]
    errors: tuple[FileError, ...]
    warnings: tuple[FileError, ...]

    def found(self, project: Project) -> AnalysisResult:
        """All of it together."""
        errors = {*self.looked.part.problems, *self.looked.part.errors, *self.errors, *project.errors}
        # What is wrong with the paths is seen anew each time.
        return AnalysisResult(
            tuple(traced for part in self.parts for traced in part.traces),
            self.looked.beside,
            tuple(_sorted(errors - project.discovery_errors)),
            self.warnings,
            self.looked.unknown,
            self,
        )


@dataclass(frozen=True, slots=True)
class PreviousRun:
    """What the same run has found before some files were ``changed``, whose full paths these are."""

    kept: RunState
    changed: frozenset[str]


@dataclass(frozen=True, slots=True)
class ExecutionOptions:
    """How to look: in how many processes, with which cache, whether for recompilations, too.

    ``in_process``: all work is done in this process, by the interpreter at hand, without the cache.  ``after`` is
    called after each unit.  With ``since`` only what that does not tell is done.
    """

    jobs: int = 1
    cache: Cache | None = None
    recompiles: bool = True
    in_process: bool = False
    after: UnitHook | None = None
    since: PreviousRun | None = None


def find(
    setting: RunContext, request: LintRequest, config: Config, manner: ExecutionOptions, progress: Progress | None
) -> tuple[AnalysisResult, EntrySearch | None]:
    """What is found, from the cache as far as it has it, and the search if one was made."""
    # Call trees are large, and wanted for reports that are made once.
    cache = manner.cache if not manner.in_process and not request.trees and manner.since is None else None
    if cache is None:
        since = manner.since
        before = None if since is None else CacheHit(since.kept, since.changed, RecordedStamps({}, {}))
        kept, search, _ = _look(setting, request, config, manner, progress, before)
        return kept.found(setting.project), search
    key = _key(setting, request, config, manner)
    recalled = cache.recall(key, RunState)
    if recalled is not None and not recalled.changed:
        return recalled.result.found(setting.project), None
    kept, search, evidence = _look(setting, request, config, manner, progress, recalled)
    if evidence is not None:
        cache.keep(key, kept, evidence)
    return kept.found(setting.project), search


def _look(
    setting: RunContext,
    request: LintRequest,
    config: Config,
    manner: ExecutionOptions,
    progress: Progress | None,
    recalled: CacheHit | None = None,
) -> tuple[RunState, EntrySearch, Dependencies | None]:
    """Look at all that an earlier run has not seen as it is now."""
    looked, known = _still_known(setting.project, request, config, recalled)
    opening = UnitRunnerFactory(request, config, manner.after)
    # Where little has changed there is little to do.
    helped = recalled is None and not manner.in_process and request.wants_everything(config)
    with begun(setting, opening, manner.jobs if helped else 1) as early:
        if looked is not None:
            search = resumed(setting, config, looked)
        else:
            search = look_for_entries(setting, request, config, progress)
            looked = _searched(setting, search, manner)
        scan = Scan(setting, search, opening, afresh=not manner.in_process, known=known)
        scan.run(1 if manner.in_process else manner.jobs, progress, early)
    entries = [part for name, part in known.items() if not search.entries and name.startswith(ENTRIES)]
    kept = RunState(looked, (*entries, *scan.parts), tuple(_sorted(scan.errors)), tuple(scan.warnings))
    evidence = scan.evidence
    if evidence is not None and known:
        assert recalled is not None
        evidence = replace(evidence, earlier=recalled.seen)
    return kept, search, evidence


def resumed(setting: RunContext, config: Config, looked: EntrySearchResult) -> EntrySearch:
    """A search that need not be made: nothing but the entry points that are only assumed is left to be traced."""
    setting.interpreter.compilation.compilers = frozenset(config.entry_decorators)
    return EntrySearch(assumes=looked.assumes)


def _searched(setting: RunContext, search: EntrySearch, manner: ExecutionOptions) -> EntrySearchResult:
    beside, faults = _beside(setting.interpreter, manner)
    part = UnitResult(problems=[*search.problems, *faults])
    if search.reading is not None:
        note(part, setting.project, search.reading)
    return EntrySearchResult(tuple(beside), tuple(search.unknown), search.assumes, part)


def _still_known(
    project: Project, request: LintRequest, config: Config, recalled: CacheHit | None
) -> tuple[EntrySearchResult | None, dict[str, UnitResult]]:
    """What of an earlier run does not hang on files that have changed since: the search, and parts by their names."""
    if recalled is None or not request.wants_everything(config):
        return None, {}
    kept: RunState = recalled.result
    modules = (project.module_at(Path(path)) for path in recalled.changed)
    texts = [module.source for module in modules if module is not None and module.origin == "user"]

    def holds(part: UnitResult) -> bool:
        return recalled.changed.isdisjoint(part.read) and not any(word in text for word in part.words for text in texts)

    known = {part.name: part for part in kept.parts if holds(part)}
    of_entries = [part for part in kept.parts if part.name.startswith(ENTRIES)]
    if holds(kept.looked.part) and all(part.name in known for part in of_entries):
        return kept.looked, known
    known.pop(ENTRIES, None)  # it is traced where it is found
    return None, known


@same_depth()
def _beside(m: Interpreter, manner: ExecutionOptions) -> tuple[list[ReachedBreak], list[FileError]]:
    """What is to say beside the traces, and of faults of ours, which cost that and not the run."""
    found: list[ReachedBreak] = []
    faults: list[FileError] = []
    for look in (recompiles, advise) if manner.recompiles else (advise,):
        try:
            found += look(m)
        except RecursionError:
            m.recover()
        except Exception as error:
            m.recover()
            faults.append(internal_error("gblint", 0, "what is called and set around the regions", error))
    return found, faults


def _sorted(errors: Iterable[FileError]) -> list[FileError]:
    return sorted(errors, key=lambda error: (error.path, error.line, error.message))


def _key(setting: RunContext, request: LintRequest, config: Config, manner: ExecutionOptions) -> str:
    """All that a run is asked, and the files and packages that it is about."""
    project, environment = setting.project, setting.project.environment
    overlays = sorted((str(path), text) for path, text in request.overlays.items())
    asked = (request.requested(config), request.wants_everything(config), overlays, manner.recompiles)
    settings = (
        config.assume_entries,
        config.entry_decorators,
        sorted((place, tuple(targets)) for place, targets in config.pins.items()),
        config.follow,
        config.src,
        str(config.root),
    )
    place = (str(project.here), str(project.root), [str(path) for path in project.files])
    packages = (
        environment.version,
        [str(path) for path in environment.search_path],
        sorted((name, str(path)) for name, path in environment.editable),
        setting.knowledge.version,
    )
    return key_of([asked, settings, place, packages, manner.after.key if manner.after is not None else ""])
