"""``gblint check``: find graph breaks and report them."""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gblint.cache import user_dirs
from gblint.cli import budgets, changes, fixing, remote_runs, reports, show, verifying
from gblint.cli.help_sections import Sectioned
from gblint.cli.options import CODES, Inputs, gather, output_format, project_options, rule_options
from gblint.cli.output import CLEAN, ERROR, Streams, as_error
from gblint.cli.progress import ProgressBar
from gblint.config.settings import ConfigError
from gblint.diagnostics.report import Report
from gblint.diagnostics.span import FileLine
from gblint.project.source_text import Style
from gblint.report import no_entry_points, summary

if TYPE_CHECKING:
    from gblint.cache.store import Cache
    from gblint.pipeline.lint import LintResult


MANY = 100  # findings that nobody reads one by one


def _place(ctx: click.Context, param: click.Parameter, value: str | None) -> FileLine | None:
    if value is None:
        return None
    try:
        return FileLine.of(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command(cls=Sectioned, short_help="Find graph breaks, without running anything.")
@project_options
@rule_options
@output_format()
@click.option("--statistics", is_flag=True, help="Count the findings of each rule instead of listing them.")
@click.option("--fix", is_flag=True, help="Change the files: make the fixes that keep the results as they are.")
@click.option("--fix-only", is_flag=True, help="As --fix, and what is left is neither reported nor a failure.")
@click.option("--unsafe-fixes/--no-unsafe-fixes", default=None, help="With --fix or --diff, also those that may not.")
@click.option("--fixable", **CODES, help="Rules whose findings are fixed, instead of the configured ones.")
@click.option("--unfixable", **CODES, help="Rules whose findings are not fixed.")
@click.option("--extend-fixable", **CODES, help="Rules whose findings are fixed besides the configured ones.")
@click.option("--show-fixes", is_flag=True, help="Work out the fixes, for the report in JSON or HTML; change nothing.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed.")
@verifying.options
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    metavar="N",
    help="Share the work among N processes (default: as many as there are cores; one where there is little to do).",
)
@click.option(
    "--cache-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Keep what was found for later runs here (default: $GBLINT_CACHE_DIR, or the user's cache folder).",
)
@click.option("--no-cache", is_flag=True, help="Use nothing from earlier runs, and keep nothing.")
@click.option("--confirmed-only", is_flag=True, help="Only findings that `gblint confirm` has seen to break.")
@click.option(
    "--confirmations",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Show what runs elsewhere have shown (gblint confirm --run PLAN --results FILE).",
)
@click.option(
    "--why",
    callback=_place,
    metavar="FILE:LINE",
    help="Say what is believed at that line: how it is reached, what the values are. Nothing else is reported.",
)
@click.option(
    "--changed",
    "only_changed",
    is_flag=True,
    help="PATHS are files that changed: lint the project in this folder, report what they can affect.",
)
@budgets.options
@click.option("--show-settings", is_flag=True, help="Print the settings, and where they come from.")
@click.option("--show-files", is_flag=True, help="Print the files that would be linted.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings and errors only.")
@click.option("--ignore-noqa", is_flag=True, help="Report what noqa comments silence, too.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option("--watch", "-w", is_flag=True, help="Report again whenever a file changes, until Ctrl-C.")
def check(*, watch: bool, **options: Any) -> int:
    """Find the graph breaks that the compiled code of PATHS (default: here) runs into.

    Exits with 0 if nothing is found, 1 if there are findings, 2 for a mistake in the arguments or the configuration
    and for files that cannot be read or parsed.
    """
    if watch:
        from gblint.cli import watching

        return watching.run(lambda: _check(**options), options)
    return _check(**options)


def _check(
    *,
    statistics: bool,
    why: FileLine | None,
    fix: bool,
    diff: bool,
    show_fixes: bool,
    jobs: int | None,
    cache_dir: Path | None,
    no_cache: bool,
    confirmed_only: bool,
    confirmations: Path | None,
    exit_zero: bool,
    output_file: Path | None,
    baseline_action: str | None,
    strict_baseline: bool,
    max_graph_breaks: dict[str, int],
    add_noqa: bool,
    only_changed: bool,
    show_settings: bool,
    show_files: bool,
    quiet: bool,
    ignore_noqa: bool,
    fix_only: bool,
    exit_non_zero_on_fix: bool,
    **options: Any,
) -> int:
    """One run; the exit status."""
    fix = fix or fix_only
    streams = Streams(output_file, quiet=quiet)
    terms = budgets.CheckPolicy(baseline_action, strict_baseline, max_graph_breaks, add_noqa)
    trial = verifying.split(options)
    if ignore_noqa and (fix or diff or add_noqa or baseline_action):
        raise click.UsageError("--ignore-noqa is for reports: it goes with nothing that writes")
    if trial is not None and not (fix or diff):
        raise click.UsageError("--verify goes with --fix or --diff")
    try:
        changed = changes.take(options) if only_changed else None
        inputs = changes.only(gather(**options), changed)
        if show_settings or show_files:
            return show.settings(inputs, streams) if show_settings else show.files(inputs, streams)
        if why is not None:
            return _explain_line(why, inputs, streams)
        fixing.check_choices(inputs)
        if inputs.draws and not streams.to_file and sys.stdout.isatty():
            raise click.UsageError("--output-format html is a page for a browser: add --output-file report.html")
        terms.check(inputs, changing=fix or diff, limited=confirmed_only or only_changed)
        baseline, inputs = inputs.config.baseline_file, terms.prepared(inputs)
        start, cache = time.monotonic(), _cache(cache_dir, no_cache)
        # Syntax trees and values live until the end: looking for garbage among them costs a third of the time.
        gc.disable()
        if confirmations is not None:
            outcome, written = remote_runs.with_confirmations(inputs, confirmations), CLEAN
        else:
            outcome, written = (
                _fix(inputs, streams, fixing.FixMode(diff, exit_non_zero_on_fix), trial, jobs, cache)
                if fix or diff
                else (_lint(inputs, show_fixes, jobs, cache), CLEAN)
            )
        seconds = time.monotonic() - start
        outcome.report.errors[:0] = [as_error(problem) for problem in inputs.problems]
        if diff or fix_only:
            streams.problems(outcome.report.errors)
            return max(written, ERROR if outcome.report.errors else CLEAN)
        if ignore_noqa:
            _with_silenced(outcome)
        changes.narrow(outcome, changed, streams)
        if not no_cache:
            _recall(outcome)
        if confirmed_only:
            _keep_confirmed(outcome.report)
        done = terms.carry_out(inputs, baseline, outcome, streams)
        if done is not None:
            return done
        _print(outcome, inputs, statistics, streams)
        budgets.tell(inputs, outcome, streams)
        if not (fix or statistics or streams.to_file):
            _point_on(inputs, outcome, streams, seconds)
        return max(terms.status(outcome, exit_zero=exit_zero, streams=streams), written)
    except ConfigError as error:
        streams.problems(error.problems)
        return ERROR


def _with_silenced(outcome: LintResult) -> None:
    """Take what comments silence into the report."""
    report = outcome.report
    report.findings = sorted([*report.findings, *outcome.silenced], key=lambda each: (each.span, each.code))
    outcome.silenced = []


def _recall(outcome: LintResult) -> None:
    """Add what runs have shown."""
    report = outcome.report
    if not report.findings or not user_dirs.confirmations().is_dir():
        return
    from gblint.confirm.verdict_store import VerdictStore

    report.findings = list(VerdictStore.default().annotate(report.findings, report.torch_version, outcome.source))


def _keep_confirmed(report: Report) -> None:
    said = ((finding, finding.confirmation) for finding in report.findings)
    report.findings = [finding for finding, run in said if run is not None and run.verdict == "confirmed"]


def _explain_line(place: FileLine, inputs: Inputs, streams: Streams) -> int:
    """Say what is believed at one line; what was found there is no failure."""
    from gblint.pipeline.explain_line import why
    from gblint.pipeline.lint import LintRequest
    from gblint.report import why as report

    # What is defined in that file is looked up as in a file that was named.
    paths = inputs.paths if inputs.named else (*inputs.paths, place.path)
    with ProgressBar() as progress:
        answer = why(place, LintRequest(paths, inputs.entries, inputs.overlays, inputs.named), inputs.config, progress)
    streams.problems([*inputs.problems, *answer.errors])
    if inputs.config.output_format == "json":
        streams.report([report.as_json(answer)])
    else:
        streams.report(report.render(answer, streams.style))
    return ERROR if inputs.problems or answer.errors else CLEAN


def _cache(folder: Path | None, unwanted: bool) -> Cache | None:
    from gblint.cache.store import Cache

    return None if unwanted else Cache.default() if folder is None else Cache(folder)


def _lint(inputs: Inputs, show_fixes: bool, jobs: int | None, cache: Cache | None) -> LintResult:
    from gblint.parallel.cpu_count import cores
    from gblint.pipeline.lint import LintRequest, lint

    request = LintRequest(inputs.paths, inputs.entries, inputs.overlays, inputs.named, call_trees=inputs.draws)
    with ProgressBar() as progress:
        if show_fixes:
            from gblint.fix.lint_with_fixes import Resources, lint_showing_fixes

            return lint_showing_fixes(request, inputs.config, progress, resources=Resources(jobs or cores(), cache))
        return lint(request, inputs.config, progress, jobs=jobs or cores(), cache=cache)


def _fix(
    inputs: Inputs,
    streams: Streams,
    manner: fixing.FixMode,
    trial: dict[str, Any] | None,
    jobs: int | None,
    cache: Cache | None,
) -> tuple[LintResult, int]:
    from gblint.fix.lint_with_fixes import Resources
    from gblint.parallel.cpu_count import cores

    if inputs.overlays and not manner.diff:
        # What is fixed goes to standard output, so that what is said of it must not.
        streams.report_to_stderr()
    return fixing.run(inputs, streams, manner, trial, Resources(jobs or cores(), cache))


def _print(outcome: LintResult, inputs: Inputs, statistics: bool, streams: Streams) -> None:
    report, form = outcome.report, inputs.config.output_format
    if outcome.note:
        streams.note(outcome.note)
    if inputs.warning is not None:
        streams.warning(summary.error_line(as_error(inputs.warning)))
    for warning in outcome.warnings:
        streams.warning(summary.error_line(warning))
    streams.problems(report.errors)
    assumed = summary.assumed(report)
    if assumed and form not in reports.DOCUMENTS:
        streams.note(assumed)
    if report.files and not report.entries:
        streams.note(no_entry_points.HINT)
    streams.report(reports.lines(outcome, form, statistics, streams, inputs.asked))
    if streams.to_file and form in reports.DOCUMENTS:
        streams.note(" ".join(summary.summary(report, outcome.hidden, Style())))


def _point_on(inputs: Inputs, outcome: LintResult, streams: Streams, seconds: float) -> None:
    """What somebody could do next who has just read the report."""
    if inputs.config.output_format not in ("full", "concise", "grouped"):
        return
    fixing.offer(inputs, outcome, streams, seconds)
    if len(outcome.report.findings) > MANY:
        streams.hint(
            "--statistics counts them by rule; --baseline FILE --write-baseline sets aside what is there today"
        )
