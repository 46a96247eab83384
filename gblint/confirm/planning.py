"""The forms of ``gblint confirm``: what is predicted, and the jobs that put it to the test."""

from __future__ import annotations

import importlib
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gblint.config.settings import Config
from gblint.confirm.jobs import Job, Limits, Result, Target
from gblint.confirm.run import runner
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.pipeline.lint import LintRequest, LintResult, Progress, lint
from gblint.project.project import Project

ENTRY_SECONDS = 180.0
RUN_SECONDS = 600.0
_NAME = re.compile(r"[\w.]+:[^\W\d]\w*(?:\.[^\W\d]\w*)*")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the user says about the runs; ``seconds`` is None for the usual time, ``memory`` None for what is free."""

    device: str = "auto"
    backend: str | None = None
    dynamic: bool | None = None
    modes: tuple[str, ...] = ("eval", "train")
    seconds: float | None = None
    memory: int | None = None
    python: str = ""
    measure: bool = False


@dataclass(slots=True)
class Prediction:
    """What a check finds, and the project that it looked at.

    ``watched`` are the files that are the user's own, and the folders of the packages that are followed.
    ``less_certain`` are findings that are not shown for want of confidence, ``silenced`` those that nobody wants to
    see.  ``refused`` has what cannot be run, by name, and why.
    """

    outcome: LintResult
    project: Project
    watched: tuple[str, ...]
    less_certain: list[Finding]
    silenced: list[Finding]
    refused: dict[str, str] = field(default_factory=dict)


def predict(request: LintRequest, config: Config, progress: Progress | None = None) -> Prediction:
    """Check the project, as ``gblint check`` does."""
    outcome = lint(request, config, progress)
    return prediction_from(outcome, outcome.project, config)


def prediction_from(outcome: LintResult, project: Project, config: Config) -> Prediction:
    """The prediction that a check of the project makes."""
    followed = filter(None, (_home(project, name) for name in project.follow))
    own = {*map(str, project.files), *(finding.span.path for finding in outcome.unfiltered)}
    shown = set(outcome.report.findings)
    hidden = [finding for finding in outcome.unfiltered if finding not in shown]
    unsure = [finding for finding in hidden if finding.confidence.rank < config.min_confidence.rank]
    silenced = [finding for finding in hidden if finding.confidence.rank >= config.min_confidence.rank]
    watched = tuple(sorted({*map(os.path.abspath, own), *followed}))
    return Prediction(outcome, project, watched, unsure, silenced)


def script_job(target: Target, prediction: Prediction, options: RunOptions) -> Job:
    """The job that runs a script, a module or pytest as it is, in the working directory."""
    watched = set(prediction.watched)
    if target.kind == "script":
        watched.add(os.path.abspath(target.name))
    return Job(
        id=target.name or target.kind,
        target=target,
        root=os.getcwd(),
        watch=tuple(sorted(watched)),
        limits=Limits(options.seconds or RUN_SECONDS, options.memory),
        device=options.device,
        backend=options.backend,
        python=_python(prediction.project, options),
    )


def entry_jobs(targets: Iterable[Target], prediction: Prediction, options: RunOptions) -> list[Job]:
    """A job for each entry point; those that have no importable name are refused."""
    points: dict[str, EntryPoint] = {}
    for point in prediction.outcome.report.entries:
        points.setdefault(point.name, point)
    jobs = []
    for target in targets:
        if not _NAME.fullmatch(target.name):
            prediction.refused[target.name] = (
                "it is not the name of something that can be imported: name it with --entry"
            )
            continue
        found = points.get(target.name)
        region = found.region if found is not None else None
        jobs.append(
            Job(
                id=target.name,
                target=target,
                root=os.getcwd(),
                paths=tuple(_import_roots(prediction.project, target.name)),
                watch=prediction.watched,
                limits=Limits(options.seconds or ENTRY_SECONDS, options.memory),
                device=options.device,
                backend=options.backend,
                dynamic=options.dynamic if options.dynamic is not None else region.dynamic if region else None,
                fullgraph=region is not None and region.fullgraph,
                modes=options.modes,
                measure=options.measure,
                python=_python(prediction.project, options),
                hints=_hints(prediction.project, target),
            )
        )
    return jobs


def entry_targets(prediction: Prediction) -> list[Target]:
    """The entry points that the findings hang on, each once, in the order of the report."""
    names = (name for finding in prediction.outcome.report.findings for name in finding.entries)
    return [Target("entry", name) for name in dict.fromkeys(names)]


def run_all(jobs: Sequence[Job], executor: Executor, progress: Progress | None = None) -> list[Result]:
    """Run the jobs, several at a time; when this is interrupted, all of them are ended."""
    futures: list[Future[dict[str, Any]]] = [executor.submit(runner.run_job, job.as_json()) for job in jobs]
    try:
        while True:
            done, waiting = wait(futures, timeout=0.2)
            if progress is not None and waiting:
                label = next(job.id for job, future in zip(jobs, futures) if future in waiting)
                progress(len(done), len(jobs), label)
            if not waiting:
                return [Result.from_json(future.result()) for future in futures]
    except BaseException:
        for future in futures:
            future.cancel()
        # One that had only just been started is not known to the runner at once.
        while not all(future.done() for future in futures):
            runner.cancel()
            time.sleep(0.05)
        raise


def write_stubs(results: Iterable[Result], folder: Path) -> dict[str, Path]:
    """Write the files to fill in, by job; one that is there already is left alone."""
    written = {}
    for result in results:
        if result.stub:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / (re.sub(r"\W+", "_", result.job) + ".py")
            if not path.exists():
                path.write_text(result.stub.replace("THIS_MODULE", os.path.relpath(path)), encoding="utf-8")
            written[result.job] = path
    return written


def _hints(project: Project, target: Target) -> Mapping[str, Any] | None:
    """What the sources say about how an entry point is built and called."""
    if target.inputs is not None or target.inputs_from is not None:
        return None
    try:
        hints = importlib.import_module("gblint.confirm.inputs.static_hints")
    except ImportError:
        return None
    found: Mapping[str, Any] = hints.gather(project, target.name).as_json()
    return found


def _python(project: Project, options: RunOptions) -> str:
    return options.python or project.environment.python or ""


def _home(project: Project, name: str) -> str | None:
    """The folder of a package, ending in a separator, or the file of a module."""
    module = project.find_module(name.partition(".")[0])
    if module is None:
        return None
    path = os.path.abspath(module.path)
    return os.path.dirname(path) + os.sep if os.path.basename(path) == "__init__.py" else path


def _import_roots(project: Project, name: str) -> Iterator[str]:
    """The folder that the module of an entry point is imported from."""
    dotted = name.partition(":")[0]
    module = project.find_module(dotted)
    if module is None:
        return
    path = Path(os.path.abspath(module.path))
    path = path.parent if path.name == "__init__.py" else path.with_suffix("")
    parts = dotted.split(".")
    if tuple(path.parts[-len(parts) :]) == tuple(parts) and module.origin != "library":
        yield str(path.parents[len(parts) - 1])
