"""Run of an entry point before or after fixes: the first run stores snapshots of its calls, the second compares with
them.

Each call is made eagerly and compiled, with the given arguments and with other values in them, on objects that are
built anew from the same seed.
"""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gblint.confirm import failures
from gblint.confirm.failures import RunFailure
from gblint.confirm.guard_latency import guards_not_measured
from gblint.confirm.jobs import CallTiming, ComparisonStep, Difference, Job, ModeRun
from gblint.confirm.result_snapshot import (
    Snapshot,
    differences,
    seed_all,
    take_snapshot,
    without_messages,
    without_unsteady,
)
from gblint.confirm.targets import TestedCall, find_call_target, forced_eager, uncompiled
from gblint.confirm.variants import (
    OTHER_KINDS,
    WITHOUT_DROPOUT,
    Variant,
    apply_variant,
    other_kinds_for,
    parameters_as,
    variants_for,
)

if TYPE_CHECKING:
    from gblint.confirm.result_recorder import ResultRecorder

BACKEND = "eager"
OTHERS = "others"  # the key of snapshots of calls with other kinds of arguments, made eagerly
OTHERS_SECONDS = 4.0  # for the compiled calls of a module with other kinds of arguments
EAGER_SECONDS = 5.0  # for the eager calls of a mode; a slow target is called with fewer variants
_CallMaker = Callable[[], TestedCall]
# Snapshots by mode and execution ("eval eager", "eval compiled"), then by variant.
_Snapshots = dict[str, dict[str, Snapshot]]


def run(job: Job, recorder: ResultRecorder, module_namespace: ModuleType, device: str) -> int:
    """Run the job's entry point in each of its modes; after the first run compare with its snapshots."""
    trial = job.trial
    assert trial is not None
    make_call = _call_maker(job, recorder, module_namespace, device)
    stored = {} if trial.first else _load(trial)
    snapshots: _Snapshots = {}
    for mode in job.modes if make_call().module is not None else ("",):
        recorder.captured.during = mode
        comparison = _ModeComparison(job, recorder, make_call, mode, device)
        if trial.first:
            reason = comparison.store_first(snapshots)
            tried = [name for how in ("eager", OTHERS) for name in snapshots.get(f"{mode} {how}", ())]
            recorder.passes.append(ModeRun(mode or "call", error=reason, inputs=tuple(tried)))
        elif f"{mode} eager" in stored:
            recorder.differences += comparison.compare(stored)
            recorder.passes.append(ModeRun(mode or "call"))
        recorder.touch()
    if not any(not each.error for each in recorder.passes):
        # The run fails only if no mode runs.
        raise RunFailure("error", "; ".join(each.error for each in recorder.passes))
    if trial.first:
        _save(trial, snapshots)
    return 0


def _call_maker(job: Job, recorder: ResultRecorder, module_namespace: ModuleType, device: str) -> _CallMaker:
    """Return a function that builds the call anew from the same seed; inputs found by the search are rebuilt from their
    expressions.
    """
    seed_all(0)
    first = find_call_target(job, recorder, module_namespace, device)
    call = recorder.call
    if job.target.inputs is None and job.target.inputs_from is None:
        job = replace(job, target=replace(job.target, init=call.init or None, inputs=call.inputs))
    state = None
    if job.target.init is None and first.module is not None:
        # The target may be one object, created when its module is imported: restore its state before each use.
        state = {name: each.detach().clone() for name, each in first.module.state_dict().items()}

    def make_call() -> TestedCall:
        seed_all(0)
        try:
            rebuilt = find_call_target(job, recorder, module_namespace, device)
        except RunFailure as failure:
            raise RunFailure("no-inputs", f"the call that gblint found cannot be built again: {failure}") from None
        finally:
            recorder.call = call
        if state is not None and rebuilt.module is first.module:
            rebuilt.module.load_state_dict(state)
        return rebuilt

    return make_call


