"""``gblint check``: find graph breaks and report them."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

import click

from gblint.cache import user_dirs
from gblint.cli import accepted_findings, assumptions, changes, fixing, remote_runs, reports, show, verifying
from gblint.cli.check_options import CheckOptions
from gblint.cli.file_option import FileOption
from gblint.cli.help_sections import Sectioned
from gblint.cli.options import CODES, Inputs, gather, output_format, project_options, rule_options, strict_entries
from gblint.cli.output import Streams, as_error
from gblint.cli.progress import ProgressBar
from gblint.cli.statuses import CLEAN, ERROR, FOUND
from gblint.config.errors import ConfigError
from gblint.config.keys import SEVERITIES
from gblint.diagnostics.report import Report
from gblint.diagnostics.span import FileLine
from gblint.project.source_text import Style
from gblint.report import no_entry_points, summary, unresolved
from gblint.runtime.lazy_dataclasses import replace

if TYPE_CHECKING:
    from gblint.cache.store import Cache
    from gblint.cli.watching import WatchedRun
    from gblint.pipeline.lint import LintResult


_FOR_PEOPLE = ("full", "concise", "grouped")
_LEAVES_OUT = ("select", "ignore", "extend-ignore", "per-file-ignores", "extend-per-file-ignores")  # settings
MANY = 100  # findings, above which --statistics and a baseline are suggested


def _file_line(ctx: click.Context, param: click.Parameter, value: str | None) -> FileLine | None:
    """Read ``FILE:LINE``; a callback for an option."""
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
@click.option(
    "--show-all",
    is_flag=True,
    help="List each finding and each warning; without it, the findings of one line are one entry.",
)
@click.option("--fix", is_flag=True, help="Change the files: make the fixes that keep the results.")
@click.option(
    "--fix-only",
    is_flag=True,
    help="Like --fix, but do not report remaining findings, and do not fail because of them.",
)
@click.option(
    "--unsafe-fixes/--no-unsafe-fixes",
    default=None,
    help="With --fix or --diff, also make fixes that may change results.",
)
@click.option(
    "--interactive", "-i", is_flag=True, help="Show each fix, also those that may change results, and ask about it."
)
@click.option("--fixable", **CODES, help="Fix only these rules, instead of the configured ones.")
@click.option("--unfixable", **CODES, help="Do not fix these rules.")
@click.option("--extend-fixable", **CODES, help="Fix these rules in addition to the configured ones.")
@click.option("--show-fixes", is_flag=True, help="Add the fixes to the report in JSON or HTML; change nothing.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed.")
@verifying.options
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    metavar="N",
    help="Use N processes (default: the number of cores; one if there is little to do).",
)
@click.option(
    "--cache-dir",
    type=FileOption(file_okay=False),
    metavar="FOLDER",
    help="The folder of the cache (default: $GBLINT_CACHE_DIR, or the user's cache folder).",
)
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
@click.option("--confirmed-only", is_flag=True, help="Report only findings that `gblint confirm` has confirmed.")
@click.option(
    "--confirmations",
    type=FileOption(),
    metavar="FILE",
    help="Add the verdicts of runs on another machine (gblint confirm --run PLAN --results FILE).",
)
@click.option(
    "--why",
    callback=_file_line,
    metavar="FILE:LINE",
    help="Explain this line only: how compiled code reaches it, and the values there.",
)
@click.option(
    "--changed",
    "only_changed",
    is_flag=True,
    help="PATHS are changed files: lint the project in this folder, and report the findings that they can affect.",
)
@accepted_findings.options
@strict_entries
@click.option("--show-settings", is_flag=True, help="Print the settings, and where each is set.")
@click.option("--show-files", is_flag=True, help="Print the files that would be linted.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings and errors only.")
@click.option("--ignore-noqa", is_flag=True, help="Also report findings that noqa comments suppress.")
@click.option(
    "--fail-on",
    type=click.Choice(SEVERITIES),
    help="Exit with 1 only if there is a finding of at least this severity (default: info).",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option("--watch", "-w", is_flag=True, help="Report again after each change of a file, until Ctrl-C.")
def check(*, watch: bool, **parameters: Any) -> int:
    """Find the graph breaks that the compiled code of PATHS (default: here) runs into.

    Exits with 0 if nothing is found, 1 if there are findings, 2 for a mistake in the arguments or the configuration
    and for files that cannot be read or parsed.
    """
    if watch:
        from gblint.cli import watching

        return watching.run(lambda watched: _check(parameters, watched), parameters)
    return _check(parameters)


def _check(parameters: dict[str, Any], watched: WatchedRun | None = None) -> int:
    """Run the check once; return the exit status."""
    options = CheckOptions.of(parameters)
    streams = Streams(options.output_file, quiet=options.quiet)
    try:
        return _run(options, streams, watched)
    except ConfigError as error:
        streams.problems(error.problems)
        return ERROR


def _run(options: CheckOptions, streams: Streams, watched: WatchedRun | None) -> int:
    """Carry out the options; return the exit status. Raises ConfigError and click's errors."""
    changed = changes.take(options.project) if options.only_changed else None
    inputs = changes.only(gather(**options.project), changed)
    if options.show_settings or options.show_files:
        return show.settings(inputs, streams) if options.show_settings else show.files(inputs, streams)
    if options.why is not None:
        return _explain_line(options.why, inputs, streams)
    _refuse_conflicts(options, inputs, streams)
    baseline, inputs = inputs.config.baseline_file, options.policy.prepared(inputs)
    # Syntax trees and values live until the end, so garbage collection would only cost time: a third of the run.
    gc.disable()
    outcome, written = _find(options, inputs, streams, watched)
    outcome.report.errors[:0] = [as_error(problem) for problem in inputs.problems]
    if options.fixes.reports_nothing:
        streams.problems(outcome.report.errors)
        return max(written, ERROR if outcome.report.errors else CLEAN)
    if options.ignore_noqa:
        _add_suppressed(outcome)
    changes.narrow(outcome, changed, streams)
    if not options.no_cache:
        _add_verdicts(outcome)
    if options.confirmed_only:
        _keep_confirmed(outcome.report)
    done = options.policy.carry_out(inputs, baseline, outcome, streams)
    if done is not None:
        return done
    if watched is not None and not watched.shows(outcome):
        return CLEAN
    _print(outcome, inputs, _contents(options, inputs), streams)
    accepted_findings.print_baseline_notes(inputs, outcome, streams)
    if inputs.config.output_format not in reports.DOCUMENTS:
        assumptions.print_silenced(outcome, streams)
    if not (options.fixes.writes or options.contents.statistics or streams.to_file):
        _print_hints(inputs, outcome, streams)
    strict = FOUND if inputs.config.entry_points.strict_entries and outcome.report.unresolved else CLEAN
    status = options.policy.status(outcome, inputs.config, exit_zero=options.exit_zero, streams=streams)
    unused = accepted_findings.warn_unused(inputs, outcome, streams)
    return max(status, CLEAN if options.exit_zero else max(strict, unused), written)


