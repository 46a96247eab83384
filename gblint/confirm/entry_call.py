"""The run of an entry point: made, called eagerly, then compiled and called again."""

from __future__ import annotations

import contextlib
import importlib
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from gblint.confirm import devices, failures
from gblint.confirm.failures import RunFailure
from gblint.confirm.import_hooks import after_import
from gblint.confirm.jobs import CallTiming, Job, ModeRun
from gblint.confirm.result_recorder import ResultRecorder, recording
from gblint.confirm.targets import TestedCall, find_call_target, forced_eager, uncompiled

BACKEND = "eager"
COMPILED_CALLS = 2  # compiled calls: the second one shows what is compiled again


def run(job: Job, report: ResultRecorder) -> int:
    """Run the job's entry point in each of its modes; 0 if every pass went to its end."""
    sys.argv = sys.argv[:1]
    sys.path[:1] = [*job.paths, job.root]
    with contextlib.ExitStack() as stack:
        # What is compiled while the module is imported uses the same backend.
        after_import("torch", lambda: devices.replace_backend(job.backend or BACKEND), stack)
        home = importlib.import_module(job.target.name.partition(":")[0])
    device = devices.choose_device(job.device)
    report.device = devices.name_of(device)
    if job.trial is not None:
        from gblint.confirm import comparison_run

        with _captured(job):
            return comparison_run.run(job, report, home, device)
    sys.modules["torch"].manual_seed(0)
    found = find_call_target(job, report, home, device)
    for mode in _modes(job, found):
        if mode:
            found.module.train(mode == "train")
        if not _pass(job, report, found, mode):
            return 1
    return 0


def _pass(job: Job, report: ResultRecorder, found: TestedCall, mode: str) -> bool:
    """Call it eagerly, then compiled."""
    import torch

    report.seen.during = mode
    grad = contextlib.nullcontext() if mode != "eval" else torch.no_grad()
    name = mode or "call"
    eager: float | None = None
    with grad, _captured(job):
        try:
            with report.lines.watching(), forced_eager():
                eager = _timed(found.function, found)
        except RunFailure:
            raise
        except BaseException as error:
            return _failed(job, report, ModeRun(name), "eagerly", error)
        torch._dynamo.reset()
        try:
            compiled = torch.compile(uncompiled(found.function), backend=job.backend or BACKEND, dynamic=job.dynamic)
            with recording(report):
                times = [_timed(compiled, found) for _ in range(COMPILED_CALLS)]
        except BaseException as error:
            return _failed(job, report, ModeRun(name, eager), "compiled", error)
    report.passes.append(ModeRun(name, eager, times[0]))
    if job.measure:
        report.timings.append(_measured(job, found, name))
        report.touch()
    return True


def _measured(job: Job, found: TestedCall, name: str) -> CallTiming:
    """What compilation brings and costs; that it cannot be measured is no failure of the run."""
    import torch

    from gblint.confirm import call_timing
    from gblint.confirm.capture import capture

    backend = job.backend or call_timing.BACKEND
    grad = torch.no_grad() if name == "eval" else contextlib.nullcontext()
    torch._dynamo.reset()
    compiled = torch.compile(uncompiled(found.function), backend=backend, dynamic=job.dynamic)
    try:
        with grad, _captured(job), capture(()) as seen:
            timing = call_timing.time_calls(found.function, compiled, found.arguments, backward=name != "eval")
    except Exception as error:
        return CallTiming(name, backend, error=failures.status_and_reason(error, job.root)[1])
    return replace(timing, name=name, backend=backend, graphs=len(seen.graphs))


def _failed(job: Job, report: ResultRecorder, passed: ModeRun, how: str, error: BaseException) -> bool:
    failures.print_traceback(error)
    status, reason = failures.status_and_reason(error, job.root)
    report.passes.append(ModeRun(passed.name, passed.eager, None, reason))
    report.fail(status, f"{how}{f' ({passed.name})' if passed.name != 'call' else ''}, {reason}")
    return False


def _timed(function: Any, found: TestedCall) -> float:
    """The seconds of one call, waited for."""
    import torch

    args, kwargs = found.arguments()
    torch.manual_seed(0)
    start = time.perf_counter()
    function(*args, **kwargs)
    devices.synchronize()
    return round(time.perf_counter() - start, 6)


def _modes(job: Job, found: TestedCall) -> tuple[str, ...]:
    return job.modes if found.module is not None else ("",)


@contextlib.contextmanager
def _captured(job: Job) -> Iterator[None]:
    """With ``fullgraph``, Dynamo captures what breaks otherwise; it is not asked to stop at the first break."""
    import torch._dynamo

    flags: dict[str, Any] = {}
    if job.fullgraph:
        flags = {"capture_scalar_outputs": True, "capture_dynamic_output_shape_ops": True}
    with torch._dynamo.config.patch(flags) if flags else contextlib.nullcontext():
        yield
