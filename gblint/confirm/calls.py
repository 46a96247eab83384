"""The run of an entry point: made, called eagerly, then compiled and called again."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gblint.confirm import devices, failures
from gblint.confirm.failures import Failure
from gblint.confirm.imports import after_import
from gblint.confirm.jobs import Job, Pass, Timing

if TYPE_CHECKING:
    from gblint.confirm.worker import Report

BACKEND = "eager"
CALLS = 2  # compiled calls: the second one shows what is compiled again
SEARCH = 0.5  # of the time may go into finding inputs


@dataclass
class _Call:
    """What is called, and with what: ``arguments`` makes them anew for each pass."""

    function: Any
    arguments: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]
    module: Any


def run(job: Job, report: Report) -> int:
    """Run the job's entry point in each of its modes; 0 if every pass went to its end."""
    sys.argv = sys.argv[:1]
    sys.path[:1] = [*job.paths, job.root]
    with contextlib.ExitStack() as stack:
        # What is compiled while the module is imported uses the same backend.
        after_import("torch", lambda: devices.replace_backend(job.backend or BACKEND), stack)
        home = importlib.import_module(job.target.name.partition(":")[0])
    device = devices.choose(job.device)
    report.device = devices.name_of(device)
    sys.modules["torch"].manual_seed(0)
    found = _find(job, report, home, device)
    for mode in _modes(job, found):
        if mode:
            found.module.train(mode == "train")
        if not _pass(job, report, found, mode):
            return 1
    return 0


def _pass(job: Job, report: Report, found: _Call, mode: str) -> bool:
    """Call it eagerly, then compiled."""
    import torch

    from gblint.confirm.worker import listening

    report.seen.during = mode
    grad = contextlib.nullcontext() if mode != "eval" else torch.no_grad()
    name = mode or "call"
    eager: float | None = None
    with grad, _captured(job):
        try:
            with report.lines.watching(), _eagerly():
                eager = _timed(found.function, found)
        except Failure:
            raise
        except BaseException as error:
            return _failed(job, report, Pass(name), "eagerly", error)
        torch._dynamo.reset()
        try:
            compiled = torch.compile(_original(found.function), backend=job.backend or BACKEND, dynamic=job.dynamic)
            with listening(report):
                times = [_timed(compiled, found) for _ in range(CALLS)]
        except BaseException as error:
            return _failed(job, report, Pass(name, eager), "compiled", error)
    report.passes.append(Pass(name, eager, times[0]))
    if job.measure:
        report.timings.append(_measured(job, found, name))
        report.touch()
    return True


def _measured(job: Job, found: _Call, name: str) -> Timing:
    """What compilation brings and costs; that it cannot be measured is no failure of the run."""
    import torch

    from gblint.confirm import measure
    from gblint.confirm.capture import capture

    backend = job.backend or measure.BACKEND
    grad = torch.no_grad() if name == "eval" else contextlib.nullcontext()
    torch._dynamo.reset()
    compiled = torch.compile(_original(found.function), backend=backend, dynamic=job.dynamic)
    try:
        with grad, _captured(job), capture(()) as seen:
            timing = measure.measure(found.function, compiled, found.arguments, backward=name != "eval")
    except Exception as error:
        return Timing(name, backend, error=failures.told(error, job.root)[1])
    return replace(timing, name=name, backend=backend, graphs=len(seen.graphs))


def _failed(job: Job, report: Report, passed: Pass, how: str, error: BaseException) -> bool:
    failures.show(error)
    status, reason = failures.told(error, job.root)
    report.passes.append(Pass(passed.name, passed.eager, None, reason))
    report.fail(status, f"{how}{f' ({passed.name})' if passed.name != 'call' else ''}, {reason}")
    return False


def _timed(function: Any, found: _Call) -> float:
    """The seconds of one call, waited for."""
    import torch

    args, kwargs = found.arguments()
    torch.manual_seed(0)
    start = time.perf_counter()
    function(*args, **kwargs)
    devices.synchronise()
    return round(time.perf_counter() - start, 6)


def _modes(job: Job, found: _Call) -> tuple[str, ...]:
    return job.modes if found.module is not None else ("",)


@contextlib.contextmanager
def _eagerly() -> Iterator[None]:
    """What the code compiles itself is not compiled either."""
    import torch

    stance = getattr(torch.compiler, "set_stance", None)
    with contextlib.nullcontext() if stance is None else stance("force_eager"):
        yield


@contextlib.contextmanager
def _captured(job: Job) -> Iterator[None]:
    """With ``fullgraph``, Dynamo captures what breaks otherwise; it is not asked to stop at the first break."""
    import torch._dynamo

    flags: dict[str, Any] = {}
    if job.fullgraph:
        flags = {"capture_scalar_outputs": True, "capture_dynamic_output_shape_ops": True}
    with torch._dynamo.config.patch(flags) if flags else contextlib.nullcontext():
        yield


