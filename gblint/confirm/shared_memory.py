"""Tensors that share memory: a write in place to one of them changes the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MAX_COMPARED = 100  # tensors of one storage that are compared with each other
MAX_ELEMENTS = 2**24  # elements of a storage whose use is compared one by one
OWN = "of its own"

Named = tuple[str, Any]  # a place and the tensor there


def shared_memory(state: Sequence[Named], arguments: Sequence[Named], results: Sequence[Named]) -> dict[str, str]:
    """Return the tensors that share memory with each result, as text by the place of the result.

    These are earlier results, arguments, and parameters and buffers (``state``). An argument has an entry if it shares
    memory with an earlier argument or with ``state``. Only elements count that both tensors have: the two halves of a
    tensor share no memory.
    """
    found = {name: OWN for name, _ in results}
    by_storage: dict[object, list[tuple[str, Any, bool]]] = {}
    for is_state, (name, tensor) in [
        *((True, each) for each in state),
        *((False, each) for each in (*arguments, *results)),
    ]:
        place = _storage(tensor)
        if place is not None:
            by_storage.setdefault(place, []).append((name, tensor, is_state))
    for there in by_storage.values():
        for number, (name, tensor, is_state) in enumerate(there[:MAX_COMPARED]):
            sharing = [] if is_state else [other for other, each, _ in there[:number] if _overlap(tensor, each)]
            if sharing:
                found[name] = f"shared with {', '.join(sharing)}"
    return found


def _storage(tensor: Any) -> object:
    """Return the identity of the memory that a tensor is stored in; None if it has none."""
    import torch

    if tensor.layout is not torch.strided or tensor.numel() == 0:
        return None
    try:
        address = tensor.untyped_storage().data_ptr()
    except RuntimeError:  # a wrapper around other tensors
        return None
    return (tensor.device, address) if address else None


def _overlap(one: Any, other: Any) -> bool:
    """Return whether two tensors in one storage have an element in common."""
    import torch

    size = one.element_size()
    (start, end), (other_start, other_end) = _range(one), _range(other)
    if start * size >= other_end * other.element_size() or other_start * other.element_size() >= end * size:
        return False
    first, last = min(start, other_start), max(end, other_end)
    if other.element_size() != size or last - first > MAX_ELEMENTS:
        return True
    used = torch.zeros(last - first, dtype=torch.bool)
    _elements(used, one, first).fill_(True)
    return bool(_elements(used, other, first).any())


def _range(tensor: Any) -> tuple[int, int]:
    """Return the first element of the storage that the tensor may use, and the one behind the last."""
    start = tensor.storage_offset()
    return start, start + 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))


def _elements(used: Any, tensor: Any, first: int) -> Any:
    """Return the part of ``used``, which begins at the element ``first`` of the storage, that the tensor uses."""
    shape = [size if stride else 1 for size, stride in zip(tensor.shape, tensor.stride())]
    return used.as_strided(shape, tensor.stride(), tensor.storage_offset() - first)
