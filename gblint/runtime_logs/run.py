"""``gblint logs``: read the log, find the local files, make findings and compare them with a check."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gblint.config.settings import Config
from gblint.diagnostics.break_event import Category
from gblint.pipeline.lint import LintRequest, lint
from gblint.project.discovery import DEFAULT_EXCLUDE, FileSelection, discover
from gblint.project.source_text import Source
from gblint.runtime_logs.compare import Comparison, compare
from gblint.runtime_logs.findings import LoggedFinding, compile_times, findings_of
from gblint.runtime_logs.places import LogPlaces, OwnCode, own_code
from gblint.runtime_logs.read_log import LogContents, read_log
from gblint.runtime_logs.report import LogReport

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class LogReading:
    """The report, with warnings and notes for the terminal, and the source files."""

    report: LogReport
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    source: Source


def run(
    log_path: str, config: Config, request: LintRequest, compare_with_check: bool | None, progress: Progress | None
) -> LogReading:
    """Read a log and return the report; ``compare_with_check`` is None to compare if logged files are in the project.

    Raises LogProblem if there is nothing to read, ConfigError if the check is not possible.
    """
    own = own_code(config.project.follow)
    log = read_log(log_path, own, progress)
    places = LogPlaces([] if compare_with_check is False and not request.paths_given else _files(request, config))
    found = findings_of(log.counters, places, own)
    comparison = None
    if compare_with_check or (compare_with_check is None and any(places.in_project(each.place.path) for each in found)):
        found, comparison = _compare(found, request, config, progress)
    report = LogReport(
        found=tuple(found),
        frames=tuple(compile_times(log.counters, places)),
        comparison=comparison,
        versions=tuple(log.counters.versions),
        ranks=tuple(sorted(log.counters.ranks)),
        records=log.counters.records,
        sources=log.sources,
    )
    return LogReading(report, tuple(log.problems), tuple(_notes(log, own, found)), places.source)


def _files(request: LintRequest, config: Config) -> list[Path]:
    """Return the project's files."""
    files, _ = discover(
        request.paths,
        root=config.root,
        selection=FileSelection(
            DEFAULT_EXCLUDE if config.project.exclude is None else config.project.exclude, config.project.extend_exclude
        ),
    )
    return files


def _compare(
    found: list[LoggedFinding], request: LintRequest, config: Config, progress: Progress | None
) -> tuple[list[LoggedFinding], Comparison]:
    """Compare the findings with those of a check."""
    # As in a check, most objects live until the end, and garbage collection would take a third of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        checked = lint(request, config, progress)
    finally:
        if collecting:
            gc.enable()
    return compare(found, checked.report.findings, checked.unfiltered, checked.report.torch_version)


def _notes(log: LogContents, own: OwnCode, found: list[LoggedFinding]) -> list[str]:
    """Return notes on a log without records of Dynamo, or without breaks in the user's code."""
    if not log.counters.records:
        return [
            "it has no records of Dynamo; set TORCH_LOGS=graph_breaks,recompiles to log graph breaks and recompiles"
        ]
    breaks = [each for each in found if each.finding.category is Category.GRAPH_BREAK]
    if breaks and not any(own(each.place.path) for each in breaks):
        return [
            "all breaks are in libraries, and the log does not show the calls from your code; --follow PKG adds one"
        ]
    return []
