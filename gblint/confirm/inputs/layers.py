"""Requirements of the layers of torch.nn: shape, dtype and range of each argument, from the layer's own sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

SizeOrLabel = int | str


@dataclass(frozen=True, slots=True)
class TensorRequirement:
    """Requirements of a tensor argument.

    ``shape`` has sizes, or labels where any size is accepted. With ``extra_leading`` any number of dimensions may
    precede it. ``high`` is the exclusive upper bound of ids, 0 for none.
    """

    shape: tuple[SizeOrLabel, ...]
    dtype: str = "float32"
    high: int = 0
    extra_leading: bool = False

    def transposed(self, a: int, b: int) -> TensorRequirement:
        """Return the requirement before two dimensions are swapped."""
        rank = len(self.shape)
        if not -rank <= a < rank or not -rank <= b < rank:
            return self
        dims = list(self.shape)
        dims[a], dims[b] = dims[b], dims[a]
        return replace(self, shape=tuple(dims))

    def permuted(self, order: tuple[int, ...]) -> TensorRequirement:
        """Return the requirement before the dimensions are permuted."""
        if sorted(each % len(order) for each in order) != list(range(len(self.shape))):
            return self
        dims: list[SizeOrLabel] = [""] * len(order)
        for place, source in enumerate(order):
            dims[source % len(order)] = self.shape[place]
        return replace(self, shape=tuple(dims))


def layer_requirements(layer: Any) -> Mapping[str, TensorRequirement] | None:
    """Return the requirements of a torch.nn layer by argument name; None for any other module."""
    try:
        return _read_layer(layer)
    except (AttributeError, IndexError):  # a layer whose constructor failed
        return None


def _read_layer(layer: Any) -> Mapping[str, TensorRequirement] | None:
    import torch.nn as nn

    kind: type | None = next(
        (each for each in type(layer).__mro__ if each.__module__.startswith("torch.nn.modules")), None
    )
    if kind is None or kind is nn.Module or isinstance(layer, _containers()):
        return None
    if (
        getattr(type(layer), "forward", None) is not getattr(kind, "forward", None)
        and type(layer).__module__.partition(".")[0] != "torch"
    ):
        return None
    name = kind.__name__.removeprefix("Lazy")
    for suffix, rank in (("1d", 1), ("2d", 2), ("3d", 3)):
        if name.endswith(suffix):
            return _dimensional(name[: -len(suffix)], rank, layer)
    reader = _READERS.get(name)
    return None if reader is None else reader(layer)


def _containers() -> tuple[type, ...]:
    import torch.nn as nn

    return (nn.Sequential, nn.ModuleList, nn.ModuleDict)


def _spatial(rank: int) -> tuple[str, ...]:
    return {1: ("L",), 2: ("H", "W"), 3: ("D", "H", "W")}[rank]


def _dimensional(name: str, rank: int, layer: Any) -> Mapping[str, TensorRequirement] | None:
    """Return the requirements of a convolution, norm, pooling, padding or dropout layer of 1, 2 or 3 spatial
    dimensions."""
    if name in ("Conv", "ConvTranspose"):
        return {"input": TensorRequirement(("B", _size(layer.in_channels, "C"), *_spatial(rank)))}
    if name in ("BatchNorm", "InstanceNorm"):
        inner = () if name == "BatchNorm" and rank == 1 else _spatial(rank)
        return {"input": TensorRequirement(("B", _size(layer.num_features, "C"), *inner), extra_leading=rank == 1)}
    if "Pool" in name or "Pad" in name or "Dropout" in name:
        return {"input": TensorRequirement(("B", "C", *_spatial(rank)))}
    return None


def _size(value: Any, label: str) -> SizeOrLabel:
    """Return the size, or a label for the size of a lazy layer that is not initialized."""
    return int(value) if isinstance(value, int) and value > 0 else label


def _linear(layer: Any) -> Mapping[str, TensorRequirement]:
    return {"input": TensorRequirement((_size(layer.in_features, "D"),), extra_leading=True)}


def _bilinear(layer: Any) -> Mapping[str, TensorRequirement]:
    return {
        "input1": TensorRequirement(("B", layer.in1_features)),
        "input2": TensorRequirement(("B", layer.in2_features)),
    }


def _normalised(layer: Any) -> Mapping[str, TensorRequirement]:
    return {"input": TensorRequirement(tuple(layer.normalized_shape), extra_leading=True)}


def _group_norm(layer: Any) -> Mapping[str, TensorRequirement]:
    return {"input": TensorRequirement(("B", layer.num_channels, "H", "W"))}


def _embedding(layer: Any) -> Mapping[str, TensorRequirement]:
    return {"input": TensorRequirement((), "int64", layer.num_embeddings, extra_leading=True)}


def _recurrent(layer: Any) -> Mapping[str, TensorRequirement]:
    shape = ("B", "T") if layer.batch_first else ("T", "B")
    return {"input": TensorRequirement((*shape, layer.input_size))}


def _cell(layer: Any) -> Mapping[str, TensorRequirement]:
    return {"input": TensorRequirement(("B", layer.input_size)), "hx": TensorRequirement(("B", layer.hidden_size))}


def _attention(layer: Any) -> Mapping[str, TensorRequirement]:
    def of(length: str, size: int) -> TensorRequirement:
        return TensorRequirement(("B", length, size) if layer.batch_first else (length, "B", size))

    return {
        "query": of("T", layer.embed_dim),
        "key": of("S", layer.kdim),
        "value": of("S", layer.vdim),
        "key_padding_mask": TensorRequirement(("B", "S"), "bool"),
        "attn_mask": TensorRequirement(("T", "S"), "bool"),
    }


def _encoder_layer(layer: Any) -> Mapping[str, TensorRequirement]:
    attention = _attention(layer.self_attn)
    given = {"src": attention["query"], "tgt": attention["query"], "memory": attention["query"]}
    masks = {name: TensorRequirement(("T", "T"), "bool") for name in ("mask", "src_mask", "tgt_mask", "memory_mask")}
    padding = {f"{name}_key_padding_mask": TensorRequirement(("B", "T"), "bool") for name in ("src", "tgt", "memory")}
    return {**given, **masks, **padding}


def _encoder(layer: Any) -> Mapping[str, TensorRequirement]:
    return _encoder_layer(layer.layers[0])


def _transformer(layer: Any) -> Mapping[str, TensorRequirement]:
    return _encoder(layer.encoder)


def _cross_entropy(_: Any) -> Mapping[str, TensorRequirement]:
    return {"input": TensorRequirement(("B", "K")), "target": TensorRequirement(("B",), "int64", 2)}


def _pair(_: Any) -> Mapping[str, TensorRequirement]:
    return {"input": TensorRequirement(("B", "D")), "target": TensorRequirement(("B", "D"))}


_READERS = {
    "Linear": _linear,
    "NonDynamicallyQuantizableLinear": _linear,
    "Bilinear": _bilinear,
    "LayerNorm": _normalised,
    "RMSNorm": _normalised,
    "GroupNorm": _group_norm,
    "Embedding": _embedding,
    "EmbeddingBag": _embedding,
    "LSTM": _recurrent,
    "GRU": _recurrent,
    "RNN": _recurrent,
    "LSTMCell": _cell,
    "GRUCell": _cell,
    "RNNCell": _cell,
    "MultiheadAttention": _attention,
    "TransformerEncoderLayer": _encoder_layer,
    "TransformerDecoderLayer": _encoder_layer,
    "TransformerEncoder": _encoder,
    "TransformerDecoder": _encoder,
    "Transformer": _transformer,
    "CrossEntropyLoss": _cross_entropy,
    "NLLLoss": _cross_entropy,
    "MSELoss": _pair,
    "L1Loss": _pair,
    "SmoothL1Loss": _pair,
    "BCELoss": _pair,
    "BCEWithLogitsLoss": _pair,
}
KEEPS_SHAPE = frozenset(
    "Identity Dropout ReLU ReLU6 LeakyReLU PReLU GELU SiLU ELU SELU CELU Tanh Sigmoid Softplus Hardswish Hardsigmoid "
    "Mish Dropout1d Dropout2d Dropout3d AlphaDropout Softmax LogSoftmax".split()
)
