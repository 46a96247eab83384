"""Plan of a ``gblint confirm`` command: the predicted findings, and the jobs that test them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gblint.config.settings import Config
from gblint.confirm.inputs import static_hints
from gblint.confirm.jobs import Job, Limits, Result, Target
from gblint.confirm.run import runner, supervisors
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.filters.findings import is_beyond_reach
from gblint.pipeline.lint import LintRequest, LintResult, Progress, lint
from gblint.project.project import Project

ENTRY_SECONDS = 180.0
RUN_SECONDS = 600.0
_ENTRY_NAME = re.compile(r"[\w.]+:[^\W\d]\w*(?:\.[^\W\d]\w*)*")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options for the runs; ``seconds`` is None for the default time limit, ``memory`` None for a share of the free
    memory."""

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
    """Findings of a check, and the project that was checked.

    - ``watched``: the user's own files, and the folders of followed packages.
    - ``less_certain``: findings not shown because of their confidence.
    - ``suppressed``: findings that are ignored by the user's settings or comments.
    - ``refused``: names that cannot be run, with the reason.
    """

    outcome: LintResult
    project: Project
    watched: tuple[str, ...]
    less_certain: list[Finding]
    suppressed: list[Finding]
    refused: dict[str, str] = field(default_factory=dict)


def predict(request: LintRequest, config: Config, progress: Progress | None = None) -> Prediction:
    """Check the project as ``gblint check`` does."""
    outcome = lint(request, config, progress)
    return prediction_from(outcome, outcome.project, config)


def prediction_from(outcome: LintResult, project: Project, config: Config) -> Prediction:
    """Return the prediction from the result of a check."""
    followed = filter(None, (_package_path(project, name) for name in project.follow))
    user_files = {*map(str, project.files), *(finding.span.path for finding in outcome.unfiltered)}
    shown = set(outcome.report.findings)
    hidden = [finding for finding in outcome.unfiltered if finding not in shown]
    unwanted = [finding for finding in hidden if _is_unwanted(finding, config)]
    suppressed = [finding for finding in hidden if not _is_unwanted(finding, config)]
    watched = tuple(sorted({*map(os.path.abspath, user_files), *followed}))
    return Prediction(outcome, project, watched, unwanted, suppressed)


def _is_unwanted(finding: Finding, config: Config) -> bool:
    """Return whether a finding is less certain or harder to reach than wanted."""
    return finding.confidence.rank < config.min_confidence.rank or is_beyond_reach(finding, config)


def script_job(target: Target, prediction: Prediction, options: RunOptions) -> Job:
    """Return the job that runs a script, a module or pytest in the working directory."""
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
    """Return a job for each entry point; those without an importable name are added to ``prediction.refused``."""
    points: dict[str, EntryPoint] = {}
    for point in prediction.outcome.report.entries:
        points.setdefault(point.name, point)
    jobs = []
    for target in targets:
        if not _ENTRY_NAME.fullmatch(target.name):
            prediction.refused[target.name] = "the name cannot be imported: pass an importable name with --entry"
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
                hints=_hints(prediction, target),
            )
        )
    return jobs


def entry_targets(prediction: Prediction) -> list[Target]:
    """Return the entry points of the findings, each once, in the order of the report."""
    names = (name for finding in prediction.outcome.report.findings for name in finding.entries)
    return [Target("entry", name) for name in dict.fromkeys(names)]


def run_all(jobs: Sequence[Job], executor: Executor, progress: Progress | None = None) -> list[Result]:
    """Run the jobs and return their results; an interrupt ends all of them."""
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
        # A run that has just been started may not be registered with the runner yet.
        while not all(future.done() for future in futures):
            supervisors.cancel()
            time.sleep(0.05)
        raise


def write_stubs(results: Iterable[Result], folder: Path) -> dict[str, Path]:
    """Write the stub files of results by job; a file that exists is left alone."""
    written = {}
    for result in results:
        if result.call.stub:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / (re.sub(r"\W+", "_", result.job) + ".py")
            if not path.exists():
                path.write_text(result.call.stub.replace("THIS_MODULE", os.path.relpath(path)), encoding="utf-8")
            written[result.job] = path
    return written


def _hints(prediction: Prediction, target: Target) -> Mapping[str, Any] | None:
    """Return the static hints on how to build and call an entry point."""
    if target.inputs is not None or target.inputs_from is not None:
        return None
    findings = [each for each in prediction.outcome.report.findings if target.name in each.entries]
    conditions = tuple((each.text, each.holds) for finding in findings for each in finding.when)
    return replace(static_hints.gather(prediction.project, target.name), conditions=conditions).as_json()


def _python(project: Project, options: RunOptions) -> str:
    return options.python or project.environment.python or ""


def _package_path(project: Project, name: str) -> str | None:
    """Return the folder of a package, ending in a separator, or the file of a module."""
    module = project.find_module(name.partition(".")[0])
    if module is None:
        return None
    path = os.path.abspath(module.path)
    return os.path.dirname(path) + os.sep if os.path.basename(path) == "__init__.py" else path


def _import_roots(project: Project, name: str) -> Iterator[str]:
    """Yield the folder from which the module of an entry point is imported."""
    dotted = name.partition(":")[0]
    module = project.find_module(dotted)
    if module is None:
        return
    path = Path(os.path.abspath(module.path))
    path = path.parent if path.name == "__init__.py" else path.with_suffix("")
    parts = dotted.split(".")
    if tuple(path.parts[-len(parts) :]) == tuple(parts) and module.origin != "library":
        yield str(path.parents[len(parts) - 1])