class _ModeComparison:
    """The calls of one mode."""

    def __init__(self, job: Job, recorder: ResultRecorder, make_call: _CallMaker, mode: str, device: str) -> None:
        self._job, self._recorder, self._make_call, self._mode, self._device = job, recorder, make_call, mode, device
        # Whether gradients are enabled; None until the first call in eval mode.
        self._gradients: bool | None = None if mode == "eval" else True

    def store_first(self, snapshots: _Snapshots) -> str:
        """Make all calls before any fix; return why they cannot be compared with later ones, or ""."""
        mode, variants = self._mode, variants_for(self._mode)
        start = time.perf_counter()
        eager = self._eager(variants[:1])
        seconds = time.perf_counter() - start
        if eager[variants[0].name].get("exception"):
            call = _in_mode(self._make_call(), mode)
            return f"eagerly{f' ({mode})' if mode else ''}, {_error_of_call(call, variants[0], self._job.root)}"
        variants = variants[: max(int(EAGER_SECONDS / max(seconds, 1e-3)), 1)]
        repeated = self._eager(variants)
        if mode == "train":
            repeated |= self._eager([WITHOUT_DROPOUT])
        first, again = (each[variants[0].name] for each in (eager, repeated))
        eager, steady = (
            {name: without_unsteady(each, first, again) for name, each in called.items()}
            for called in (eager, repeated)
        )
        unstable = self._differences("eager", eager, {name: steady[name] for name in eager}, exact=False)
        if unstable:
            return f"its results differ between two runs: {unstable[0]}"
        snapshots[f"{mode} eager"] = steady
        snapshots[f"{mode} compiled"] = self._compiled(variants)
        if mode != "train" and seconds * len(OTHER_KINDS) < EAGER_SECONDS:
            self._store_others(snapshots)
        return ""

    def _store_others(self, snapshots: _Snapshots) -> None:
        """Make the calls with other kinds of arguments that the target accepts; as many as there is time for."""
        kinds = other_kinds_for(self._mode)
        eager = {each.name: self._eager([each])[each.name] for each in kinds}
        accepted = [each for each in kinds if not eager[each.name].get("exception")]
        again = {each.name: self._eager([each])[each.name] for each in accepted}
        eager |= {name: without_unsteady(eager[name], eager[name], other) for name, other in again.items()}
        stable = [each for each in accepted if not differences(eager[each.name], again[each.name], exact=False)]
        end = time.perf_counter() + (OTHERS_SECONDS if self._mode else math.inf)
        compiled: dict[str, Snapshot] = {}
        for each in stable:
            if time.perf_counter() < end:
                compiled |= self._compiled_alone([each])
        snapshots[f"{self._mode} {OTHERS}"] = {name: eager[name] for name in compiled}
        snapshots[f"{self._mode} {OTHERS} compiled"] = compiled

    def _compiled_alone(self, variants: Sequence[Variant]) -> dict[str, Snapshot]:
        """Return the snapshots of calls that are each compiled for themselves."""
        return {each.name: self._compiled([each], record=False)[each.name] for each in variants}

    def compare(self, stored: _Snapshots) -> list[Difference]:
        """Repeat the calls made before the fixes, and return the differences."""
        mode = self._mode
        assert self._job.trial is not None
        exact = self._job.trial.exact
        before, compiled = stored[f"{mode} eager"], stored[f"{mode} compiled"]
        variants = [each for each in variants_for(mode) if each.name in compiled]
        if self._device != "cpu":
            # After a failed assertion on an accelerator every later call fails.
            variants = [each for each in variants if not before[each.name].get("exception")]
        self._eager(variants[:1])  # as before the fixes: some messages are issued once for a process
        eager = self._eager(variants)
        found_differences = self._differences("eager", before, eager, exact=exact)
        after = self._heard(self._compiled(variants))
        found_differences += self._differences("compiled", _expected(before, compiled, after), after, exact=False)
        found_differences += self._differences_of_others(stored, exact=exact)
        if found_differences and not exact and mode == "train":
            without = self._differences("eager", before, self._eager([WITHOUT_DROPOUT]), exact=False)
            again = self._heard(self._compiled([WITHOUT_DROPOUT], record=False))
            without += self._differences("compiled", before, again, exact=False)
            return found_differences if without else []
        return found_differences

    def _differences_of_others(self, stored: _Snapshots, *, exact: bool) -> list[Difference]:
        """Repeat the calls with other kinds of arguments, and return the differences."""
        before, compiled = (stored.get(f"{self._mode} {OTHERS}{how}", {}) for how in ("", " compiled"))
        variants = [each for each in OTHER_KINDS if each.name in compiled]
        eager = {each.name: self._eager([each])[each.name] for each in variants}
        found = self._differences("eager", before, eager, exact=exact)
        after = self._heard(self._compiled_alone(variants))
        return found + self._differences("compiled", _expected(before, compiled, after), after, exact=False)

    def _heard(self, compiled: dict[str, Snapshot]) -> dict[str, Snapshot]:
        """Return snapshots of compiled calls without the messages, if these are not compared."""
        assert self._job.trial is not None
        return {name: without_messages(each) for name, each in compiled.items()} if self._job.trial.quiet else compiled

    def _differences(
        self, how: str, expected: Mapping[str, Snapshot], call: Mapping[str, Snapshot], *, exact: bool
    ) -> list[Difference]:
        """Return the differences of the snapshots by variant."""
        return [
            Difference(self._mode, name, how, difference)
            for name, snapshot in call.items()
            for difference in differences(expected[name], snapshot, exact=exact)
        ]

    def _eager(self, variants: Sequence[Variant]) -> dict[str, Snapshot]:
        """Return the snapshots of eager calls, by variant; the first one decides whether eval mode needs gradients."""
        found = self._eager_snapshots(variants)
        if self._gradients is None:
            first = variants[0].name
            self._gradients = bool(found[first].get("exception"))
            again = self._eager_snapshots(variants) if self._gradients else found
            self._gradients = self._gradients and not again[first].get("exception")
            found = again if self._gradients else found
        return found

    def _eager_snapshots(self, variants: Sequence[Variant]) -> dict[str, Snapshot]:
        with self._set_up():
            call = _in_mode(self._make_call(), self._mode)
            with self._recorder.lines.recording(), forced_eager():
                return {each.name: _snapshot(call.function, call, each, self._mode) for each in variants}

    def _compiled(self, variants: Sequence[Variant], *, record: bool = True) -> dict[str, Snapshot]:
        """Return the snapshots of compiled calls, by variant; with ``record`` Dynamo's work is recorded."""
        import torch

        from gblint.confirm.result_recorder import recording

        recorder, mode = self._recorder, self._mode
        backend = self._job.backend or BACKEND
        snapshots: dict[str, Snapshot] = {}
        with self._set_up(), _same_random_numbers(backend), guards_not_measured():
            torch._dynamo.reset()
            call = _in_mode(self._make_call(), mode)
            compiled = torch.compile(uncompiled(call.function), backend=backend, dynamic=self._job.dynamic)
            with recording(recorder) if record else contextlib.nullcontext():
                for each in variants:
                    snapshots[each.name] = _snapshot(compiled, call, each, mode)
                    if len(snapshots) == 1 and record:
                        graphs = sum(graph.during == mode for graph in recorder.captured.graphs)
                        recorder.timings.append(CallTiming(mode or "call", backend, graphs=graphs))
        return snapshots

    @contextlib.contextmanager
    def _set_up(self) -> Iterator[None]:
        """Disable gradients in eval mode that does not need them, and restore the warning filters afterwards."""
        import torch

        with contextlib.nullcontext() if self._gradients else torch.no_grad(), warnings.catch_warnings():
            yield


