"""Other values for the same arguments: what depends on values is to take other ways as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TensorChange = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to call: the seed that the arguments are made with, and what becomes of each tensor in them.

    ``gradients`` asks for those of the arguments, ``dropout`` is false where it is switched off.
    """

    name: str
    seed: int = 0
    change: TensorChange | None = None
    gradients: bool = False
    dropout: bool = True


def _floating(change: TensorChange) -> TensorChange:
    return lambda tensor: change(tensor) if tensor.is_floating_point() and tensor.numel() else tensor


def _zeros(tensor: Any) -> Any:
    return tensor.new_zeros(tensor.shape)


def _not_a_number(tensor: Any) -> Any:
    changed = tensor.clone()
    changed.view(-1)[0] = float("nan")
    return changed


def _masked(tensor: Any) -> Any:
    """A mask loses its second half: what holds nothing but zeros and ones is taken for one."""
    if tensor.is_floating_point() or tensor.is_complex() or tensor.dim() == 0 or tensor.numel() == 0:
        return tensor
    if int(tensor.min()) < 0 or int(tensor.max()) > 1:
        return tensor
    changed = tensor.clone()
    changed[..., (tensor.shape[-1] + 1) // 2 :] = 0
    return changed


# The most telling ones first: where a call takes long, only as many are made as there is time for.
VARIANTS = (
    Variant("the arguments as given"),
    Variant("masks with zeros", change=_masked),
    Variant("another seed", seed=1),
    Variant("a value that is no number", change=_floating(_not_a_number)),
    Variant("arguments that require gradients", gradients=True),
    Variant("negative values", change=_floating(lambda tensor: -3 * tensor.abs())),
    Variant("zeros", change=_floating(_zeros)),
    Variant("a third seed", seed=2),
)
WITHOUT_DROPOUT = Variant("without dropout", dropout=False)


def variants_for(mode: str) -> tuple[Variant, ...]:
    """The variants for a mode of a module, or for a function: gradients flow to the parameters of a module anyway."""
    return tuple(each for each in VARIANTS if not (each.gradients and mode))


def apply_variant(variant: Variant, arguments: Any) -> Any:
    """The arguments, with the change of the variant."""
    import torch
    from torch.utils import _pytree

    def changed(tensor: Any) -> Any:
        tensor = tensor if variant.change is None else variant.change(tensor)
        if variant.gradients and tensor.is_floating_point() and tensor.is_leaf:
            tensor = tensor.detach().clone().requires_grad_()
        return tensor

    return _pytree.tree_map_only(torch.Tensor, changed, arguments)
