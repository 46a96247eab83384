"""``gblint check --fix --verify``: run the code with each fix, and make only the fixes that hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gblint.cli import remote_runs
from gblint.cli.options import Inputs
from gblint.cli.output import Streams
from gblint.cli.progress import ProgressBar
from gblint.cli.run_options import check_device, size

if TYPE_CHECKING:
    from gblint.confirm.jobs import Job, Result, Target
    from gblint.confirm.planning import RunOptions
    from gblint.diagnostics.verification import Verification
    from gblint.fix.fixed_point import Choose, FixResult
    from gblint.fix.lint_with_fixes import Resources

F = TypeVar("F", bound=Callable[..., Any])


def options(function: F) -> F:
    """Add the options of a check that configure the runs of --verify."""
    for option in reversed(
        (
            click.option(
                "--verify", is_flag=True, help="With --fix or --diff: run the code, and make only the fixes that pass."
            ),
            click.option(
                "--init", metavar="EXPR", help="With --verify and one --entry: the expression that creates the object."
            ),
            click.option(
                "--inputs",
                "values",
                metavar="EXPR",
                help="With --verify and one --entry: the expression for its arguments.",
            ),
            click.option(
                "--inputs-from",
                metavar="M:F|FILE:F",
                help="With --verify and one --entry: the function that returns its arguments.",
            ),
            click.option("--device", metavar="DEVICE", help="The device of the runs of --verify."),
            click.option("--backend", metavar="NAME", help="The backend of the runs of --verify (default: eager)."),
            click.option(
                "--timeout",
                type=click.FloatRange(min=0, min_open=True),
                metavar="S",
                help="The time limit of each run of --verify, in seconds.",
            ),
            click.option(
                "--memory", callback=size, metavar="SIZE", help="The memory limit of each run of --verify, such as 8G."
            ),
            click.option("--measure", is_flag=True, help="With --verify: time a call before and after the fixes."),
        )
    ):
        function = option(function)
    return function


def split(parameters: dict[str, Any]) -> dict[str, Any] | None:
    """Remove the options of --verify from ``parameters`` and return them; None without --verify.  Raises UsageError."""
    taken = {
        name: parameters.pop(name)
        for name in ("verify", "init", "values", "inputs_from", "device", "backend", "timeout", "memory", "measure")
    }
    if taken.pop("verify"):
        return taken
    specified = [name for name, value in taken.items() if value]
    if specified:
        name = {"values": "inputs"}.get(specified[0], specified[0]).replace("_", "-")
        raise click.UsageError(f"--{name} needs --verify")
    return None


def wanted(parameters: dict[str, Any], entries: tuple[str, ...]) -> tuple[RunOptions, list[Target]]:
    """Return the options of the runs, and the entry points with the expressions for their arguments."""
    from gblint.confirm.jobs import Target
    from gblint.confirm.planning import RunOptions

    device = parameters["device"] or "auto"
    check_device(device)
    details = [parameters["init"], parameters["values"], parameters["inputs_from"]]
    if any(each is not None for each in details) and len(entries) != 1:
        raise click.UsageError(
            "--init, --inputs and --inputs-from need exactly one entry point: select it with --entry"
        )
    if parameters["values"] is not None and parameters["inputs_from"] is not None:
        raise click.UsageError("--inputs and --inputs-from cannot be combined")
    run_options = RunOptions(
        device=device, backend=parameters["backend"], seconds=parameters["timeout"], memory=parameters["memory"]
    )
    return run_options, [Target("entry", name, (), *details) for name in entries]


def run(
    inputs: Inputs, choose: Choose, parameters: dict[str, Any], resources: Resources, streams: Streams
) -> tuple[FixResult, Verification]:
    """Run the fixes that ``choose`` selects; return those that hold, and the verdicts on all."""
    from gblint.fix.trial_runs import TrialSetup
    from gblint.fix.verification_report import measure_timings, verification_report
    from gblint.fix.verify import VerificationFailed, VerificationStopped, verify
    from gblint.pipeline.lint import LintRequest
    from gblint.report.verification import render

    run_options, targets = wanted(parameters, inputs.entries)
    request = LintRequest(inputs.paths, inputs.entries, inputs.overlays, inputs.named, call_trees=inputs.draws)
    announced: set[str] = set()
    stopped: VerificationStopped | VerificationFailed | None = None
    with ProgressBar() as progress:

        def run_all(jobs: list[Job]) -> list[Result]:
            remote_runs.announce([job for job in jobs if job.id not in announced], streams)
            announced.update(job.id for job in jobs)
            return [result for _, result in remote_runs.run_jobs(jobs, None, None, progress)]

        setup = TrialSetup(run_options, targets, run_all)
        try:
            tried = verify(request, inputs.config, choose, setup, progress, resources=resources)
        except (VerificationStopped, VerificationFailed) as error:
            stopped, tried = error, error.verified
        if parameters["measure"] and stopped is None:
            measure_timings(tried, run_all)
    if stopped is not None:
        interrupted = isinstance(stopped, VerificationStopped)
        streams.note(f"{'interrupted' if interrupted else 'an error ended the runs'}; nothing is written")
        streams.report_to_stderr()
        streams.report(render(verification_report(tried), streams.error_style))
        raise stopped.__cause__ or stopped
    return tried.fixed, verification_report(tried)
