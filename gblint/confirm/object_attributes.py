"""Attributes that a call may change: those of the object whose method it is, and of the modules in it."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from gblint.confirm.result_leaves import PLAIN, Leaf, leaves_in

MAX_ITEMS = 1000  # items of a container
MAX_ELEMENTS = 2**20  # elements of a tensor


def attributes_of(owner: Any) -> Iterator[tuple[str, Leaf]]:
    """Yield the numbers, texts, tensors and containers of these in the attributes of an object; of a module, also those
    of the modules in it.

    Parameters, buffers and what else every module has are left out, and so are large tensors and containers.
    """
    import torch

    if owner is None or isinstance(owner, (type, types.ModuleType)):
        return
    is_module = isinstance(owner, torch.nn.Module)
    common = vars(torch.nn.Module()).keys() if is_module else ()
    for place, each in owner.named_modules() if is_module else [("", owner)]:
        for name, value in getattr(each, "__dict__", {}).items():
            if name not in common and _is_compared(value):
                yield from leaves_in(f"{place}.{name}".strip("."), value)


def _is_compared(value: Any, depth: int = 0) -> bool:
    """Return whether an attribute is data that is not too large."""
    import torch

    if isinstance(value, torch.Tensor):
        return value.numel() <= MAX_ELEMENTS and value.device.type != "meta"
    if isinstance(value, (list, tuple, dict)):
        items = value.values() if isinstance(value, dict) else value
        return len(value) <= MAX_ITEMS and depth < 2 and all(_is_compared(each, depth + 1) for each in items)
    return isinstance(value, PLAIN)
