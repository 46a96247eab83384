"""``gblint check --fix --verify``: fixes are tried before they are made, and only those that hold are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gblint.cli import remote_runs
from gblint.cli.options import Inputs
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
    """The options of a check that are about the runs of --verify."""
    for option in reversed(
        (
            click.option(
                "--verify", is_flag=True, help="With --fix or --diff: run the code, make only fixes that hold."
            ),
            click.option("--init", metavar="EXPR", help="With --verify and one --entry: makes the object."),
            click.option("--inputs", "values", metavar="EXPR", help="With --verify and one --entry: its arguments."),
            click.option("--inputs-from", metavar="M:F|FILE:F", help="With --verify and one --entry: returns them."),
            click.option("--device", metavar="DEVICE", help="For the runs of --verify."),
            click.option("--backend", metavar="NAME", help="For the runs of --verify (eager)."),
            click.option(
                "--timeout",
                type=click.FloatRange(min=0, min_open=True),
                metavar="S",
                help="Seconds for each run of --verify.",
            ),
            click.option("--memory", callback=size, metavar="SIZE", help="For each run of --verify, such as 8G."),
            click.option("--measure", is_flag=True, help="With --verify: time a call before and after."),
        )
    ):
        function = option(function)
    return function


def split(given: dict[str, Any]) -> dict[str, Any] | None:
    """Take the options of the runs out of those of a check; None if there is no --verify.  Raises UsageError."""
    taken = {
        name: given.pop(name)
        for name in ("verify", "init", "values", "inputs_from", "device", "backend", "timeout", "memory", "measure")
    }
    if taken.pop("verify"):
        return taken
    asked = [name for name, value in taken.items() if value]
    if asked:
        name = {"values": "inputs"}.get(asked[0], asked[0]).replace("_", "-")
        raise click.UsageError(f"--{name} goes with --verify")
    return None


def wanted(given: dict[str, Any], entries: tuple[str, ...]) -> tuple[RunOptions, list[Target]]:
    """What the options say about the runs and about the entry point that is named."""
    from gblint.confirm.jobs import Target
    from gblint.confirm.planning import RunOptions

    device = given["device"] or "auto"
    check_device(device)
    details = [given["init"], given["values"], given["inputs_from"]]
    if any(each is not None for each in details) and len(entries) != 1:
        raise click.UsageError("--init, --inputs and --inputs-from are for one entry point: name it with --entry")
    if given["values"] is not None and given["inputs_from"] is not None:
        raise click.UsageError("--inputs and --inputs-from exclude each other")
    asked = RunOptions(device=device, backend=given["backend"], seconds=given["timeout"], memory=given["memory"])
    return asked, [Target("entry", name, (), *details) for name in entries]


def run(inputs: Inputs, choose: Choose, given: dict[str, Any], effort: Resources) -> tuple[FixResult, Verification]:
    """Try the fixes that ``choose`` takes; those that hold, and what came of all of them."""
    from gblint.fix.trial_runs import TrialSetup
    from gblint.fix.verification_report import measure_timings, verification_report
    from gblint.fix.verify import verify
    from gblint.pipeline.lint import LintRequest

    asked, targets = wanted(given, inputs.entries)
    request = LintRequest(inputs.paths, inputs.entries, inputs.overlays, inputs.named, call_trees=inputs.draws)
    with ProgressBar() as progress:

        def run_all(jobs: list[Job]) -> list[Result]:
            return [result for _, result in remote_runs.run_jobs(jobs, None, None, progress)]

        tried = verify(request, inputs.config, choose, TrialSetup(asked, targets, run_all), progress, resources=effort)
        if given["measure"]:
            measure_timings(tried, run_all)
    return tried.fixed, verification_report(tried)
