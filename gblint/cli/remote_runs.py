"""Plans of runs: written by ``confirm --plan``, run by ``confirm --run``, reported by ``check --confirmations``."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gblint.cli.options import Inputs, listed
from gblint.cli.output import Streams
from gblint.cli.progress import ProgressBar
from gblint.cli.statuses import CLEAN, ERROR, FOUND
from gblint.diagnostics.break_event import Category
from gblint.diagnostics.report import FileError
from gblint.project.source_text import neutral
from gblint.report.summary import counted
from gblint.runtime.lazy_dataclasses import replace

if TYPE_CHECKING:
    from gblint.confirm.jobs import Job, Result
    from gblint.pipeline.lint import LintResult
    from gblint.project.environment import Environment


def write(path: Path, jobs: Sequence[Job], refused: dict[str, str], environment: Environment, streams: Streams) -> int:
    """Write the jobs to ``path`` and run none; return the exit status."""
    from gblint.confirm.plan_files import MachinePaths, write_plan

    for name, reason in refused.items():
        streams.warning(f"{name} is not in the plan: {reason}")
    if not jobs:
        streams.error(f"there is nothing to run: {path} was not written")
        return ERROR
    try:
        write_plan(path, jobs, MachinePaths.of_this_machine(Path(), environment))
    except OSError as error:
        streams.problems([FileError(str(path), 0, f"cannot be written: {error.strerror or error}")])
        return ERROR
    streams.note(f"{counted(len(jobs), 'job')} in {path}: run them with `gblint confirm --run {path}`")
    return CLEAN


def run(
    path: Path,
    results: Path | None,
    changes: dict[str, Any],
    several: int | None,
    scheduler: str | None,
    streams: Streams,
) -> int:
    """Run the jobs of the plan ``path`` with these ``changes``, and write the results; return the exit status."""
    from gblint.confirm.plan_files import MachinePaths, PlanError, read_plan, write_results
    from gblint.project.environment import Environment

    environment = Environment.discover(None, Path.cwd())
    places = MachinePaths.of_this_machine(Path(), environment)
    try:
        jobs = [_changed(job, changes) for job in read_plan(path, places, environment.python or "")]
    except PlanError as error:
        raise click.ClickException(str(error)) from None
    announce(jobs, streams)
    runs = run_jobs(jobs, several, scheduler)
    if results is not None:
        try:
            write_results(results, runs, places)
        except OSError as error:
            raise click.ClickException(f"{results}: cannot be written: {error.strerror or error}") from None
    streams.report([line for job, result in runs for line in _run_lines(job, result)])
    failed = [result for _, result in runs if result.status != "ok"]
    if failed and len(failed) == len(runs):
        return ERROR
    return FOUND if any(each.primary for _, result in runs for each in result.breaks) else CLEAN


def _changed(job: Job, changes: dict[str, Any]) -> Job:
    seconds, memory = changes.get("seconds"), changes.get("memory")
    limits = replace(
        job.limits,
        seconds=job.limits.seconds if seconds is None else seconds,
        memory=job.limits.memory if memory is None else memory,
    )
    others = {name: value for name, value in changes.items() if name not in ("seconds", "memory")}
    return replace(job, limits=limits, **others)


def announce(jobs: Sequence[Job], streams: Streams) -> None:
    """Say which code is about to run, in which folder and with which interpreter."""
    names: dict[tuple[str, str], dict[str, None]] = {}
    for job in jobs:
        names.setdefault((job.python or sys.executable, job.root), {})[job.id] = None
    for (python, root), ids in names.items():
        streams.note(f"running {listed(list(ids))} in {root} with {python}")


def run_jobs(
    jobs: list[Job], several: int | None, scheduler: str | None, bar: ProgressBar | None = None
) -> list[tuple[Job, Result]]:
    """Run jobs in parallel, here or on a cluster; raises click.ClickException.

    ``bar`` is the progress bar to use, None for a new one.
    """
    from gblint.confirm import planning
    from gblint.confirm.executors import SchedulerError, executor

    try:
        with (
            contextlib.nullcontext(bar) if bar is not None else ProgressBar() as progress,
            executor(len(jobs), several, scheduler) as pool,
        ):
            return list(zip(jobs, planning.run_all(jobs, pool, progress)))
    except SchedulerError as problem:
        raise click.ClickException(str(problem)) from None


def _run_lines(job: Job, result: Result) -> list[str]:
    """Return a line on one run, and a line for each break."""
    places = {(each.place.path, each.place.line, each.gb_ids): each for each in result.breaks if each.primary}
    if result.status != "ok":
        return [f"{neutral(job.id)}: {result.status}: {neutral(result.reason)}"]
    where = f"{result.platform.device}, torch {result.platform.torch}"
    head = f"{neutral(job.id)}: {counted(len(places), 'graph break')}, {counted(len(result.graphs), 'graph')} ({where})"
    return [
        head,
        *(f"  {neutral(p)}:{line}: {', '.join(ids)} {neutral(each.title)}" for (p, line, ids), each in places.items()),
    ]


def with_confirmations(inputs: Inputs, path: Path) -> LintResult:
    """Check, and add the verdicts of the results file ``path`` and the breaks that were not predicted."""
    from gblint.confirm import planning, verdicts
    from gblint.confirm.plan_files import MachinePaths, PlanError, read_results
    from gblint.pipeline.lint import LintRequest

    request = LintRequest(inputs.paths, inputs.entries, inputs.overlays, inputs.named, call_trees=inputs.draws)
    with ProgressBar() as progress:
        prediction = planning.predict(request, inputs.config, progress)
    try:
        runs = read_results(path, MachinePaths.of_this_machine(Path(), prediction.project.environment))
    except PlanError as error:
        raise click.ClickException(str(error)) from None
    outcome = prediction.outcome
    findings = outcome.report.findings
    judged = verdicts.judge(
        findings, prediction.less_certain, prediction.suppressed, runs, prediction.watched, outcome.source
    )
    others = [each for each in findings if each.category not in (*verdicts.TESTED_CATEGORIES, Category.RECOMPILE)]
    both = [*judged.findings, *judged.hints, *judged.missed, *others]
    outcome.report.findings = sorted(
        both, key=lambda each: (each.span.path, each.span.line, each.span.column, each.code)
    )
    return outcome
