"""The call in the run of an entry point: given by the user, or found by the search for inputs."""

from __future__ import annotations

import contextlib
import copy
import importlib
import importlib.util
import os
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gblint.confirm.failures import RunFailure
from gblint.confirm.inputs.search import SearchFailure, find_call
from gblint.confirm.inputs.target_facts import Hints
from gblint.confirm.inputs.values import split_inputs
from gblint.confirm.jobs import CallExpressions, Job

if TYPE_CHECKING:
    from gblint.confirm.result_recorder import ResultRecorder

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
SEARCH_SHARE = 0.4  # share of the run's time for the search for inputs


@dataclass
class TestedCall:
    """A function to call; ``arguments`` makes its arguments anew for each call. ``module`` is the ``nn.Module`` whose
    mode is set, if any.
    """

    function: Any
    arguments: Callable[[], Arguments]
    module: Any

    @property
    def owner(self) -> Any:
        """The object whose method is called, None for a function."""
        if self.module is not None:
            return self.module
        if isinstance(self.function, (types.FunctionType, types.BuiltinFunctionType, type)):
            return None
        return getattr(self.function, "__self__", self.function)


def find_call_target(job: Job, recorder: ResultRecorder, module_namespace: ModuleType, device: str) -> TestedCall:
    """Return the call to test; raises RunFailure if there is none."""
    target = job.target
    owner, attribute = _resolve(module_namespace, target.name)
    names = {"torch": sys.modules["torch"], **vars(module_namespace)}
    recorder.call = CallExpressions(target.init or "", target.inputs or target.inputs_from or "")
    if target.inputs is not None:
        source = target.inputs
        instance, function = _build(job, owner, attribute, names)
        return _on_device(function, instance, lambda: split_inputs(_evaluate("--inputs", source, names)), device)
    if target.inputs_from is not None:
        made = _inputs_function(target.inputs_from, job.root)()
        if type(made) is tuple and len(made) == 3 and callable(made[0]) and isinstance(made[2], dict):
            return _on_device(made[0], made[0], _copies_of((tuple(made[1]), made[2])), device)
        instance, function = _build(job, owner, attribute, names)
        return _on_device(function, instance, _copies_of(split_inputs(made)), device)
    return _search(job, recorder, device, owner, attribute)


def uncompiled(function: Any) -> Any:
    """Return the function or module that a compiled object wraps."""
    inner = getattr(function, "_orig_mod", None) or getattr(function, "_torchdynamo_orig_callable", None)
    return function if inner is None else inner


@contextlib.contextmanager
def forced_eager() -> Iterator[None]:
    """Disable compilation that the code itself requests."""
    import torch

    stance = getattr(torch.compiler, "set_stance", None)
    with contextlib.nullcontext() if stance is None else stance("force_eager"):
        yield


def _resolve(module_namespace: ModuleType, name: str) -> tuple[Any, str]:
    """Return the object and the name of the method on it ("" for none) that ``pkg.mod:Name`` or
    ``pkg.mod:Class.method`` means.
    """
    module_name, _, qualname = name.partition(":")
    owner: Any = module_namespace
    parts = qualname.split(".")
    for number, part in enumerate(parts):
        if isinstance(owner, type) and number == len(parts) - 1 and not isinstance(vars(owner).get(part), type):
            return owner, part
        try:
            owner = getattr(owner, part)
        except AttributeError:
            raise RunFailure("error", f"`{module_name}` has no `{'.'.join(parts[: number + 1])}`") from None
    return owner, ""


def _inputs_function(name: str, root: str) -> Callable[[], Any]:
    """Return the function that makes the inputs: ``pkg.mod:make`` or ``file.py:make``."""
    place, _, attribute = name.rpartition(":")
    module_namespace = _load(place, root) if place.endswith(".py") else importlib.import_module(place)
    make = getattr(module_namespace, attribute, None)
    if not callable(make):
        raise RunFailure("error", f"--inputs-from: `{place}` has no function `{attribute}`")
    return make  # type: ignore[no-any-return]


def _load(place: str, root: str) -> ModuleType:
    """Import the module in a file."""
    path = Path(root, place)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise RunFailure("error", f"--inputs-from: there is no file {os.fspath(path)}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _build(job: Job, owner: Any, attribute: str, names: dict[str, Any]) -> tuple[Any, Any]:
    """Return the instance of a class (or the object itself), and the callable on it."""
    instance = owner
    if job.target.init is not None:
        instance = _evaluate("--init", job.target.init, names)
    elif isinstance(owner, type):
        try:
            instance = owner()
        except TypeError as error:
            reason = f"`{owner.__name__}` needs arguments for its constructor: give --init ({error})"
            raise RunFailure("no-inputs", reason) from None
    return instance, getattr(instance, attribute) if attribute else instance


def _evaluate(option: str, source: str, names: dict[str, Any]) -> Any:
    """Evaluate an expression of a command-line option."""
    try:
        return eval(source, names)
    except Exception as error:
        raise RunFailure("error", f"{option} `{source}`: {type(error).__name__}: {error}") from None


def _copies_of(arguments: Arguments) -> Callable[[], Arguments]:
    """Return a function that copies the arguments for each call, or returns the same ones if copying fails."""

    def copies() -> Arguments:
        try:
            return copy.deepcopy(arguments)
        except Exception:
            return arguments

    return copies


def _search(job: Job, recorder: ResultRecorder, device: str, owner: Any, attribute: str) -> TestedCall:
    """Search for inputs with which the target runs."""

    def run(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with forced_eager():
            return function(*args, **kwargs)

    hints = Hints.from_json(job.hints) if job.hints is not None else None
    seconds = job.limits.seconds * SEARCH_SHARE
    found = find_call(uncompiled(owner), hints, run, device=device, seconds=seconds, method=attribute)
    if isinstance(found, SearchFailure):
        recorder.call = replace(recorder.call, stub=found.stub)
        raise RunFailure("no-inputs", f"no arguments were found: {found.reason}")
    recorder.call = CallExpressions(found.init, found.inputs)
    return _on_device(found.call, found.call, _copies_of((found.args, found.kwargs)), device)


def _on_device(function: Any, instance: Any, arguments: Callable[[], Arguments], device: str) -> TestedCall:
    """Return the call with its module and its arguments on ``device``."""
    import torch
    from torch.utils import _pytree

    module = next((each for each in (instance, getattr(function, "__self__", None)) if _is_nn_module(each)), None)
    if device == "cpu":
        return TestedCall(function, arguments, module)
    if module is not None:
        module.to(device)

    def moved() -> Arguments:
        return _pytree.tree_map_only(torch.Tensor, lambda each: each.to(device), arguments())  # type: ignore[no-any-return]

    return TestedCall(function, moved, module)


def _is_nn_module(value: Any) -> bool:
    import torch

    return isinstance(value, torch.nn.Module)
