"""The run of an entry point that is compared: before fixes it leaves what came out, after them it is held to that.

Each call is made eagerly and compiled, with the arguments as they are and with other values in them, in objects that
are made anew from the same seed.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gblint.confirm import failures
from gblint.confirm.failures import Failure
from gblint.confirm.jobs import Difference, Job, Pass, Timing, Trial
from gblint.confirm.outcomes import Outcome, differences, outcome, seed_all
from gblint.confirm.targets import Call, eagerly, find, original
from gblint.confirm.variants import Variant, applied, of_mode

if TYPE_CHECKING:
    from gblint.confirm.record import Report

BACKEND = "eager"
_Made = Callable[[], Call]


def run(job: Job, report: Report, home: ModuleType, device: str) -> int:
    """Run the job's entry point in each of its modes, and compare if the job's trial says so."""
    trial = job.trial
    assert trial is not None
    made = _maker(job, report, home, device)
    found = made()
    kept = {} if trial.first else _load(trial)
    outcomes: dict[str, list[Outcome]] = {}
    for mode in job.modes if found.module is not None else ("",):
        report.seen.during = mode
        variants = of_mode(mode)
        if not trial.first and device != "cpu":
            # An assertion that fails on an accelerator takes all later calls with it.
            raised = kept.get(f"{mode} eager", ())
            variants = tuple(v for v, one in zip(variants, raised) if not one.get("what is raised"))
        if not _one_mode(job, report, made, mode, variants, outcomes):
            return 1
        report.touch()
    if trial.first:
        _save(trial, outcomes)
        report.differences = [*_unsteady(outcomes)]
    else:
        report.differences = [*_compared(outcomes, kept, exact=trial.exact)]
    return 0


def _maker(job: Job, report: Report, home: ModuleType, device: str) -> _Made:
    """Makes the call anew each time, from the same seed; what the search finds is made again from its expressions."""
    seed_all(0)
    first = find(job, report, home, device)
    called = dict(report.called)
    if job.target.inputs is None and job.target.inputs_from is None:
        job = replace(job, target=replace(job.target, init=called["init"] or None, inputs=called["inputs"]))
    state = None
    if job.target.init is None and first.module is not None:
        # It may be one object, made with its module, each time.
        state = {name: each.detach().clone() for name, each in first.module.state_dict().items()}

    def made() -> Call:
        seed_all(0)
        try:
            found = find(job, report, home, device)
        except Failure as failure:
            raise Failure("no-inputs", f"what was found cannot be made again: {failure}") from None
        finally:
            report.called = called
        if state is not None and found.module is first.module:
            found.module.load_state_dict(state)
        return found

    return made


def _one_mode(
    job: Job, report: Report, made: _Made, mode: str, variants: tuple[Variant, ...], outcomes: dict[str, list[Outcome]]
) -> bool:
    """All calls of one mode; false if the first one fails eagerly, before any fix."""
    import torch

    from gblint.confirm.record import listening

    assert job.trial is not None
    grad = torch.no_grad() if mode == "eval" else contextlib.nullcontext()
    name = mode or "call"
    with grad, warnings.catch_warnings():
        for how in ("eager", "again") if job.trial.first else ("eager",):
            found = _in_mode(made(), mode)
            with report.lines.watching(), eagerly():
                outcomes[f"{mode} {how}"] = [_outcome(found.function, found, each, mode) for each in variants]
            told = outcomes[f"{mode} {how}"][0].get("what is raised")
            if job.trial.first and told:
                reason = _raised(found, variants[0])
                report.passes.append(Pass(name, error=reason))
                report.fail("error", f"eagerly{f' ({mode})' if mode else ''}, {reason}")
                return False
        torch._dynamo.reset()
        found = _in_mode(made(), mode)
        backend = job.backend or BACKEND
        with _same_numbers(backend):
            compiled = torch.compile(original(found.function), backend=backend, dynamic=job.dynamic)
            results = outcomes[f"{mode} compiled"] = []
            graphs = 0
            for number, each in enumerate(variants):
                # Without dropout it is other code that runs: its breaks are not the user's.
                with listening(report) if each.dropout else contextlib.nullcontext():
                    results.append(_outcome(compiled, found, each, mode))
                if number == 0:
                    graphs = sum(graph.during == mode for graph in report.seen.graphs)
        report.timings.append(Timing(name, backend, graphs=graphs))
    report.passes.append(Pass(name))
    return True


def _in_mode(found: Call, mode: str) -> Call:
    if mode:
        found.module.train(mode == "train")
    return found


def _outcome(function: Any, found: Call, variant: Variant, mode: str) -> Outcome:
    seed_all(variant.seed)
    args, kwargs = applied(variant, found.arguments())
    with contextlib.nullcontext() if variant.dropout else _without_dropout():
        return outcome(
            lambda: function(*args, **kwargs), (args, kwargs), found.module, backward=mode != "eval", seed=variant.seed
        )


def _raised(found: Call, variant: Variant) -> str:
    """What the call raises, in words."""
    seed_all(variant.seed)
    args, kwargs = applied(variant, found.arguments())
    try:
        with eagerly():
            found.function(*args, **kwargs)
    except Exception as error:
        failures.show(error)
        return failures.told(error, "")[1]
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


def _save(trial: Trial, outcomes: dict[str, list[Outcome]]) -> None:
    import torch

    torch.save(outcomes, Path(trial.folder) / trial.name)


def _load(trial: Trial) -> dict[str, list[Outcome]]:
    import torch

    return torch.load(Path(trial.folder) / trial.name, weights_only=True)  # type: ignore[no-any-return]


def _unsteady(outcomes: dict[str, list[Outcome]]) -> Iterator[Difference]:
    """What is not the same from one eager run to the next."""
    for key in outcomes:
        mode, _, how = key.partition(" ")
        if how == "again":
            for each, one, other in zip(of_mode(mode), outcomes[f"{mode} eager"], outcomes[key]):
                for said in differences(one, other, exact=False):
                    yield Difference(mode, each.name, "again", said)


def _compared(
    outcomes: dict[str, list[Outcome]], kept: dict[str, list[Outcome]], *, exact: bool
) -> Iterator[Difference]:
    """In what the calls differ from those before the fixes."""
    for key, found in outcomes.items():
        mode, _, how = key.partition(" ")
        variants = of_mode(mode)
        before, also = kept[f"{mode} eager"], kept[f"{mode} compiled"]
        if len(found) < len(before):
            left = [number for number, each in enumerate(before) if not each.get("what is raised")]
        else:
            left = list(range(len(before)))
        told: list[Difference] = []
        for number, new in zip(left, found):
            wanted = before[number]
            said = differences(wanted, new, exact=exact and how == "eager")
            if said and how == "compiled" and not differences(also[number], new, exact=False):
                said = []  # compiled code did so before, too
            told += [Difference(mode, variants[number].name, how, each) for each in said]
        if told and mode == "train" and not exact and _only_drawn_otherwise(told, variants):
            continue
        yield from told


def _only_drawn_otherwise(told: list[Difference], variants: tuple[Variant, ...]) -> bool:
    """Whether the results agree as soon as dropout draws no random numbers."""
    without = {each.name for each in variants if not each.dropout}
    return not any(each.variant in without for each in told)
