"""Variants of the arguments of a call, with other values, so that code that depends on values takes other
branches too."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

TensorChange = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to call the target.

    - ``seed``: seed with which the arguments are made.
    - ``change``: applied to each tensor in the arguments.
    - ``gradients``: compare the gradients of the arguments.
    - ``dropout``: false if dropout is switched off.
    - ``dtype``: the floating-point type of the parameters and buffers of a module; empty for their own types.
    """

    name: str
    seed: int = 0
    change: TensorChange | None = None
    gradients: bool = False
    dropout: bool = True
    dtype: str = ""


def _for_floats(change: TensorChange) -> TensorChange:
    """Restrict a change to non-empty floating-point tensors."""
    return lambda tensor: change(tensor) if tensor.is_floating_point() and tensor.numel() else tensor


def _zeros(tensor: Any) -> Any:
    return tensor.new_zeros(tensor.shape)


def _with_nan(tensor: Any) -> Any:
    changed = tensor.clone()
    changed.view(-1)[0] = float("nan")
    return changed


def _with_infinities(tensor: Any) -> Any:
    changed = tensor.clone()
    flat = changed.view(-1)
    flat[-1], flat[0] = -float("inf"), float("inf")
    return changed


def _ones(tensor: Any) -> Any:
    return tensor.new_ones(tensor.shape)


def _floats_as(name: str) -> TensorChange:
    def change(tensor: Any) -> Any:
        import torch

        return tensor.to(getattr(torch, name)) if tensor.is_floating_point() else tensor

    return change


def _integers_as(name: str) -> TensorChange:
    def change(tensor: Any) -> Any:
        import torch

        integers = not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype is torch.bool)
        return tensor.to(getattr(torch, name)) if integers else tensor

    return change


def _empty(tensor: Any) -> Any:
    return tensor[:0] if tensor.dim() else tensor


def _one_row(tensor: Any) -> Any:
    return tensor[:1] if tensor.dim() else tensor


def _first_element(tensor: Any) -> Any:
    return tensor.reshape(-1)[0].clone() if tensor.numel() else tensor


def _flat(tensor: Any) -> Any:
    return tensor.reshape(-1)


def _half_masked(tensor: Any) -> Any:
    """Set the second half of a mask to zero; a tensor with only zeros and ones counts as a mask."""
    if tensor.is_floating_point() or tensor.is_complex() or tensor.dim() == 0 or tensor.numel() == 0:
        return tensor
    if int(tensor.min()) < 0 or int(tensor.max()) > 1:
        return tensor
    changed = tensor.clone()
    changed[..., (tensor.shape[-1] + 1) // 2 :] = 0
    return changed


def _small(tensor: Any) -> Any:
    return tensor * 1e-3


def _largest(tensor: Any) -> Any:
    """Set a tensor of small numbers, such as bytes, to half of the largest one: results of arithmetic overflow."""
    import torch

    if tensor.is_complex() or tensor.dtype is torch.bool or tensor.element_size() > 2 or tensor.is_quantized:
        return tensor
    most = torch.finfo(tensor.dtype).max if tensor.is_floating_point() else torch.iinfo(tensor.dtype).max
    return torch.full_like(tensor, most / 2 if tensor.is_floating_point() else most)


# The most useful ones first: a slow target is called with as many as there is time for.
VARIANTS = (
    Variant("the arguments as given"),
    Variant("masks with zeros", change=_half_masked),
    Variant("another seed", seed=1),
    Variant("a NaN value", change=_for_floats(_with_nan)),
    Variant("arguments that require gradients", gradients=True),
    Variant("negative values", change=_for_floats(lambda tensor: -3 * tensor.abs())),
    Variant("zeros", change=_for_floats(_zeros)),
    Variant("zeros that require gradients", change=_for_floats(_zeros), gradients=True),
    Variant("small values that require gradients", change=_for_floats(_small), gradients=True),
    Variant("the largest values of small types", change=_largest),
    Variant("infinite values", change=_for_floats(_with_infinities)),
    Variant("ones", change=_for_floats(_ones)),
    Variant("a third seed", seed=2),
)
# Arguments of other types and shapes, which the code may take as well.
OTHER_KINDS = (
    Variant("empty tensors", change=_empty),
    Variant("float16", change=_floats_as("float16"), dtype="float16"),
    Variant("bfloat16 that requires gradients", change=_floats_as("bfloat16"), gradients=True),
    Variant("bfloat16", change=_floats_as("bfloat16"), dtype="bfloat16"),
    Variant("float64", change=_floats_as("float64"), dtype="float64"),
    Variant("uint8 for integers", change=_integers_as("uint8")),
    Variant("int32 for integers", change=_integers_as("int32")),
    Variant("tensors without dimensions", change=_first_element),
    Variant("tensors with one dimension", change=_flat),
    Variant("one row", change=_one_row),
)
WITHOUT_DROPOUT = Variant("without dropout", dropout=False)


def variants_for(mode: str) -> tuple[Variant, ...]:
    """Return the variants for a mode of a module, or ("") for a function: the parameters of a module have gradients."""
    return tuple(each for each in VARIANTS if not (each.gradients and mode))


def other_kinds_for(mode: str) -> tuple[Variant, ...]:
    """Return the variants with other types and shapes for a mode of a module, or ("") for a function."""
    return tuple(each for each in OTHER_KINDS if not (each.gradients and mode))


@contextlib.contextmanager
def parameters_as(module: Any, dtype: str) -> Iterator[None]:
    """Give the floating-point parameters and buffers of a module another type; no change for an empty ``dtype``."""
    import torch

    tensors = [] if module is None or not dtype else [*module.parameters(), *module.buffers()]
    originals = [(each, each.data) for each in tensors if each.is_floating_point()]
    for each, data in originals:
        each.data = data.to(getattr(torch, dtype))
    try:
        yield
    finally:
        for each, data in originals:
            each.data = data


def apply_variant(variant: Variant, arguments: Any) -> Any:
    """Return the arguments with the variant's change applied."""
    import torch
    from torch.utils import _pytree

    def changed(tensor: Any) -> Any:
        tensor = tensor if variant.change is None else variant.change(tensor)
        if variant.gradients and tensor.is_floating_point() and tensor.is_leaf:
            tensor = tensor.detach().clone().requires_grad_()
        return tensor

    return _pytree.tree_map_only(torch.Tensor, changed, arguments)
