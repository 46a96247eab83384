"""Tensors and plain values inside a result, the arguments or an object, each with its place."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

MAX_DEPTH = 8  # nested containers that are entered
PLAIN = (bool, int, float, complex, str, bytes, type(None))

Leaf = Any  # a tensor, a number, a string or None


def leaves_in(name: str, value: Any) -> Iterator[tuple[str, Leaf]]:
    """Yield copies of the tensors, and the plain values, in ``value``."""
    for place, leaf in _walk(name, value, 0):
        yield place, stored(leaf)


def tensors_in(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the tensors in ``value`` themselves."""
    import torch

    return ((place, leaf) for place, leaf in _walk(name, value, 0) if isinstance(leaf, torch.Tensor))


def stored(leaf: Any) -> Leaf:
    """Return a copy of a tensor on the CPU, dense and dequantized, that requires gradients if the tensor does.

    A value of NumPy becomes a tensor, or its text; any other leaf is returned itself.
    """
    import torch

    if type(leaf).__module__.partition(".")[0] == "numpy":
        return _numpy_leaf(leaf)
    if not isinstance(leaf, torch.Tensor):
        return leaf
    plain = leaf.detach()
    if plain.layout is not torch.strided:
        plain = plain.to_dense()
    if plain.is_quantized:
        plain = plain.dequantize()
    copy = plain.to("cpu", copy=True).as_subclass(torch.Tensor)
    floating = copy.is_floating_point() or copy.is_complex()
    return copy.requires_grad_(leaf.requires_grad) if floating else copy


def _numpy_leaf(value: Any) -> Leaf:
    """Return a numpy value as a tensor, or its text."""
    import torch

    try:
        return torch.as_tensor(value).clone()
    except (TypeError, ValueError):
        return repr(value)


def _walk(name: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield the leaves in ``value``: tensors, values of NumPy, plain values, and the kinds of other objects."""
    import torch

    kind = type(value)
    if isinstance(value, torch.Tensor) or kind in PLAIN or kind.__module__.partition(".")[0] == "numpy":
        yield name, value
    elif isinstance(value, PLAIN):
        # An object of a subclass, such as a member of an enumeration: torch does not load it without its class.
        yield name, f"{kind.__name__} {value!r}"
    elif depth > MAX_DEPTH or isinstance(value, (type, torch.nn.Module)) or callable(value):
        yield name, kind.__name__
    elif isinstance(value, Mapping):
        yield f"{name} (type)", f"{kind.__name__} of {len(value)}"
        for key, inner in value.items():
            yield from _walk(f"{name}[{key!r}]", inner, depth + 1)
    elif isinstance(value, (list, tuple)):
        yield f"{name} (type)", f"{kind.__name__} of {len(value)}"
        for number, inner in enumerate(value):
            yield from _walk(f"{name}[{number}]", inner, depth + 1)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _walk(f"{name}.{field.name}", getattr(value, field.name, None), depth + 1)
    else:
        yield f"{name} (type)", kind.__name__
        for key, inner in getattr(value, "__dict__", {}).items():
            yield from _walk(f"{name}.{key}", inner, depth + 1)
