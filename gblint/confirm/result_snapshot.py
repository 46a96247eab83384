"""Snapshots of calls, as comparable plain data: result, arguments, gradients, buffers and attributes, shared memory,
exception, output and messages."""

from __future__ import annotations

import contextlib
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gblint.confirm.messages import ERROR_OUTPUT, LOG, WARNINGS, recording_messages
from gblint.confirm.object_attributes import attributes_of
from gblint.confirm.result_leaves import Leaf, leaves_in, stored, tensors_in
from gblint.confirm.shared_memory import shared_memory

# The part of a printed tensor that shows how it was computed.
_GRAD_FN = re.compile(r",?\s+grad_fn=<\w+>")
_MESSAGES = (WARNINGS, LOG, ERROR_OUTPUT)
_ARGUMENTS, _MEMORY, _ATTRIBUTE = "the arguments", "the memory of ", "the attribute "

Snapshot = dict[str, Leaf]

# Relative and absolute tolerance by dtype, as in torch.testing.
_TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}


def take_snapshot(call: Callable[[], Any], arguments: Any, owner: Any, *, backward: bool, seed: int = 0) -> Snapshot:
    """Call ``call`` and return its snapshot; with ``backward`` also run the backward pass of the result.

    The call may change ``arguments``, and the buffers and attributes of ``owner``: the module or other object whose
    method it is, or None.
    """
    import torch

    seed_all(seed)
    printed = io.StringIO()
    leaves: Snapshot = {}
    module = owner if isinstance(owner, torch.nn.Module) else None
    if module is not None:
        module.zero_grad(set_to_none=True)
    given = [*tensors_in(_ARGUMENTS, arguments)]
    try:
        with contextlib.redirect_stdout(printed), recording_messages() as messages:
            result = call()
        leaves.update(leaves_in("the result", result))
        leaves.update(_memory(result, given, arguments, module))
        if backward:
            _backward(result)
    except (KeyboardInterrupt, SystemExit):
        raise
    except Exception as error:
        leaves["exception"] = type(error).__name__
    leaves["printed output"] = _GRAD_FN.sub("", printed.getvalue())
    leaves.update(messages.texts())
    leaves.update(leaves_in("the arguments afterwards", arguments))
    for number, tensor in enumerate(_tensors(arguments)):
        if tensor.is_leaf and tensor.grad is not None:
            leaves[f"the gradient of tensor {number} of the arguments"] = stored(tensor.grad)
    leaves.update((f"{_ATTRIBUTE}{name}", leaf) for name, leaf in attributes_of(owner))
    if module is not None:
        for name, buffer in module.named_buffers():
            leaves[f"the buffer {name}"] = stored(buffer)
        for name, parameter in module.named_parameters():
            if parameter.grad is not None:
                leaves[f"the gradient of {name}"] = stored(parameter.grad)
    return leaves


def without_unsteady(snapshot: Snapshot, first: Snapshot, again: Snapshot) -> Snapshot:
    """Return a snapshot without the messages and attributes that differ in two snapshots of equal calls.

    Some messages are issued once for a process; others, and some attributes, name the time.
    """
    unsteady = {
        _container(name)
        for name in {**first, **again}
        if name not in first or name not in again or _difference(first[name], again[name], exact=False) is not None
    }
    return {name: leaf for name, leaf in snapshot.items() if not (_is_optional(name) and _container(name) in unsteady)}


def _container(name: str) -> str:
    """Return the name of the outermost container of a leaf, or its own name."""
    return name.partition("[")[0].removesuffix(" (type)")


def _is_optional(name: str) -> bool:
    """Return whether a leaf is compared only if it is the same in two equal calls."""
    return name in _MESSAGES or name.startswith(_ATTRIBUTE)


def without_messages(snapshot: Snapshot) -> Snapshot:
    """Return a snapshot without warnings, log records and error output."""
    return {name: leaf for name, leaf in snapshot.items() if name not in _MESSAGES}


def _memory(result: Any, given: list[tuple[str, Any]], arguments: Any, module: Any) -> Iterator[tuple[str, Leaf]]:
    """Yield the tensors that share memory with each tensor in the result, and with each one put into the arguments."""
    state = [] if module is None else [*module.named_parameters(), *module.named_buffers()]
    before = dict(given)
    changed = [each for each in tensors_in(_ARGUMENTS, arguments) if before.get(each[0]) is not each[1]]
    for name, text in shared_memory(state, given, [*changed, *tensors_in("the result", result)]).items():
        yield f"{_MEMORY}{name}", text