def _contents(options: CheckOptions, inputs: Inputs) -> reports.Contents:
    limited = options.only_changed or options.confirmed_only
    return replace(
        options.contents,
        every_reach=inputs.config.is_given("reach"),
        is_selection=limited or any(map(inputs.config.is_given, _LEAVES_OUT)),
        has_all_objects=not options.only_changed,
    )


def _refuse_conflicts(options: CheckOptions, inputs: Inputs, streams: Streams) -> None:
    """Raise ConfigError or UsageError for options that contradict each other or the configuration."""
    fixing.check_choices(inputs)
    if inputs.draws and not streams.to_file and sys.stdout.isatty():
        raise click.UsageError("--output-format html is a page for a browser: add --output-file report.html")
    limited = options.confirmed_only or options.only_changed
    options.policy.check(inputs, changing=options.fixes.is_wanted, limited=limited)


def _find(
    options: CheckOptions, inputs: Inputs, streams: Streams, watched: WatchedRun | None
) -> tuple[LintResult, int]:
    """Find the breaks and make the requested fixes.

    Returns the result, and the exit status of writing the fixes.
    """
    from gblint.cache.store import Cache
    from gblint.parallel.cpu_count import cores

    if options.confirmations is not None:
        return remote_runs.with_confirmations(inputs, options.confirmations), CLEAN
    folder = options.cache_dir
    cache = None if options.no_cache else Cache.default() if folder is None else Cache(folder)
    jobs = options.jobs or cores()
    if not options.fixes.is_wanted:
        return _lint(inputs, options.show_fixes, jobs, cache, watched), CLEAN
    from gblint.fix.lint_with_fixes import Resources

    if inputs.overlays and not options.fixes.diff:
        # The fixed text goes to standard output, so the report must not.
        streams.report_to_stderr()
    return fixing.run(inputs, streams, options.fixes, options.trial, Resources(jobs, cache))


def _add_suppressed(outcome: LintResult) -> None:
    """Add the findings that noqa comments suppress to the report."""
    report = outcome.report
    report.findings = sorted([*report.findings, *outcome.silenced], key=lambda each: (each.span, each.code))
    outcome.silenced = []


