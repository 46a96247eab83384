"""The run of an entry point that is compared: before fixes it leaves what came out, after them it is held to that.

Each call is made eagerly and compiled, with the arguments as they are and with other values in them, in objects that
are made anew from the same seed.
"""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gblint.confirm import failures
from gblint.confirm.failures import RunFailure
from gblint.confirm.jobs import CallTiming, ComparisonStep, Difference, Job, ModeRun
from gblint.confirm.result_snapshot import Snapshot, differences, seed_all, take_snapshot
from gblint.confirm.targets import TestedCall, find_call_target, forced_eager, uncompiled
from gblint.confirm.variants import WITHOUT_DROPOUT, Variant, apply_variant, variants_for

if TYPE_CHECKING:
    from gblint.confirm.result_recorder import ResultRecorder

BACKEND = "eager"
EAGER_SECONDS = 5.0  # for the eager calls of a mode: with a slow one, fewer variants are made
_Made = Callable[[], TestedCall]
# What came out, by mode and how it ran ("eager", "compiled"), and by variant.
_Outcomes = dict[str, dict[str, Snapshot]]


def run(job: Job, report: ResultRecorder, home: ModuleType, device: str) -> int:
    """Run the job's entry point in each of its modes, and compare if the job's trial says so."""
    trial = job.trial
    assert trial is not None
    made = _maker(job, report, home, device)
    kept = {} if trial.first else _load(trial)
    outcomes: _Outcomes = {}
    for mode in job.modes if made().module is not None else ("",):
        report.seen.during = mode
        one = _Mode(job, report, made, mode, device)
        if trial.first:
            reason = one.first(outcomes)
            report.passes.append(ModeRun(mode or "call", error=reason))
        elif f"{mode} eager" in kept:
            report.differences += one.compare(kept)
            report.passes.append(ModeRun(mode or "call"))
        report.touch()
    if not any(not each.error for each in report.passes):
        # One mode that runs is enough.
        raise RunFailure("error", "; ".join(each.error for each in report.passes))
    if trial.first:
        _save(trial, outcomes)
    return 0


def _maker(job: Job, report: ResultRecorder, home: ModuleType, device: str) -> _Made:
    """Makes the call anew each time, from the same seed; what the search finds is made again from its expressions."""
    seed_all(0)
    first = find_call_target(job, report, home, device)
    called = dict(report.called)
    if job.target.inputs is None and job.target.inputs_from is None:
        job = replace(job, target=replace(job.target, init=called["init"] or None, inputs=called["inputs"]))
    state = None
    if job.target.init is None and first.module is not None:
        # It may be one object, made with its module, each time.
        state = {name: each.detach().clone() for name, each in first.module.state_dict().items()}

    def made() -> TestedCall:
        seed_all(0)
        try:
            found = find_call_target(job, report, home, device)
        except RunFailure as failure:
            raise RunFailure("no-inputs", f"what was found cannot be made again: {failure}") from None
        finally:
            report.called = called
        if state is not None and found.module is first.module:
            found.module.load_state_dict(state)
        return found

    return made


