"""Run of an entry point: the target is built, called eagerly, then compiled and called again."""

from __future__ import annotations

import contextlib
import importlib
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from gblint.confirm import devices, failures
from gblint.confirm.earlier_import import EarlierImport
from gblint.confirm.failures import RunFailure
from gblint.confirm.import_hooks import after_import
from gblint.confirm.jobs import CallTiming, Job, ModeRun
from gblint.confirm.result_recorder import ResultRecorder, recording
from gblint.confirm.targets import TestedCall, find_call_target, forced_eager, uncompiled

BACKEND = "eager"
COMPILED_CALLS = 2  # the second call shows recompilations


def run(job: Job, recorder: ResultRecorder, earlier: EarlierImport | None = None) -> int:
    """Run the job's entry point in each of its modes; return 0 if every mode ran to its end.

    ``earlier``: the state of a process that had imported torch before.
    """
    sys.argv = sys.argv[:1]
    sys.path[:1] = [*job.paths, job.root]
    with contextlib.ExitStack() as stack:
        # A torch.compile call at import uses the same backend.
        if "torch" in sys.modules:
            devices.replace_backend(job.backend or BACKEND)
        else:
            after_import("torch", lambda: devices.replace_backend(job.backend or BACKEND), stack)
        module_namespace = importlib.import_module(job.target.name.partition(":")[0])
    if earlier is not None:
        earlier.check(job.overlays)
    device = devices.choose_device(job.device)
    recorder.device = devices.name_of(device)
    if job.trial is not None:
        from gblint.confirm import comparison_run

        with _capture_config(job):
            return comparison_run.run(job, recorder, module_namespace, device)
    sys.modules["torch"].manual_seed(0)
    call = find_call_target(job, recorder, module_namespace, device)
    for mode in _modes(job, call):
        if mode:
            call.module.train(mode == "train")
        if not _run_mode(job, recorder, call, mode):
            return 1
    return 0


def _run_mode(job: Job, recorder: ResultRecorder, call: TestedCall, mode: str) -> bool:
    """Call the target in one mode, eagerly and then compiled; return whether both succeeded."""
    import torch

    recorder.captured.during = mode
    name = mode or "call"
    eager: float | None = None
    with _capture_config(job):
        try:
            with recorder.lines.recording(), forced_eager():
                eager, gradients = _eager_call(call, mode)
        except RunFailure:
            raise
        except BaseException as error:
            return _failed(job, recorder, ModeRun(name), "eagerly", error)
    with contextlib.nullcontext() if gradients else torch.no_grad(), _capture_config(job):
        torch._dynamo.reset()
        try:
            compiled = torch.compile(uncompiled(call.function), backend=job.backend or BACKEND, dynamic=job.dynamic)
            with recording(recorder):
                times = [_timed_call(compiled, call) for _ in range(COMPILED_CALLS)]
        except BaseException as error:
            return _failed(job, recorder, ModeRun(name, eager), "compiled", error)
    recorder.passes.append(ModeRun(name, eager, times[0]))
    if job.measure:
        recorder.timings.append(_timing(job, call, name, gradients))
        recorder.touch()
    return True


def _eager_call(call: TestedCall, mode: str) -> tuple[float, bool]:
    """Return the seconds of one call without compilation, and whether gradients were enabled.

    They are not in eval mode, unless the call runs with them only: it may compute a force as the gradient of an energy.
    """
    import torch

    if mode != "eval":
        return _timed_call(call.function, call), True
    try:
        with torch.no_grad():
            return _timed_call(call.function, call), False
    except RuntimeError as failure:
        try:
            return _timed_call(call.function, call), True
        except Exception:
            raise failure from None


def _timing(job: Job, call: TestedCall, name: str, gradients: bool) -> CallTiming:
    """Time the call with and without compilation; an error here does not fail the run."""
    import torch

    from gblint.confirm import call_timing
    from gblint.confirm.capture import capture

    backend = job.backend or call_timing.BACKEND
    grad = contextlib.nullcontext() if gradients else torch.no_grad()
    torch._dynamo.reset()
    compiled = torch.compile(uncompiled(call.function), backend=backend, dynamic=job.dynamic)
    try:
        with grad, _capture_config(job), capture(()) as seen:
            timing = call_timing.time_calls(call.function, compiled, call.arguments, backward=name != "eval")
    except Exception as error:
        return CallTiming(name, backend, error=failures.status_and_reason(error, job.root)[1])
    return replace(timing, name=name, backend=backend, graphs=len(seen.graphs))


def _failed(job: Job, recorder: ResultRecorder, mode_run: ModeRun, execution: str, error: BaseException) -> bool:
    """Record the error of a call."""
    failures.print_traceback(error)
    status, reason = failures.status_and_reason(error, job.root)
    recorder.passes.append(ModeRun(mode_run.name, mode_run.eager, None, reason))
    recorder.fail(status, f"{execution}{f' ({mode_run.name})' if mode_run.name != 'call' else ''}, {reason}")
    return False


def _timed_call(function: Any, call: TestedCall) -> float:
    """Return the seconds of one call, including the work of the accelerator."""
    import torch

    args, kwargs = call.arguments()
    torch.manual_seed(0)
    start = time.perf_counter()
    function(*args, **kwargs)
    devices.synchronize()
    return round(time.perf_counter() - start, 6)


def _modes(job: Job, call: TestedCall) -> tuple[str, ...]:
    """Return the modes to run: those of the job for a module, else one run without a mode."""
    return job.modes if call.module is not None else ("",)


@contextlib.contextmanager
def _capture_config(job: Job) -> Iterator[None]:
    """For a region with ``fullgraph`` set the capture options that it implies; Dynamo still does not stop at the first
    break.
    """
    import torch._dynamo

    flags: dict[str, Any] = {}
    if job.fullgraph:
        flags = {"capture_scalar_outputs": True, "capture_dynamic_output_shape_ops": True}
    with torch._dynamo.config.patch(flags) if flags else contextlib.nullcontext():
        yield