def _expected(
    before: Mapping[str, Snapshot], compiled: Mapping[str, Snapshot], after: Mapping[str, Snapshot]
) -> dict[str, Snapshot]:
    """Return what compiled calls should give with the fixes.

    If compiled code differed from eager code before the fixes, it may still differ in the same way.
    """
    return {
        name: compiled[name] if not differences(compiled[name], snapshot, exact=False) else before[name]
        for name, snapshot in after.items()
    }


def _in_mode(call: TestedCall, mode: str) -> TestedCall:
    """Set the mode of the call's module."""
    if mode:
        call.module.train(mode == "train")
    return call


def _snapshot(function: Any, call: TestedCall, variant: Variant, mode: str) -> Snapshot:
    """Call the function with a variant of its arguments, and return the snapshot."""
    seed_all(variant.seed)
    args, kwargs = apply_variant(variant, call.arguments())
    dropout = contextlib.nullcontext() if variant.dropout else _without_dropout()
    with dropout, parameters_as(call.module, variant.dtype):
        return take_snapshot(
            lambda: function(*args, **kwargs), (args, kwargs), call.owner, backward=mode != "eval", seed=variant.seed
        )


def _error_of_call(call: TestedCall, variant: Variant, root: str) -> str:
    """Return a sentence about the error that the call raises."""
    seed_all(variant.seed)
    args, kwargs = apply_variant(variant, call.arguments())
    try:
        with forced_eager():
            call.function(*args, **kwargs)
    except Exception as error:
        failures.print_traceback(error)
        return failures.status_and_reason(error, root)[1]
    return "the backward pass from its result fails"


@contextlib.contextmanager
def _without_dropout() -> Iterator[None]:
    """Make dropout the identity, so that it draws no random numbers and other random numbers stay the same."""
    import torch

    functional: Any = torch.nn.functional
    names = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
    originals = {name: getattr(functional, name) for name in names}

    def identity(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        return input

    for name in names:
        setattr(functional, name, identity)
    try:
        yield
    finally:
        for name, function in originals.items():
            setattr(functional, name, function)


@contextlib.contextmanager
def _same_random_numbers(backend: str) -> Iterator[None]:
    """Make code compiled by inductor draw the same random numbers as eager code."""
    if backend != "inductor":
        yield
        return
    from torch._inductor import config

    with config.patch(fallback_random=True):
        yield


def _save(trial: ComparisonStep, snapshots: _Snapshots) -> None:
    import torch

    torch.save(snapshots, Path(trial.folder) / trial.name)


def _load(trial: ComparisonStep) -> _Snapshots:
    import torch

    return torch.load(Path(trial.folder) / trial.name, weights_only=True)  # type: ignore[no-any-return]
