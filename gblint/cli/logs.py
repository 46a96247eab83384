"""``gblint logs``: findings from torch's own logs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gblint.cli.options import Inputs, gather, output_format, project_options
from gblint.cli.output import Streams, as_error
from gblint.cli.progress import ProgressBar
from gblint.cli.statuses import CLEAN, ERROR, FOUND
from gblint.config.errors import ConfigError
from gblint.report import summary
from gblint.runtime.lazy_dataclasses import replace

if TYPE_CHECKING:
    from gblint.runtime_logs.report import LogReport
    from gblint.runtime_logs.run import LogReading


@click.command(short_help="Report the graph breaks in a log of torch.")
@click.argument("log", metavar="LOG")
@project_options
@click.option(
    "--compare/--no-compare",
    default=None,
    help="Compare the log with a check of PATHS (default: if the files in the log exist).",
)
@output_format("full", "concise", "json")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
def logs(*, log: str, compare: bool | None, exit_zero: bool, output_file: Path | None, **options: Any) -> int:
    """Read LOG, the log of a run with torch, and report its graph breaks and recompiles.

    LOG is a text written under TORCH_LOGS (- reads it from standard input), a folder or file of TORCH_TRACE, or a
    report of tlparse. PATHS (default: here) are the sources to compare it with.

    Exits with 0 if the log has no graph break, 1 if there are findings, 2 for a log that cannot be read.
    """
    from gblint.runtime_logs.records import LogProblem
    from gblint.runtime_logs.run import run

    streams = Streams(output_file)
    if log == "-" and (options["stdin_filename"] or any(str(path) == "-" for path in options["paths"])):
        raise click.UsageError("standard input is the log; it cannot be a source file too")
    try:
        inputs = gather(**options)
        with ProgressBar() as progress:
            reading = run(log, inputs.config, _request(inputs), compare, progress)
    except ConfigError as error:
        streams.problems(error.problems)
        return ERROR
    except LogProblem as problem:
        streams.error(str(problem))
        return ERROR
    report = replace(reading.report, errors=(*map(as_error, inputs.problems), *reading.report.errors))
    _print(reading, report, inputs, streams)
    if report.errors:
        return ERROR
    return FOUND if report.found and not exit_zero else CLEAN


def _request(inputs: Inputs) -> Any:
    from gblint.pipeline.lint import LintRequest

    return LintRequest(inputs.paths, inputs.entries, inputs.overlays, inputs.named)


def _print(reading: LogReading, report: LogReport, inputs: Inputs, streams: Streams) -> None:
    for warning in reading.warnings:
        streams.warning(warning)
    for error in report.errors:
        streams.error(summary.error_line(error))
    for note in reading.notes:
        streams.note(note)
    streams.report(_lines(reading, report, inputs.config.output_format, streams))
    sys.stderr.flush()


def _lines(reading: LogReading, report: LogReport, form: str, streams: Streams) -> Iterator[str]:
    from gblint.runtime_logs import report as formats

    if form == "json":
        yield formats.document(report)
        return
    if form == "full":
        yield from formats.full_lines(report, streams.style, reading.source)
    else:
        yield from formats.concise_lines(report, streams.style)
    yield from formats.summary(report, streams.style)