class _Mode:
    """The calls of one mode."""

    def __init__(self, job: Job, report: ResultRecorder, made: _Made, mode: str, device: str) -> None:
        self._job, self._report, self._made, self._mode, self._device = job, report, made, mode, device

    def first(self, outcomes: _Outcomes) -> str:
        """Make all calls, before any fix; if nothing can be compared with them, why."""
        mode, variants = self._mode, variants_for(self._mode)
        start = time.perf_counter()
        eager = self._eager(variants[:1])
        seconds = time.perf_counter() - start
        if eager[variants[0].name].get("what is raised"):
            found = _in_mode(self._made(), mode)
            return f"eagerly{f' ({mode})' if mode else ''}, {_raised(found, variants[0], self._job.root)}"
        variants = variants[: max(int(EAGER_SECONDS / max(seconds, 1e-3)), 1)]
        more = (WITHOUT_DROPOUT,) if mode == "train" else ()
        again = self._eager((*variants, *more))
        unsteady = self._told("eager", eager, {name: again[name] for name in eager}, exact=False)
        if unsteady:
            return f"its results are not the same from one run to the next: {unsteady[0]}"
        outcomes[f"{mode} eager"] = again
        outcomes[f"{mode} compiled"] = self._compiled(variants)
        return ""

    def compare(self, kept: _Outcomes) -> list[Difference]:
        """Make the calls that were made before the fixes; in what they differ."""
        mode = self._mode
        assert self._job.trial is not None
        exact = self._job.trial.exact
        before, compiled = kept[f"{mode} eager"], kept[f"{mode} compiled"]
        variants = [each for each in variants_for(mode) if each.name in compiled]
        if self._device != "cpu":
            # An assertion that fails on an accelerator takes all later calls with it.
            variants = [each for each in variants if not before[each.name].get("what is raised")]
        eager = self._eager(variants)
        told = self._told("eager", before, eager, exact=exact)
        after = self._compiled(variants)
        # Where compiled code came to something else than eager code before, it may do so still.
        wanted = {
            name: compiled[name] if not differences(compiled[name], outcome, exact=False) else before[name]
            for name, outcome in after.items()
        }
        told += self._told("compiled", wanted, after, exact=False)
        if told and not exact and mode == "train":
            without = self._told("eager", before, self._eager([WITHOUT_DROPOUT]), exact=False)
            without += self._told("compiled", before, self._compiled([WITHOUT_DROPOUT], listen=False), exact=False)
            return told if without else []
        return told

    def _told(
        self, how: str, wanted: Mapping[str, Snapshot], found: Mapping[str, Snapshot], *, exact: bool
    ) -> list[Difference]:
        return [
            Difference(self._mode, name, how, said)
            for name, outcome in found.items()
            for said in differences(wanted[name], outcome, exact=exact)
        ]

    def _eager(self, variants: Sequence[Variant]) -> dict[str, Snapshot]:
        with self._set_up():
            found = _in_mode(self._made(), self._mode)
            with self._report.lines.watching(), forced_eager():
                return {each.name: _outcome(found.function, found, each, self._mode) for each in variants}

    def _compiled(self, variants: Sequence[Variant], *, listen: bool = True) -> dict[str, Snapshot]:
        import torch

        from gblint.confirm.result_recorder import recording

        report, mode = self._report, self._mode
        backend = self._job.backend or BACKEND
        outcomes: dict[str, Snapshot] = {}
        with self._set_up(), _same_numbers(backend):
            torch._dynamo.reset()
            found = _in_mode(self._made(), mode)
            compiled = torch.compile(uncompiled(found.function), backend=backend, dynamic=self._job.dynamic)
            with recording(report) if listen else contextlib.nullcontext():
                for each in variants:
                    outcomes[each.name] = _outcome(compiled, found, each, mode)
                    if len(outcomes) == 1 and listen:
                        graphs = sum(graph.during == mode for graph in report.seen.graphs)
                        report.timings.append(CallTiming(mode or "call", backend, graphs=graphs))
        return outcomes

    @contextlib.contextmanager
    def _set_up(self) -> Iterator[None]:
        import torch

        with torch.no_grad() if self._mode == "eval" else contextlib.nullcontext(), warnings.catch_warnings():
            yield


def _in_mode(found: TestedCall, mode: str) -> TestedCall:
    if mode:
        found.module.train(mode == "train")
    return found


def _outcome(function: Any, found: TestedCall, variant: Variant, mode: str) -> Snapshot:
    seed_all(variant.seed)
    args, kwargs = apply_variant(variant, found.arguments())
    with contextlib.nullcontext() if variant.dropout else _without_dropout():
        return take_snapshot(
            lambda: function(*args, **kwargs), (args, kwargs), found.module, backward=mode != "eval", seed=variant.seed
        )


def _raised(found: TestedCall, variant: Variant, root: str) -> str:
    """What the call raises, in words."""
    seed_all(variant.seed)
    args, kwargs = apply_variant(variant, found.arguments())
    try:
        with forced_eager():
            found.function(*args, **kwargs)
    except Exception as error:
        failures.print_traceback(error)
        return failures.status_and_reason(error, root)[1]
    return "going back from its result fails"


@contextlib.contextmanager
def _without_dropout() -> Iterator[None]:
    """Dropout draws no numbers, so that what else draws some gets the same ones in code that drops out less or more."""
    import torch

    functional: Any = torch.nn.functional
    names = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
    before = {name: getattr(functional, name) for name in names}

    def kept(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        return input

    for name in names:
        setattr(functional, name, kept)
    try:
        yield
    finally:
        for name, function in before.items():
            setattr(functional, name, function)


@contextlib.contextmanager
def _same_numbers(backend: str) -> Iterator[None]:
    """Compiled code draws the random numbers that eager code does."""
    if backend != "inductor":
        yield
        return
    from torch._inductor import config

    with config.patch(fallback_random=True):
        yield


def _save(trial: ComparisonStep, outcomes: _Outcomes) -> None:
    import torch

    torch.save(outcomes, Path(trial.folder) / trial.name)


def _load(trial: ComparisonStep) -> _Outcomes:
    import torch

    return torch.load(Path(trial.folder) / trial.name, weights_only=True)  # type: ignore[no-any-return]
