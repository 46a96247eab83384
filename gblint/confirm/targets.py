"""What an entry point's run calls, and with what: as the user says, or as the search finds."""

from __future__ import annotations

import contextlib
import copy
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gblint.confirm.failures import RunFailure
from gblint.confirm.jobs import Job

if TYPE_CHECKING:
    from gblint.confirm.result_recorder import ResultRecorder

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
SEARCH_SHARE = 0.4  # of the time may go into finding inputs


@dataclass
class TestedCall:
    """What is called, and with what: ``arguments`` makes them anew for each pass.  ``module`` has the modes, if any."""

    function: Any
    arguments: Callable[[], Arguments]
    module: Any


def find_call_target(job: Job, report: ResultRecorder, home: ModuleType, device: str) -> TestedCall:
    """The thing to call and its arguments; raises Failure."""
    target = job.target
    owner, attribute = _resolve(home, target.name)
    names = {"torch": sys.modules["torch"], **vars(home)}
    report.called = {"init": target.init or "", "inputs": target.inputs or target.inputs_from or ""}
    if target.inputs is not None:
        source = target.inputs
        thing, function = _made(job, owner, attribute, names)
        return _on_device(function, thing, lambda: _split(_evaluated("--inputs", source, names)), device)
    if target.inputs_from is not None:
        made = _maker(target.inputs_from, job.root)()
        if type(made) is tuple and len(made) == 3 and callable(made[0]) and isinstance(made[2], dict):
            return _on_device(made[0], made[0], _fixed((tuple(made[1]), made[2])), device)
        thing, function = _made(job, owner, attribute, names)
        return _on_device(function, thing, _fixed(_split(made)), device)
    return _searched(job, report, device, owner, attribute)


def uncompiled(function: Any) -> Any:
    """What a compiled thing was made of."""
    inner = getattr(function, "_orig_mod", None) or getattr(function, "_torchdynamo_orig_callable", None)
    return function if inner is None else inner


@contextlib.contextmanager
def forced_eager() -> Iterator[None]:
    """What the code compiles itself is not compiled either."""
    import torch

    stance = getattr(torch.compiler, "set_stance", None)
    with contextlib.nullcontext() if stance is None else stance("force_eager"):
        yield


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
            raise RunFailure("error", f"`{module_name}` has no `{'.'.join(parts[: number + 1])}`") from None
    return owner, ""


def _maker(name: str, root: str) -> Callable[[], Any]:
    """The function that makes the inputs: ``pkg.mod:make`` or ``file.py:make``."""
    place, _, attribute = name.rpartition(":")
    home = _load(place, root) if place.endswith(".py") else importlib.import_module(place)
    make = getattr(home, attribute, None)
    if not callable(make):
        raise RunFailure("error", f"--inputs-from: `{place}` has no function `{attribute}`")
    return make  # type: ignore[no-any-return]


def _load(place: str, root: str) -> ModuleType:
    """The module in a file."""
    path = Path(root, place)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise RunFailure("error", f"--inputs-from: there is no file {os.fspath(path)}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _made(job: Job, owner: Any, attribute: str, names: dict[str, Any]) -> tuple[Any, Any]:
    """The instance of a class, or what there is instead, and what of it is called."""
    thing = owner
    if job.target.init is not None:
        thing = _evaluated("--init", job.target.init, names)
    elif isinstance(owner, type):
        try:
            thing = owner()
        except TypeError as error:
            said = f"`{owner.__name__}` is not made without arguments: give --init ({error})"
            raise RunFailure("no-inputs", said) from None
    return thing, getattr(thing, attribute) if attribute else thing


def _evaluated(option: str, source: str, names: dict[str, Any]) -> Any:
    try:
        return eval(source, names)
    except Exception as error:
        raise RunFailure("error", f"{option} `{source}`: {type(error).__name__}: {error}") from None


def _split(value: Any) -> Arguments:
    """A dict: keyword arguments; a tuple: positional ones; ``((...), {...})``: both; else the only argument."""
    if isinstance(value, dict):
        return (), value
    if type(value) is not tuple:
        return (value,), {}
    if len(value) == 2 and type(value[0]) is tuple and isinstance(value[1], dict):
        return value[0], value[1]
    return value, {}


def _fixed(arguments: Arguments) -> Callable[[], Arguments]:
    """Copies of the arguments for each pass, since a call may change them; themselves where that cannot be done."""

    def copies() -> Arguments:
        try:
            return copy.deepcopy(arguments)
        except Exception:
            return arguments

    return copies


def _searched(job: Job, report: ResultRecorder, device: str, owner: Any, attribute: str) -> TestedCall:
    """Let the search find a call that runs."""
    try:
        facts = importlib.import_module("gblint.confirm.inputs.target_facts")
        search = importlib.import_module("gblint.confirm.inputs.search")
    except ImportError:
        raise RunFailure("no-inputs", "give its arguments with --inputs") from None

    def run(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with forced_eager():
            return function(*args, **kwargs)

    hints = facts.Hints.from_json(job.hints) if job.hints is not None else None
    seconds = job.limits.seconds * SEARCH_SHARE
    found = search.find_call(uncompiled(owner), hints, run, device=device, seconds=seconds, method=attribute)
    if isinstance(found, search.GaveUp):
        report.called["stub"] = found.stub
        raise RunFailure("no-inputs", f"no arguments were found for it: {found.reason}")
    report.called = {"init": found.init, "inputs": found.inputs}
    return _on_device(found.call, found.call, _fixed((found.args, found.kwargs)), device)


def _on_device(function: Any, thing: Any, arguments: Callable[[], Arguments], device: str) -> TestedCall:
    """The same on ``device``."""
    import torch
    from torch.utils import _pytree

    module = next((each for each in (thing, getattr(function, "__self__", None)) if _is_module(each)), None)
    if device == "cpu":
        return TestedCall(function, arguments, module)
    if module is not None:
        module.to(device)

    def moved() -> Arguments:
        return _pytree.tree_map_only(torch.Tensor, lambda each: each.to(device), arguments())  # type: ignore[no-any-return]

    return TestedCall(function, moved, module)


def _is_module(value: Any) -> bool:
    import torch

    return isinstance(value, torch.nn.Module)
