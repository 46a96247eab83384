"""``gblint entries``: the entry points of a project and the region that each opens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from gblint.cli.options import gather, output_format, project_options
from gblint.cli.output import ERROR, Streams, as_error, status
from gblint.config.errors import ConfigError
from gblint.diagnostics.report import Report
from gblint.project.source_text import Style, neutral, place
from gblint.report import summary
from gblint.report.json import entry, error, head


@click.command(short_help="List what torch.compile is applied to.")
@project_options
@output_format("full", "json")
def entries(*, output_file: Path | None, output_format: str | None, **options: Any) -> int:
    """List what torch.compile is applied to in PATHS (default: here), and how."""
    from gblint.pipeline.lint import LintRequest
    from gblint.pipeline.lint import entries as find

    streams = Streams(output_file)
    try:
        inputs = gather(**options)
        report = find(LintRequest(inputs.paths, inputs.entries, inputs.overlays), inputs.config)
    except ConfigError as problem:
        streams.problems(problem.problems)
        return ERROR
    report.errors[:0] = [as_error(problem) for problem in inputs.problems]
    streams.problems(report.errors)
    # Only the option counts here: a configured format is for ``check``.
    streams.report(_document(report) if output_format == "json" else _lines(report, streams.style))
    return status(report)


def _lines(report: Report, style: Style) -> Iterator[str]:
    for point in report.entries:
        path, _, line = place(point.path, point.line).rpartition(":")
        where = f"{style.bold(path)}:{line}"
        yield f"{where}: {style.red(neutral(point.name))} {style.dim(f'[{point.kind}, {point.region.name}]')}"
    files = summary.counted(report.files, "file")
    yield style.bold(f"Found {summary.counted(len(report.entries), 'entry point')} in {files}.")
    assumed = summary.assumed(report)
    if assumed:
        yield f"Here {assumed}."


def _document(report: Report) -> Iterator[str]:
    document = head(report.torch_version)
    document["entries"] = [entry(point) for point in report.entries]
    document["errors"] = [error(item) for item in report.errors]
    yield json.dumps(document, indent=2)
