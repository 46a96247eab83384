"""Compares the effects of two sources in one process: values, gradients, exceptions, output, warnings, aliases.

Run as a script: it reads jobs from standard input, a JSON list of ``{"before", "after", "inputs", "call"}``, and prints
a line of JSON for each: ``differs``, a sentence about the first difference, or null.  ``inputs`` is a list of dicts of
expressions, one for each call.  The expression ``call`` calls the function ``f`` of the source, without compilation and
then compiled; a job with ``"eager": true`` compiles nothing.  With ``"exact": false`` uncompiled results may be rounded
differently, and another exception may be raised.
"""

from __future__ import annotations

import contextlib
import io
import logging
import random
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy
import torch
from torch.utils import _pytree as pytree

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.oracle.worker import entry_of, restored, serve

BACKEND = "aot_eager"
_COMPARED = (torch.Tensor, numpy.ndarray, numpy.generic)


@dataclass(frozen=True)
class Effects:
    """The effects of one call.  ``aliases`` has for each result the numbers of the arguments that share its memory."""

    result: Any
    error: str
    message: str
    gradients: list[torch.Tensor | None]
    arguments: list[Any]
    aliases: list[list[int]]
    output: str
    warned: list[str]


def run_meaning(job: Mapping[str, Any], folder: Path, number: int) -> dict[str, Any]:
    """Compare the two sources of ``job``, without compilation and with it."""
    paths = []
    for name in ("before", "after"):
        path = folder / f"meaning_{number}_{name}.py"
        path.write_text(job[name], encoding="utf-8")
        paths.append(path)
    for inputs in job["inputs"]:
        uncompiled = _run(paths[0], inputs, job["call"], False)
        for compiled in (False,) if job.get("eager") else (False, True):
            found = [_run(path, inputs, job["call"], compiled) for path in paths]
            for before, after, right in zip(*found, uncompiled):
                if compiled and before.error and not right.error:
                    before = right  # Dynamo raised the error that the fix removes
                if compiled and right.error and before.error == "InternalTorchDynamoError":
                    continue  # a defect of Dynamo, which the fixed code may avoid
                if not job.get("exact", True):
                    if before.error and after.error:
                        continue
                differs = _difference(before, after, exact=not compiled and job.get("exact", True))
                if differs:
                    return {"differs": f"{'compiled' if compiled else 'eager'}, {inputs}: {differs}"}
    return {"differs": None}


def _run(path: Path, inputs: Mapping[str, str], call: str, compiled: bool) -> list[Effects]:
    """Return the effects of two calls with fresh arguments."""
    if compiled:
        torch._dynamo.reset()
    with restored():
        torch.manual_seed(0)
        module, entry = entry_of(path)
        module.f = torch.compile(entry, backend=BACKEND) if compiled else entry  # type: ignore[attr-defined]
        return [_effects(vars(module), inputs, call) for _ in range(2)]


def _effects(names: dict[str, Any], inputs: Mapping[str, str], call: str) -> Effects:
    torch.manual_seed(0)
    random.seed(0)
    numpy.random.seed(0)
    arguments = {name: eval(text, names) for name, text in inputs.items()}
    tensors = [leaf for leaf in pytree.tree_leaves(arguments) if isinstance(leaf, torch.Tensor)]
    leaves = [leaf for leaf in tensors if leaf.is_leaf and leaf.requires_grad]
    result, error, message = None, "", ""
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    logging.getLogger("corpus").addHandler(handler)
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
        warnings.catch_warnings(record=True) as warned,
    ):
        warnings.simplefilter("always")
        try:
            result = eval(call, {**names, **arguments})
        except Exception as raised:
            error, message = type(raised).__name__, str(raised)
    logging.getLogger("corpus").removeHandler(handler)
    results = [leaf for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor)]
    flowing = [leaf for leaf in results if leaf.requires_grad and leaf.dtype.is_floating_point]
    if flowing:
        try:
            torch.autograd.backward([leaf.sum() for leaf in flowing])
        except RuntimeError as raised:  # a tensor that the backward pass needs was changed in place
            error = f"{type(raised).__name__} of the gradient"
    shared = [[i for i, each in enumerate(tensors) if _share_memory(leaf, each)] for leaf in results]
    own = [f"{each.category.__name__}: {each.message}" for each in warned if not _is_of_torch(each)]
    gradients = [leaf.grad for leaf in leaves]
    return Effects(result, error, message, gradients, list(arguments.values()), shared, out.getvalue(), own)


def _share_memory(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two tensors have the same storage; a tensor without elements shares nothing."""
    return one.numel() > 0 and one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()


def _is_of_torch(warned: warnings.WarningMessage) -> bool:
    text = str(warned.message)
    return "/torch/" in warned.filename or "Triggered internally" in text or text.startswith("`torch.")


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal; members of enums that two modules define are compared by their text."""
    return one == other or (one != one and other != other) or (isinstance(one, Enum) and repr(one) == repr(other))


def _as_array(leaf: Any) -> Any:
    return numpy.asarray(leaf) if isinstance(leaf, numpy.generic) else leaf


def _same_zeros(one: Any, other: Any) -> bool:
    """Return whether two equal tensors or arrays have zeros of the same sign at the same places."""
    first, second = (torch.as_tensor(leaf).detach() for leaf in (one, other))
    return first.is_complex() or bool(((first != 0) | (first.signbit() == second.signbit())).all())


def _difference(before: Effects, after: Effects, *, exact: bool) -> str | None:
    """Return the first difference; compiled code may round differently and have other error messages."""
    if before.error != after.error or (exact and before.message != after.message):
        one, other = (f"{each.error or 'no error'}: {each.message[:80]!r}" for each in (before, after))
        return f"{one}, then {other}"
    for name in ("output", "warned", "aliases"):
        one, other = getattr(before, name), getattr(after, name)
        if one != other:
            return f"{name}: {one!r}, then {other!r}"
    for name in ("result", "gradients", "arguments"):
        one, other = getattr(before, name), getattr(after, name)
        (first, spec), (second, other_spec) = pytree.tree_flatten(one), pytree.tree_flatten(other)
        if not exact:  # Dynamo makes an array without dimensions of each number of NumPy
            first, second = ([_as_array(leaf) for leaf in leaves] for leaves in (first, second))
        plain = [(a, b) for a, b in zip(first, second) if not isinstance(a, _COMPARED)]
        kinds = [[type(leaf).__name__ for leaf in leaves] for leaves in (first, second)]
        if spec != other_spec or kinds[0] != kinds[1] or not all(_same(a, b) for a, b in plain):
            return f"{name}: {one!r}, then {other!r}"
        one, other = ([leaf for leaf in leaves if isinstance(leaf, _COMPARED)] for leaves in (first, second))
        try:
            tolerance = {"rtol": 0, "atol": 0} if exact else {}
            torch.testing.assert_close(other, one, equal_nan=True, check_dtype=True, check_stride=False, **tolerance)
        except (AssertionError, TypeError, ValueError) as error:
            return f"{name}: {one!r}, then {other!r} ({str(error).splitlines()[0]})"
        if exact and not all(_same_zeros(a, b) for a, b in zip(one, other)):
            return f"{name}: {one!r}, then {other!r} (zeros have another sign)"
    return None


if __name__ == "__main__":
    serve(run_meaning)
