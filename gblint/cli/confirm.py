"""``gblint confirm``: run the flagged code and report which predictions hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gblint.cli import remote_runs
from gblint.cli.file_option import FileOption
from gblint.cli.options import Inputs, gather, output_format, project_options, rule_options
from gblint.cli.output import Streams, as_error
from gblint.cli.progress import ProgressBar
from gblint.cli.run_options import check_device, size
from gblint.cli.statuses import CLEAN, ERROR, FOUND
from gblint.config.errors import ConfigError
from gblint.report import summary
from gblint.runtime.files import read_text, reason_of
from gblint.runtime.lazy_dataclasses import dataclass

if TYPE_CHECKING:
    from gblint.confirm.jobs import Job, Result, Target
    from gblint.confirm.planning import Prediction, RunOptions
    from gblint.confirm.report import ConfirmReport
    from gblint.diagnostics.finding import Finding

STUBS = Path("gblint-inputs")
_MAIN = re.compile(r"^if\s+__name__\s*==\s*['\"]__main__['\"]", re.MULTILINE)


class _WithArguments(click.Command):
    """A command that passes the arguments after ``--`` to the program that it runs."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Split the arguments at the first ``--``."""
        if "--" in args:
            cut = args.index("--")
            ctx.meta["arguments"] = tuple(args[cut + 1 :])
            args = args[:cut]
        return super().parse_args(ctx, args)


@click.command(
    cls=_WithArguments,
    short_help="Run the code, and report which findings are confirmed.",
    options_metavar="[OPTIONS]",
    epilog="It executes your code, and all code that your code calls.",
)
@project_options
@rule_options
@click.option("-m", "module", metavar="MODULE", help="Run a module as `python -m` does; its arguments follow `--`.")
@click.option("--pytest", "pytest", is_flag=True, help="Run the project's tests; the arguments of pytest follow `--`.")
@click.option(
    "--init",
    metavar="EXPR",
    help="With --entry: the expression that creates the object; it may use torch and the names of its module.",
)
@click.option(
    "--inputs",
    "values",
    metavar="EXPR",
    help="With --entry: the expression for its arguments, a tuple, a dict or ((..), {..}).",
)
@click.option("--inputs-from", metavar="M:F|FILE:F", help="With --entry: the function that returns its arguments.")
@click.option(
    "--device", default="auto", metavar="DEVICE", help="auto, cpu, cuda, mps or xpu (auto: the best available)."
)
@click.option(
    "--backend",
    metavar="NAME",
    help="The backend of torch.compile (default: eager for entry points, their own for scripts).",
)
@click.option("--eval", "only", flag_value="eval", help="Run modules in eval mode only (default: both modes).")
@click.option("--train", "only", flag_value="train", help="Run modules in train mode only (default: both modes).")
@click.option("--dynamic/--no-dynamic", default=None, help="Compile with dynamic=True or dynamic=False.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="S",
    help="The time limit of each run, in seconds.",
)
@click.option(
    "--memory",
    callback=size,
    metavar="SIZE",
    help="The memory limit of each run, such as 8G (default: nine tenths of the free memory).",
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="The number of parallel runs.")
@click.option("--measure", is_flag=True, help="Time a call of each entry point with and without compilation.")
@click.option("--plan", type=FileOption(), metavar="FILE", help="Write the runs to this file; run nothing.")
@click.option("--run", type=FileOption(), metavar="FILE", help="Run the plan in this file.")
@click.option("--results", type=FileOption(), metavar="FILE", help="With --run: write the results to this file.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on the Dask cluster of this scheduler (tcp://...).")
@click.option("--no-cache", is_flag=True, help="Do not store the verdicts.")
@output_format("full", "concise", "json")
@click.pass_context
def confirm(ctx: click.Context, /, **given: Any) -> int:
    """Run the code under Dynamo, and report for each finding of a check whether it holds.  This executes your code.

    \b
    gblint confirm train.py -- ARGS       the script, with every graph break in it
    gblint confirm -m package -- ARGS     the same for a module
    gblint confirm --entry pkg.mod:Net    one entry point, eagerly and then compiled
    gblint confirm [PATHS]                every entry point with findings
    gblint confirm --pytest -- ARGS       the project's tests
    gblint confirm ... --plan plan.json   the runs, for another machine:
                                          gblint confirm --run plan.json --results r.json;
                                          here again: gblint check --confirmations r.json

    A file is run as a script if `--` follows, or if it has an `if __name__ == "__main__"`.  Each run is a process with
    limits of time and memory.  The verdicts are stored: `gblint check` shows them until the code changes.

    Exits with 0 if no graph break was seen, 1 if there were some, 2 if the arguments are wrong or the code could not be
    run: the script failed, an entry point of --entry failed, or every entry point failed.
    """
    options = ConfirmOptions.of(ctx, given)
    streams = Streams(options.output_file)
    check_device(options.runs.device)
    if options.plan_to_run is not None:
        return remote_runs.run(
            options.plan_to_run,
            options.results,
            _changes(ctx, options.runs),
            options.jobs,
            options.scheduler,
            streams,
        )
    target = _target(options)
    entries = _entries(options, target)
    try:
        inputs = gather(**options.project)
    except ConfigError as error:
        streams.problems(error.problems)
        return ERROR
    prediction, work = _prepare(inputs, target, entries, options.runs, streams)
    if options.plan_to_write is not None:
        return remote_runs.write(
            options.plan_to_write, work, prediction.refused, prediction.project.environment, streams
        )
    remote_runs.announce(work, streams)
    runs = remote_runs.run_jobs(work, options.jobs, options.scheduler)
    confirmed = _confirm(inputs, prediction, runs, streams, remember=not options.no_cache, measure=options.runs.measure)
    return _status(confirmed, streams, named=target is not None or bool(entries))