# -- what is called, and with what -----------------------------------------------------------------------------------


def _find(job: Job, report: Report, home: ModuleType, device: str) -> _Call:
    """The thing to call and its arguments; raises Failure."""
    target = job.target
    owner, attribute = _resolve(home, target.name)
    names = {"torch": sys.modules["torch"], **vars(home)}
    inputs = _inputs(job, names)
    if inputs is None:
        return _searched(job, report, device, home, owner, attribute)
    thing = _made(job, owner, names)
    function = getattr(thing, attribute) if attribute else thing
    report.called = {"init": target.init or "", "inputs": target.inputs or target.inputs_from or ""}
    return _on_device(function, thing, lambda: _split(inputs()), device)


def _resolve(home: ModuleType, name: str) -> tuple[Any, str]:
    """The object in the module, and the method on it, that ``pkg.mod:Name`` or ``pkg.mod:Class.method`` means."""
    module_name, _, qualname = name.partition(":")
    owner: Any = home
    parts = qualname.split(".")
    for number, part in enumerate(parts):
        if isinstance(owner, type) and number == len(parts) - 1 and not isinstance(vars(owner).get(part), type):
            return owner, part
        try:
            owner = getattr(owner, part)
        except AttributeError:
            raise Failure("error", f"`{module_name}` has no `{'.'.join(parts[: number + 1])}`") from None
    return owner, ""


def _inputs(job: Job, names: dict[str, Any]) -> Callable[[], Any] | None:
    """What makes the inputs, if the job says how."""
    target = job.target
    if target.inputs is not None:
        source = target.inputs
        return lambda: _evaluated("--inputs", source, names)
    if target.inputs_from is None:
        return None
    place, _, name = target.inputs_from.rpartition(":")
    home = _load(place, job.root) if place.endswith(".py") else importlib.import_module(place)
    make = getattr(home, name, None)
    if not callable(make):
        raise Failure("error", f"--inputs-from: `{place}` has no function `{name}`")
    return make  # type: ignore[no-any-return]


def _made(job: Job, owner: Any, names: dict[str, Any]) -> Any:
    """The instance of a class; anything else is called as it is."""
    if job.target.init is not None:
        return _evaluated("--init", job.target.init, names)
    if not isinstance(owner, type):
        return owner
    try:
        return owner()
    except TypeError as error:
        raise Failure("no-inputs", f"`{owner.__name__}` is not made without arguments: give --init ({error})") from None


def _evaluated(option: str, source: str, names: dict[str, Any]) -> Any:
    try:
        return eval(source, names)
    except Exception as error:
        raise Failure("error", f"{option} `{source}`: {type(error).__name__}: {error}") from None


def _split(value: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A dict: keyword arguments; a tuple: positional ones; ``((...), {...})``: both; else the only argument."""
    if isinstance(value, dict):
        return (), value
    if type(value) is not tuple:
        return (value,), {}
    if len(value) == 2 and type(value[0]) is tuple and isinstance(value[1], dict):
        return value[0], value[1]
    return value, {}


def _searched(job: Job, report: Report, device: str, home: ModuleType, owner: Any, attribute: str) -> _Call:
    try:
        from gblint.confirm.inputs.search import find_call  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise Failure("no-inputs", "give its arguments with --inputs") from None
    raise Failure("no-inputs", f"give its arguments with --inputs {find_call}")


def _on_device(
    function: Any, thing: Any, arguments: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]], device: str
) -> _Call:
    """The same on ``device``."""
    import torch
    from torch.utils import _pytree

    module = next((each for each in (thing, getattr(function, "__self__", None)) if _is_module(each)), None)
    if device == "cpu":
        return _Call(function, arguments, module)
    if module is not None:
        module.to(device)

    def moved() -> tuple[tuple[Any, ...], dict[str, Any]]:
        return _pytree.tree_map_only(torch.Tensor, lambda each: each.to(device), arguments())  # type: ignore[no-any-return]

    return _Call(function, moved, module)


def _is_module(value: Any) -> bool:
    import torch

    return isinstance(value, torch.nn.Module)


def _original(function: Any) -> Any:
    """What a compiled thing was made of."""
    inner = getattr(function, "_orig_mod", None) or getattr(function, "_torchdynamo_orig_callable", None)
    return function if inner is None else inner


def _load(place: str, root: str) -> ModuleType:
    """The module in a file."""
    path = Path(root, place)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise Failure("error", f"--inputs-from: there is no file {os.fspath(path)}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module