def _add_verdicts(outcome: LintResult) -> None:
    """Add the stored verdicts of earlier runs to the findings."""
    report = outcome.report
    if not report.findings or not user_dirs.confirmations().is_dir():
        return
    from gblint.confirm.verdict_store import VerdictStore

    report.findings = list(VerdictStore.default().annotate(report.findings, report.torch_version, outcome.source))


def _keep_confirmed(report: Report) -> None:
    """Keep the findings that a run has confirmed."""
    pairs = ((finding, finding.confirmation) for finding in report.findings)
    report.findings = [finding for finding, run in pairs if run is not None and run.verdict == "confirmed"]


def _explain_line(place: FileLine, inputs: Inputs, streams: Streams) -> int:
    """Print the values that the interpreter computes at one line. Findings there do not change the exit status."""
    from gblint.pipeline.explain_line import explain_line
    from gblint.pipeline.lint import LintRequest
    from gblint.report import why as report

    # The file is linted as if it had been named, so that definitions in it are found.
    paths = inputs.paths if inputs.named else (*inputs.paths, place.path)
    with ProgressBar() as progress:
        request = LintRequest(paths, inputs.entries, inputs.overlays, inputs.named)
        answer = explain_line(place, request, inputs.config, progress)
    streams.problems([*inputs.problems, *answer.errors])
    if inputs.config.output_format == "json":
        streams.report([report.as_json(answer)])
    else:
        streams.report(report.render(answer, streams.style))
    return ERROR if inputs.problems or answer.errors else CLEAN


def _lint(inputs: Inputs, show_fixes: bool, jobs: int, cache: Cache | None, watched: WatchedRun | None) -> LintResult:
    from gblint.pipeline.lint import LintRequest, lint

    request = LintRequest(inputs.paths, inputs.entries, inputs.overlays, inputs.named, call_trees=inputs.draws)
    with ProgressBar() as progress:
        if show_fixes:
            from gblint.fix.lint_with_fixes import Resources, lint_showing_fixes

            return lint_showing_fixes(request, inputs.config, progress, resources=Resources(jobs, cache))
        if watched is not None:
            return watched.lint(request, inputs.config, progress, jobs, cache)
        return lint(request, inputs.config, progress, jobs=jobs, cache=cache)


def _print(outcome: LintResult, inputs: Inputs, contents: reports.Contents, streams: Streams) -> None:
    report, form = outcome.report, inputs.config.output_format
    if outcome.note:
        streams.note(outcome.note)
    if inputs.warning is not None:
        streams.warning(summary.error_line(as_error(inputs.warning)))
    if streams.columns and streams.is_terminal and form in _FOR_PEOPLE:
        # The last lines of the report are what a reader of a terminal sees first.
        streams.report(reports.entries(outcome, form, contents, streams))
        _print_coverage(outcome, form, contents, streams)
        if outcome.warnings or report.unresolved or report.missing_packages or report.errors:
            streams.report([""])
        streams.report(reports.ending(outcome, form, contents, streams))
        return
    streams.report(reports.lines(outcome, form, contents, streams, inputs.asked))
    if streams.to_file and form in reports.DOCUMENTS:
        streams.note(" ".join(summary.summary(report, outcome.hidden, Style(), outcome.beyond_reach)))
    _print_coverage(outcome, form, contents, streams)


def _print_coverage(outcome: LintResult, form: str, contents: reports.Contents, streams: Streams) -> None:
    """Print what was not analysed and what was assumed."""
    report = outcome.report
    is_short = form in (*_FOR_PEOPLE, "html") and not contents.show_all
    packages = map(unresolved.package_message, report.missing_packages)
    every = [*map(unresolved.as_message, report.unresolved), *packages, *outcome.warnings]
    for warning in unresolved.folded(report, outcome.warnings) if is_short else every:
        streams.warning(warning if isinstance(warning, str) else summary.error_line(warning))
    streams.problems(report.errors)
    assumed = summary.assumed(report)
    if assumed and form not in reports.DOCUMENTS:
        streams.note(assumed)
        hint = summary.entry_hint(report)
        if hint:
            streams.note(hint)
    if report.files and not report.entries and not report.unresolved:
        streams.note(no_entry_points.HINT)


def _print_hints(inputs: Inputs, outcome: LintResult, streams: Streams) -> None:
    """Print suggestions for next steps after a text report."""
    if inputs.config.output_format not in _FOR_PEOPLE:
        return
    assumptions.print_assumptions(inputs, outcome, streams)
    fixing.offer(inputs, outcome, streams)
    if len(outcome.report.findings) > MANY:
        streams.hint("--statistics counts them by rule; --baseline FILE --write-baseline accepts the present findings")