def seed_all(seed: int) -> None:
    """Seed the random number generators of torch, Python and numpy (if numpy is imported)."""
    import random
    import sys

    import torch

    if torch.accelerator.is_available():
        torch.manual_seed(seed)
    else:  # without the seeds of each kind of accelerator, which are stored with a stack of this call
        torch.default_generator.manual_seed(seed)
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed)


def differences(expected: Mapping[str, Leaf], found: Mapping[str, Leaf], *, exact: bool) -> list[str]:
    """Describe how the snapshot ``found`` differs from ``expected``; without ``exact`` floats are compared within a
    tolerance.
    """
    raised, raises = expected.get("exception"), found.get("exception")
    if raised or raises:
        if bool(raised) != bool(raises):
            return [f"it raised {raised} and now does not" if raised else f"it now raises {raises}"]
        return [f"it raised {raised} and now raises {raises}"] if exact and raised != raises else []
    found_differences = []
    for name, value in expected.items():
        if name not in found:
            if name not in _MESSAGES:
                found_differences.append(f"{name} is missing")
        elif name.startswith(_MEMORY):
            if value != found[name]:
                found_differences.append(f"{name}: {value}, now {found[name]}")
        elif (difference := _difference(value, found[name], exact)) is not None:
            found_differences.append(f"{name}: {difference}")
    found_differences += [f"{name} is new" for name in found if name not in expected and not _is_optional(name)]
    return found_differences


def _difference(expected: Leaf, found: Leaf, exact: bool) -> str | None:
    """Describe the difference of two leaves, or return None if they are equal."""
    import torch

    one, other = (isinstance(each, torch.Tensor) for each in (expected, found))
    if one != other:
        return f"{_shown(expected)}, now {_shown(found)}"
    if one:
        return _tensor_difference(expected, found, exact)
    if type(expected) is not type(found):
        return f"{_shown(expected)}, now {_shown(found)}"
    if isinstance(expected, float) and (
        (math.isnan(expected) and math.isnan(found))
        or (not exact and math.isclose(expected, found, rel_tol=1.3e-6, abs_tol=1e-5))
    ):
        return None
    return None if expected == found else f"{_shown(expected)}, now {_shown(found)}"


def _tensor_difference(expected: Any, found: Any, exact: bool) -> str | None:
    """Describe the difference of two tensors, or return None if they are equal."""
    import torch

    for what in ("shape", "dtype", "requires_grad"):
        one, other = getattr(expected, what), getattr(found, what)
        if one != other:
            one, other = (tuple(each) if what == "shape" else each for each in (one, other))
            return f"{what} {one}, now {other}"
    relative, absolute = (0.0, 0.0) if exact else _TOLERANCES.get(str(expected.dtype).partition(".")[2], (0.0, 0.0))
    expected, found = expected.detach(), found.detach()
    if torch.equal(expected, found):
        return None
    near = torch.isclose(found, expected, rtol=relative, atol=absolute, equal_nan=True)
    if bool(near.all()):
        return None
    wide = torch.complex128 if expected.is_complex() else torch.float64
    gap = (found.to(wide) - expected.to(wide)).abs()[~near]
    finite = gap[gap.isfinite()]
    by = f"by up to {float(finite.max()):.3g}" if finite.numel() else "one is not finite"
    return f"{int((~near).sum()):,} of {expected.numel():,} values differ, {by}"


def _shown(value: Leaf) -> str:
    """Return a short text for a leaf."""
    text = f"a tensor of shape {tuple(value.shape)}" if hasattr(value, "shape") else repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _tensors(value: Any) -> list[Any]:
    """Return the tensors in a value."""
    import torch
    from torch.utils import _pytree

    return [each for each in _pytree.tree_leaves(value) if isinstance(each, torch.Tensor)]


def _backward(result: Any) -> None:
    """Run the backward pass from every tensor in the result, with random weights so that different results differ in
    their gradients.
    """
    import torch

    wanted = [leaf for _, leaf in _results(result) if leaf.requires_grad]
    if not wanted:
        return
    generator = torch.Generator().manual_seed(0)
    weights = [torch.rand(each.shape, generator=generator).to(each.device, each.dtype) for each in wanted]
    torch.autograd.backward(wanted, weights)


def _results(value: Any, depth: int = 0) -> Iterator[tuple[int, Any]]:
    """Yield the tensors in a result, including those in attributes of objects."""
    import torch
    from torch.utils import _pytree

    for leaf in _pytree.tree_leaves(value):
        if isinstance(leaf, torch.Tensor):
            yield depth, leaf
        elif depth < 3 and hasattr(leaf, "__dict__") and not callable(leaf):
            yield from _results(list(vars(leaf).values()), depth + 1)
