"""``nn.Transformer``, ``nn.TransformerEncoder`` and ``nn.TransformerDecoder`` (torch/nn/modules/transformer.py)."""

from __future__ import annotations

from typing import Final, NamedTuple

from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.values.base import BOOL, NONE, Tensor, Value, members
from gblint.values.containers import Seq
from gblint.values.lattice import element
from gblint.values.objects import Class, ExternalName, Instance

_WHOLE: Final = "torch.nn.Transformer"
_ENCODER: Final = "torch.nn.TransformerEncoder"
_DECODER: Final = "torch.nn.TransformerDecoder"
# The parts of ``nn.Transformer``: the position and name of the argument that replaces each, and the class of each.
_PARTS: Final = {"encoder": (7, "custom_encoder", _ENCODER), "decoder": (8, "custom_decoder", _DECODER)}
# The parameters of a layer to which ``forward`` passes its own, in order; those after the inputs by name.
_PASSED: Final = {
    _ENCODER: ("src", "src_mask", "src_key_padding_mask"),
    _DECODER: (
        "tgt",
        "memory",
        "tgt_mask",
        "memory_mask",
        "tgt_key_padding_mask",
        "memory_key_padding_mask",
    ),
}
_FLAGS: Final = {_ENCODER: ("is_causal",), _DECODER: ("tgt_is_causal", "memory_is_causal")}


class Mask(NamedTuple):
    """A mask and the flag that says whether it is causal: the positions and names of both parameters."""

    position: int
    name: str
    flag_position: int
    flag: str


MASKS: Final = {
    # By the name of the class.
    _ENCODER: (Mask(1, "mask", 3, "is_causal"),),
    _DECODER: (Mask(2, "tgt_mask", 6, "tgt_is_causal"),),
    _WHOLE: (Mask(2, "src_mask", 8, "src_is_causal"), Mask(3, "tgt_mask", 9, "tgt_is_causal")),
}


def fill(instance: Instance, names: tuple[str, ...], args: Args) -> None:
    """Set the submodules that the ``__init__`` of these classes makes."""
    if _WHOLE in names:
        for part, (position, name, cls) in _PARTS.items():
            given = args.get(position, name)
            made = Instance(ExternalName(cls)) if given is None or given == NONE else given
            instance.attrs.setdefault(part, made)
    elif _ENCODER in names or _DECODER in names:
        layer = args.get(0, "encoder_layer" if _ENCODER in names else "decoder_layer")
        if layer is not None:
            layers = Instance(ExternalName("torch.nn.ModuleList"), {"__items__": Seq("list", None, layer)})
            instance.attrs.setdefault("layers", layers)


def call(ctx: CallContext, instance: Instance, name: str) -> None:
    """Report the masks that the ``forward`` of a class reads, and call its layers if they have source."""
    if ctx.args.star is not None or ctx.args.kwstar is not None:
        return
    for mask in MASKS.get(name, ()):
        _check_mask(ctx, mask)
    layers = instance.attrs.get("layers")
    items = layers.attrs.get("__items__") if isinstance(layers, Instance) else None
    if name not in _PASSED or not isinstance(items, Seq):
        return
    for layer in members(element(items)):
        if isinstance(layer, Instance) and isinstance(layer.cls, Class):
            ctx.call(layer, _passed(ctx.args, name))


def _check_mask(ctx: CallContext, mask: Mask) -> None:
    """Report a mask that is compared with a causal one, as ``_detect_is_causal_mask`` does it without a flag.

    A mask of another rank has another size, and is not compared.
    """
    given = ctx.args.get(mask.position, mask.name)
    flag = ctx.args.get(mask.flag_position, mask.flag)
    if given is None or given == NONE or not (flag is None or NONE in members(flag)):
        return
    if all(isinstance(each, Tensor) and each.rank not in (2, None) for each in members(given) if each != NONE):
        return
    causes = () if ctx.frame.mode.keeps_scalars else ("tensor-item-without-capture-scalar-outputs",)
    is_optional = NONE in members(given) or (flag is not None and flag != NONE)
    ctx.emit("tensor-to-python", "causal-mask", causes, about=given, likely=is_optional)


def _passed(args: Args, name: str) -> Args:
    """Return the arguments of a layer in an encoder or decoder with these arguments."""
    names = ("src", "mask", "src_key_padding_mask") if name == _ENCODER else _PASSED[name]
    values: list[Value] = [args.get(position, each) or NONE for position, each in enumerate(names)]
    count = 1 if name == _ENCODER else 2
    kw = dict(zip(_PASSED[name][count:], values[count:]))
    return Args(tuple(values[:count]), {**kw, **dict.fromkeys(_FLAGS[name], BOOL)})
