"""The pipeline of ``gblint check``: resolve, find entry points, trace, judge, filter, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gblint.cache.store import Cache
from gblint.checks.configuration import check_regions
from gblint.config.settings import Config
from gblint.diagnostics.call_tree import CallTreeNode
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.report import FileError, Report
from gblint.filters.baseline import Baseline, BaselineEntry
from gblint.filters.findings import FilteredFindings, filter_findings
from gblint.filters.merge import merge_findings
from gblint.filters.selection import Selection
from gblint.filters.severities import with_severities
from gblint.interp import Observer, Progress, merge
from gblint.pipeline.context import LintRequest, RunContext, Session, open_project, project_of
from gblint.pipeline.entry_search import assumed_entry_points, find_entry_points
from gblint.pipeline.incremental import AnalysisResult, ExecutionOptions, PreviousRun, RunState, analyse
from gblint.pipeline.judge import graphs_of_call, judge, with_character_columns
from gblint.pipeline.missing_packages import missing_packages
from gblint.pipeline.work_units import UnitHook
from gblint.project.project import Project
from gblint.project.source_text import Source
from gblint.rules import codes_for
from gblint.runtime.lazy_dataclasses import dataclass, field, replace
from gblint.runtime.stack_chunk import preallocate_stack_chunk

__all__ = ["LintRequest", "LintResult", "Progress", "Session", "entries", "lint", "project_of"]


@dataclass(slots=True)
class LintResult:
    """The report of a run, and other results.

    ``report``: the findings to show, the entry points and the errors.
    ``warnings``: messages on stderr that do not change the exit status.
    ``hidden``: the number of findings below the wanted confidence, ``beyond_reach`` of those beyond the wanted reach.
    ``source``: the source texts of the run.
    ``unfiltered``: all findings, before any filter.
    ``note``: a message if there are no data for the wanted version of torch.
    ``silenced``: the findings that only a noqa comment keeps out of the report.
    ``known`` and ``expired``: the findings of the baseline, and its entries that are no longer found.
    ``reach``: the files whose functions each entry point runs.
    ``trees``: the call tree of each entry point, if requested.
    ``session``: the session, if requested.
    ``files``: the files of the project.
    ``state``: what a run after a change can build on.
    ``context``: the project and the interpreter; a caller that keeps many results clears it.
    """

    report: Report
    warnings: list[FileError]
    hidden: int
    beyond_reach: int
    source: Source
    unfiltered: list[Finding]
    note: str | None
    silenced: list[Finding] = field(default_factory=list)
    known: list[Finding] = field(default_factory=list)
    expired: list[BaselineEntry] = field(default_factory=list)
    reach: Mapping[EntryPoint, frozenset[str]] = field(default_factory=dict)
    trees: dict[EntryPoint, CallTreeNode] = field(default_factory=dict)
    session: Session | None = None
    files: Sequence[Path] = ()
    state: RunState | None = None
    context: RunContext | None = None

    @property
    def project(self) -> Project:
        """The project that was analysed, unless ``context`` has been cleared."""
        assert self.context is not None
        return self.context.project

    @property
    def unsuppressed(self) -> list[Finding]:
        """All findings except those silenced by a comment."""
        silenced = set(map(id, self.silenced))
        return [finding for finding in self.unfiltered if id(finding) not in silenced]


@preallocate_stack_chunk
def lint(
    request: LintRequest,
    config: Config,
    progress: Progress | None = None,
    *,
    observer: Observer | None = None,
    jobs: int = 1,
    cache: Cache | None = None,
    hook: UnitHook | None = None,
    previous: PreviousRun | None = None,
) -> LintResult:
    """Find the graph breaks that the entry points of the project reach.

    ``observer``: follows the interpreter; the run then takes place in this process, without the cache.
    ``jobs``: the number of processes that may share the work.
    ``cache``: where results are kept for runs on the same files and settings; overlays count as contents of files.
    ``hook``: called after each unit of work, in the process of the unit; it brings an observer of its own.
    ``previous``: the same run before some files were changed.

    The findings depend neither on the number of processes nor on the cache.  Raises ConfigError.
    """
    context = open_project(request, config, observer if hook is None else hook.new_observer())
    in_process = observer is not None or not request.is_transferable
    options = ExecutionOptions(jobs, cache, _wants_recompiles(config), in_process, hook, previous)
    analysis, search = analyse(context, request, config, options, progress)
    selection, code_errors = Selection.of(config)
    source = Source({str(path.absolute()): text for path, text in request.overlays.items()})
    findings = with_severities(_judge(context, analysis, source), config.selection.severity)
    filtered = filter_findings(findings, selection, config, source)
    errors = {*analysis.errors, *code_errors}
    if request.checks_all_files(config):
        errors |= context.project.discovery_errors
    result = _result(context, analysis, findings, filtered, source)
    result.report.errors = sorted(errors, key=lambda error: (error.path, error.line, error.message))
    if request.keep_session and search is not None:
        result.session = Session(context.interpreter, search)
    if config.baseline_file is not None:
        _apply_baseline(Baseline.read(config.baseline_file), result, selection, partial=bool(request.entries))
    return result


def entries(request: LintRequest, config: Config) -> Report:
    """Find the entry points and their regions only."""
    context = open_project(request, config)
    search = find_entry_points(context, request, config)
    if search.assumes:
        for module in context.project.user_modules():
            search.entries += assumed_entry_points(context.interpreter, module, search, request.entry_filter)
    points = sorted((entry.point for entry in search.entries), key=lambda point: (point.path, point.line, point.name))
    errors = sorted({*search.problems, *context.project.errors}, key=lambda e: (e.path, e.line, e.message))
    files = len(context.project.files)
    return Report(context.knowledge.version, points, errors=errors, files=files, unresolved=search.unresolved)


def _wants_recompiles(config: Config) -> bool:
    """Return whether a rule on recompiles is selected; none is by default."""
    if config.selection.select is None and not config.selection.extend_select:
        return False
    selection, _ = Selection.of(config)
    return any(map(selection.wants, codes_for("recompile")))


def _judge(context: RunContext, analysis: AnalysisResult, source: Source) -> list[Finding]:
    """Return all findings, each place once."""
    reached = merge(analysis.traces)
    checks = [*analysis.checks, *check_regions(context.project, analysis.traces, reached)]
    findings = [*judge(reached, context.knowledge)]
    # Only the columns of traced breaks count characters already.
    findings += [with_character_columns(finding, source) for finding in judge(checks, context.knowledge)]
    return merge_findings(findings)


def _result(
    context: RunContext, analysis: AnalysisResult, findings: list[Finding], filtered: FilteredFindings, source: Source
) -> LintResult:
    report = Report(
        torch_version=context.knowledge.version,
        entries=[replace(each.point, graphs=graphs_of_call(each.point, findings)) for each in analysis.traces],
        findings=filtered.shown,
        files=len(context.project.files),
        unresolved=list(analysis.unresolved),
        missing_packages=missing_packages(analysis.traces),
    )
    return LintResult(
        report,
        list(analysis.warnings),
        filtered.below_confidence,
        filtered.beyond_reach,
        source,
        findings,
        context.note,
        filtered.silenced,
        reach={traced.point: traced.files for traced in analysis.traces},
        trees={traced.point: traced.tree for traced in analysis.traces if traced.tree is not None},
        files=context.project.files,
        state=analysis.state,
        context=context,
    )


def _apply_baseline(baseline: Baseline, result: LintResult, selection: Selection, *, partial: bool) -> None:
    """Remove the findings of the baseline from the report; unless ``partial``, collect its expired entries."""
    report = result.report
    report.findings, result.known, missing = baseline.split(report.findings, result.unsuppressed, result.source)
    if not partial:
        unread = {error.path for error in report.errors}
        modules = result.project.user_modules()
        linted = {str(module.path) for module in modules if module.display not in unread}
        result.expired = [
            entry for entry in baseline.expired(missing, linted.__contains__) if selection.wants(entry.code)
        ]
