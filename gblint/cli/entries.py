"""``gblint entries``: the entry points of a project and the region that each opens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from gblint.cli.options import gather, output_format, project_options, strict_entries
from gblint.cli.output import Streams, as_error, status
from gblint.cli.statuses import CLEAN, ERROR, FOUND
from gblint.config.errors import ConfigError
from gblint.diagnostics.report import Report
from gblint.project.source_text import Style, neutral, place
from gblint.report import summary
from gblint.report.json import entry, error, head, unresolved
from gblint.report.unresolved import others


@click.command(short_help="List the entry points: the objects that torch.compile is applied to.")
@project_options
@strict_entries
@output_format("full", "json")
def entries(*, output_file: Path | None, output_format: str | None, **options: Any) -> int:
    """List the objects that torch.compile is applied to in PATHS (default: here), and the options.

    The brackets say how each is compiled (by a decorator, a call of torch.compile or the method Module.compile;
    requested by --entry, or assumed), and whether a graph break raises there (fullgraph, error_on_graph_break) or not
    (default).
    """
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
    strict = FOUND if inputs.config.entry_points.strict_entries and report.unresolved else CLEAN
    return max(status(report), strict)


def _lines(report: Report, style: Style) -> Iterator[str]:
    for point in report.entries:
        path, _, line = place(point.path, point.line).rpartition(":")
        where = f"{style.bold(path)}:{line}"
        yield f"{where}: {style.red(neutral(point.name))} {style.dim(f'[{point.kind}, {point.region.name}]')}"
    for target in report.unresolved:
        path, _, line = place(target.path, target.line).rpartition(":")
        where = f"{style.bold(path)}:{line}"
        how = "analysed only in part" if target.partly else "not resolved"
        yield f"{where}: {how}: {style.red(neutral(target.expression))} {style.dim(f'[{target.kind}]')}"
        yield f"    {neutral(target.explanation)}; {neutral(target.hint)}"
    files = summary.counted(report.files, "file")
    found = f"Found {summary.counted(len(report.entries), 'entry point')} in {files}"
    missing = f"; {others(report)}" if report.unresolved else ""
    yield style.bold(f"{found}{missing}.")
    assumed = summary.assumed(report)
    if assumed:
        yield f"Here {assumed}."


def _document(report: Report) -> Iterator[str]:
    document = head(report.torch_version)
    document["entries"] = [entry(point) for point in report.entries]
    document["errors"] = [error(item) for item in report.errors]
    document["unresolved"] = [unresolved(item) for item in report.unresolved]
    yield json.dumps(document, indent=2)