@dataclass(frozen=True, slots=True)
class ConfirmOptions:
    """The options of ``gblint confirm``.

    ``runs`` has the options of every run, ``project`` the arguments of ``gblint.cli.options.gather``. ``arguments`` are
    the arguments after ``--``, or None without ``--``. ``init``, ``values`` and ``inputs_from`` are the expressions for
    the object and the arguments of an entry point.
    """

    runs: RunOptions
    project: dict[str, Any]
    arguments: tuple[str, ...] | None
    module: str | None
    pytest: bool
    init: str | None
    values: str | None
    inputs_from: str | None
    plan_to_write: Path | None
    plan_to_run: Path | None
    results: Path | None
    jobs: int | None
    scheduler: str | None
    no_cache: bool
    output_file: Path | None

    @classmethod
    def of(cls, ctx: click.Context, parameters: dict[str, Any]) -> ConfirmOptions:
        """Return the options from the values that click passes; raises UsageError if they contradict each other."""
        from gblint.confirm.planning import RunOptions

        left = dict(parameters)
        only = left.pop("only")
        runs = RunOptions(
            device=left.pop("device"),
            backend=left.pop("backend"),
            dynamic=left.pop("dynamic"),
            seconds=left.pop("timeout"),
            memory=left.pop("memory"),
            modes=(only,) if only else ("eval", "train"),
            measure=left.pop("measure"),
        )
        own = {name: left.pop(name) for name in _OWN}
        plans = {"plan_to_write": left.pop("plan"), "plan_to_run": left.pop("run")}
        options = cls(runs, left, ctx.meta.get("arguments"), **own, **plans)
        options._check_plans()
        return options

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the entry points."""
        return tuple(self.project["entry"])

    def _check_plans(self) -> None:
        if self.results is not None and self.plan_to_run is None:
            raise click.UsageError("--results needs --run")
        others = (self.plan_to_write is not None, self.project["paths"], self.names, self.module, self.pytest)
        if self.plan_to_run is not None and any(others):
            raise click.UsageError(
                "--run takes everything from the plan: it cannot be combined with paths, entry points or other runs"
            )


# The fields of ConfirmOptions that have the names of click's parameters.
_OWN = (
    "module",
    "pytest",
    "init",
    "values",
    "inputs_from",
    "results",
    "jobs",
    "scheduler",
    "no_cache",
    "output_file",
)


def _target(options: ConfirmOptions) -> Target | None:
    """Return the script, module or test run to execute unchanged; None if entry points are run.

    For a script below the working directory, the working directory is linted instead of only the script.
    """
    from gblint.confirm.jobs import Target

    paths = options.project["paths"]
    arguments = options.arguments or ()
    if (options.module is not None) + options.pytest + bool(options.names) > 1:
        raise click.UsageError("-m, --pytest and --entry cannot be combined")
    if options.module is not None:
        return Target("module", options.module, arguments)
    if options.pytest:
        return Target("pytest", "", arguments)
    script = paths[0] if len(paths) == 1 and not options.names else None
    if script is not None and (options.arguments is not None or _is_script(script)):
        if not script.exists():
            raise click.UsageError(f"there is no file {str(script)!r}")
        here = script.absolute().is_relative_to(Path.cwd())
        options.project["paths"] = () if here else (Path(), script)
        return Target("script", str(script), arguments)
    if options.arguments is not None:
        raise click.UsageError("arguments after -- need a script, -m or --pytest")
    return None


def _entries(options: ConfirmOptions, target: Target | None) -> list[Target]:
    """Return the named entry points, with the expressions for the object and its arguments."""
    from gblint.confirm.jobs import Target

    details = (options.init, options.values, options.inputs_from)
    if any(each is not None for each in details) and (len(options.names) != 1 or target is not None):
        raise click.UsageError(
            "--init, --inputs and --inputs-from need exactly one entry point: select it with --entry"
        )
    if options.values is not None and options.inputs_from is not None:
        raise click.UsageError("--inputs and --inputs-from cannot be combined")
    return [Target("entry", name, (), *details) for name in options.names]


def _is_script(path: Path) -> bool:
    if path.suffix != ".py" or not path.is_file():
        return False
    try:
        return _MAIN.search(read_text(path, errors="replace")) is not None
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be read: {reason_of(error)}") from None


def _changes(ctx: click.Context, wanted: RunOptions) -> dict[str, Any]:
    """Return the run options given on the command line, by the fields of a job; the plan has all others."""
    values = {
        "device": wanted.device,
        "backend": wanted.backend,
        "dynamic": wanted.dynamic,
        "seconds": wanted.seconds,
        "memory": wanted.memory,
        "modes": wanted.modes,
        "measure": wanted.measure,
    }
    options = {"seconds": "timeout", "modes": "only"}
    source = click.core.ParameterSource.COMMANDLINE
    return {key: value for key, value in values.items() if ctx.get_parameter_source(options.get(key, key)) is source}


def _prepare(
    inputs: Inputs, target: Target | None, entries: list[Target], options: RunOptions, streams: Streams
) -> tuple[Prediction, list[Job]]:
    """Run the check; return the prediction and the jobs that test it."""
    from gblint.confirm import planning
    from gblint.pipeline.lint import LintRequest

    config = inputs.config
    if entries:
        # An entry point in an installed package is linted like the user's code.
        tops = tuple(each.name.partition(":")[0].partition(".")[0] for each in entries)
        config = config.with_options(follow=tuple(dict.fromkeys((*config.project.follow, *tops))))
    request = LintRequest(inputs.paths, tuple(each.name for each in entries), inputs.overlays, inputs.named)
    with ProgressBar() as progress:
        prediction = planning.predict(request, config, progress)
    report = prediction.outcome.report
    report.errors[:0] = [as_error(problem) for problem in inputs.problems]
    streams.problems(report.errors)
    assumed = summary.assumed(report)
    if assumed and config.output_format != "json" and target is None:
        streams.note(assumed)
    return prediction, _jobs(target, entries, prediction, options)


def _confirm(
    inputs: Inputs,
    prediction: Prediction,
    runs: list[tuple[Job, Result]],
    streams: Streams,
    *,
    remember: bool,
    measure: bool,
) -> ConfirmReport:
    """Compare the runs with the prediction; store and report the verdicts, with timings if ``measure``."""
    from gblint.confirm import planning, verdicts
    from gblint.confirm.report import ConfirmReport
    from gblint.confirm.verdict_store import VerdictStore

    report = prediction.outcome.report
    source = prediction.outcome.source
    found = verdicts.judge(
        report.findings, prediction.less_certain, prediction.suppressed, runs, prediction.watched, source
    )
    if remember:
        VerdictStore.default().save([*found.findings, *found.hints], source)
    if measure:
        found.findings = _costs(inputs, found.findings, runs)
    stubs = planning.write_stubs([result for _, result in runs], STUBS)
    confirmed = ConfirmReport(report, found, runs, prediction.refused, stubs)
    streams.report(_lines(confirmed, inputs.config.output_format, prediction, streams))
    return confirmed


def _costs(inputs: Inputs, findings: list[Finding], runs: list[tuple[Job, Result]]) -> list[Finding]:
    """Return the findings with timings of their fixes."""
    from gblint.fix.break_timing import time_fixes
    from gblint.pipeline.lint import LintRequest

    names = tuple(job.target.name for job, _ in runs) if inputs.entries else ()
    request = LintRequest(inputs.paths, names, inputs.overlays, inputs.named)
    with ProgressBar() as progress:

        def run_all(jobs: list[Job]) -> list[Result]:
            return [result for _, result in remote_runs.run_jobs(jobs, None, None, progress)]

        return time_fixes(findings, runs, request, inputs.config, run_all, progress)


def _jobs(target: Target | None, entries: list[Target], prediction: Prediction, options: RunOptions) -> list[Job]:
    from gblint.confirm import planning

    if target is not None:
        return [planning.script_job(target, prediction, options)]
    missing = {error.path for error in prediction.outcome.report.errors}
    wanted = [each for each in entries if each.name not in missing] if entries else planning.entry_targets(prediction)
    return planning.entry_jobs(wanted, prediction, options)


def _lines(confirmed: ConfirmReport, form: str, prediction: Prediction, streams: Streams) -> Iterator[str]:
    from gblint.confirm import report

    if form == "json":
        yield report.document(confirmed)
    else:
        yield from report.render(confirmed, streams.style, prediction.outcome.source, form)


def _status(confirmed: ConfirmReport, streams: Streams, *, named: bool) -> int:
    """Return the exit status; ``named``: the user named what to run, so that a failure is an error."""
    failed = [*confirmed.failed, *((job, result) for job, result in confirmed.runs if result.exit_status)]
    if confirmed.report.errors or (named and (failed or confirmed.refused)):
        return ERROR
    if not confirmed.runs and not confirmed.refused:
        streams.note("nothing was run: `gblint check` finds nothing here")
        return CLEAN
    if len(failed) == len(confirmed.runs):
        return ERROR
    return FOUND if confirmed.breaks else CLEAN
