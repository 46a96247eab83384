"""The whole of ``gblint logs``: read, look the files up, judge, compare."""

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
from gblint.runtime_logs import Log, read
from gblint.runtime_logs.compare import Comparison, compare
from gblint.runtime_logs.findings import LoggedFinding, compile_times, findings_of
from gblint.runtime_logs.places import LogPlaces, OwnCode, own_code
from gblint.runtime_logs.report import LogReport

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class LogReading:
    """A report, what only people are told, and the sources to quote from."""

    report: LogReport
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    source: Source


def run(
    given: str, config: Config, request: LintRequest, comparing: bool | None, progress: Progress | None
) -> LogReading:
    """Read the log ``given``; ``comparing`` is None to compare if files that it names are there.

    Raises LogProblem where there is nothing to read, ConfigError where the comparison cannot be made.
    """
    own = own_code(config.follow)
    log = read(given, own, progress)
    places = LogPlaces([] if comparing is False and not request.paths_given else _files(request, config))
    found = findings_of(log.tally, places, own)
    comparison = None
    if comparing or (comparing is None and any(places.is_here(each.place.path) for each in found)):
        found, comparison = _compared(found, request, config, progress)
    report = LogReport(
        found=tuple(found),
        frames=tuple(compile_times(log.tally, places)),
        comparison=comparison,
        versions=tuple(log.tally.versions),
        ranks=tuple(sorted(log.tally.ranks)),
        records=log.tally.records,
        sources=log.sources,
    )
    return LogReading(report, tuple(log.problems), tuple(_notes(log, own, found)), places.source)


def _files(request: LintRequest, config: Config) -> list[Path]:
    files, _ = discover(
        request.paths,
        root=config.root,
        selection=FileSelection(DEFAULT_EXCLUDE if config.exclude is None else config.exclude, config.extend_exclude),
    )
    return files


def _compared(
    found: list[LoggedFinding], request: LintRequest, config: Config, progress: Progress | None
) -> tuple[list[LoggedFinding], Comparison]:
    # As for a check: values live until the end, and looking for garbage among them costs a third of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        outcome = lint(request, config, progress)
    finally:
        if collecting:
            gc.enable()
    return compare(found, outcome.report.findings, outcome.unfiltered, outcome.report.torch_version)


def _notes(log: Log, own: OwnCode, found: list[LoggedFinding]) -> list[str]:
    if not log.tally.records:
        return ["nothing in it comes from Dynamo; TORCH_LOGS=graph_breaks,recompiles makes torch log what is read here"]
    breaks = [each for each in found if each.finding.category is Category.GRAPH_BREAK]
    if breaks and not any(own(each.place.path) for each in breaks):
        return [
            "all breaks are in libraries, reached from nowhere that the log names; --follow PKG takes one for yours"
        ]
    return []
