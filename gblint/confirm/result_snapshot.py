"""Snapshots of calls: result, arguments, gradients, buffers, exception and printed output, as comparable plain data."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

MAX_RESULT_DEPTH = 8  # nested containers that are entered
# The part of a printed tensor that shows how it was computed.
_GRAD_FN = re.compile(r",?\s+grad_fn=<\w+>")
_PLAIN = (bool, int, float, complex, str, bytes, type(None))

Leaf = Any  # a tensor, a number, a string or None
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


def take_snapshot(call: Callable[[], Any], arguments: Any, module: Any, *, backward: bool, seed: int = 0) -> Snapshot:
    """Call ``call`` and return its snapshot; with ``backward`` also run the backward pass of the result.

    The call may change ``arguments`` and the buffers of ``module``.
    """
    import torch

    seed_all(seed)
    printed = io.StringIO()
    leaves: Snapshot = {}
    if module is not None:
        module.zero_grad(set_to_none=True)
    try:
        with contextlib.redirect_stdout(printed):
            result = call()
        leaves.update(_leaves("the result", result))
        if backward:
            _backward(result)
    except (KeyboardInterrupt, SystemExit):
        raise
    except Exception as error:
        leaves["exception"] = type(error).__name__
    leaves["printed output"] = _GRAD_FN.sub("", printed.getvalue())
    leaves.update(_leaves("the arguments afterwards", arguments))
    for number, tensor in enumerate(_tensors(arguments)):
        if tensor.is_leaf and tensor.grad is not None:
            leaves[f"the gradient of tensor {number} of the arguments"] = _stored(tensor.grad)
    if isinstance(module, torch.nn.Module):
        for name, buffer in module.named_buffers():
            leaves[f"the buffer {name}"] = _stored(buffer)
        for name, parameter in module.named_parameters():
            if parameter.grad is not None:
                leaves[f"the gradient of {name}"] = _stored(parameter.grad)
    return leaves


def seed_all(seed: int) -> None:
    """Seed the random number generators of torch, Python and numpy (if numpy is imported)."""
    import random
    import sys

    import torch

    torch.manual_seed(seed)
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
            found_differences.append(f"{name} is missing")
        elif (difference := _difference(value, found[name], exact)) is not None:
            found_differences.append(f"{name}: {difference}")
    found_differences += [f"{name} is new" for name in found if name not in expected]
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


def _leaves(name: str, value: Any, depth: int = 0) -> Iterator[tuple[str, Leaf]]:
    """Yield the tensors and plain values in ``value``, each with its place."""
    import torch

    kind = type(value)
    if isinstance(value, torch.Tensor):
        yield name, _stored(value)
    elif kind in _PLAIN:
        yield name, value
    elif kind.__module__.partition(".")[0] == "numpy":
        yield name, _numpy_leaf(value)
    elif isinstance(value, _PLAIN):
        # An object of a subclass, such as a member of an enumeration: torch does not load it without its class.
        yield name, f"{kind.__name__} {value!r}"
    elif depth > MAX_RESULT_DEPTH or isinstance(value, (type, torch.nn.Module)) or callable(value):
        yield name, kind.__name__
    elif isinstance(value, Mapping):
        yield f"{name} (type)", kind.__name__
        for key, inner in value.items():
            yield from _leaves(f"{name}[{key!r}]", inner, depth + 1)
    elif isinstance(value, (list, tuple)):
        yield f"{name} (type)", f"{kind.__name__} of {len(value)}"
        for number, inner in enumerate(value):
            yield from _leaves(f"{name}[{number}]", inner, depth + 1)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _leaves(f"{name}.{field.name}", getattr(value, field.name, None), depth + 1)
    else:
        yield f"{name} (type)", kind.__name__
        for key, inner in getattr(value, "__dict__", {}).items():
            yield from _leaves(f"{name}.{key}", inner, depth + 1)


def _stored(tensor: Any) -> Any:
    """Return a copy of a tensor on the CPU, dense and dequantized, that requires gradients if the tensor does."""
    import torch

    plain = tensor.detach()
    if plain.layout is not torch.strided:
        plain = plain.to_dense()
    if plain.is_quantized:
        plain = plain.dequantize()
    copy = plain.to("cpu", copy=True).as_subclass(torch.Tensor)
    floating = copy.is_floating_point() or copy.is_complex()
    return copy.requires_grad_(tensor.requires_grad) if floating else copy


def _numpy_leaf(value: Any) -> Leaf:
    """Return a numpy value as a tensor, or its text."""
    import torch

    try:
        return torch.as_tensor(value).clone()
    except (TypeError, ValueError):
        return repr(value)


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
