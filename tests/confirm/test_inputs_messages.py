"""Properties of inputs that error messages ask for; the installed torch raises the errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torch.nn.utils import rnn  # noqa: E402

from gblint.confirm.inputs.error_requests import (  # noqa: E402
    Dtype,
    InputRequest,
    ItemCount,
    LargerSize,
    MissingArguments,
    MultipleOf,
    OneOf,
    Rank,
    Size,
    UnexpectedArgument,
    UpperBound,
    ValueKind,
    ValueRange,
)
from gblint.confirm.inputs.messages import READERS, read_message  # noqa: E402

r = torch.randn
ids = torch.randint(0, 4, (2, 3))


def four_of_three() -> None:
    _, _, _, _ = r(2, 3, 4).shape


def takes(a: Any, b: Any, *, c: Any) -> None:
    return None


def mode(word: str) -> None:
    if word not in ("linear", "cubic"):
        raise ValueError(f"Unknown mode {word}, must be one of 'linear' or 'cubic'")


CASES: list[tuple[str, Callable[[], Any], InputRequest]] = [
    ("linear", lambda: nn.Linear(64, 8)(r(2, 32)), Size(32, 64)),
    ("linear of three", lambda: nn.Linear(64, 8)(r(2, 5, 32)), Size(32, 64)),
    ("linear of integers", lambda: nn.Linear(3, 8)(ids), Dtype("float32", "int64")),
    ("linear of doubles", lambda: nn.Linear(3, 8)(r(2, 3).double()), Dtype("float32", "float64")),
    ("channels", lambda: nn.Conv2d(3, 8, 3)(r(2, 4, 8, 8)), Size(4, 3, 1)),
    ("transposed channels", lambda: nn.ConvTranspose2d(3, 8, 3)(r(2, 4, 8, 8)), Size(4, 3, 1)),
    ("conv of two", lambda: nn.Conv2d(3, 8, 3)(r(2, 4)), Rank(2, 4)),
    ("conv1d of four", lambda: nn.Conv1d(3, 8, 3)(r(2, 4, 8, 8)), Rank(4, 3)),
    ("small image", lambda: nn.Conv2d(3, 8, 7)(r(2, 3, 4, 4)), LargerSize("space")),
    ("conv of integers", lambda: nn.Conv2d(3, 8, 3)(torch.ones(2, 3, 8, 8).long()), Dtype("float32", "int64")),
    ("embedding of floats", lambda: nn.Embedding(4, 8)(r(2, 3)), Dtype("int64", "float32")),
    ("embedding too far", lambda: nn.Embedding(4, 8)(torch.full((2, 3), 9)), UpperBound()),
    ("batch norm", lambda: nn.BatchNorm2d(4)(r(2, 3, 4, 4)), Size(3, 4, 1)),
    ("batch norm of three", lambda: nn.BatchNorm2d(4)(r(2, 4, 4)), Rank(3, 4)),
    ("batch norm of one", lambda: nn.BatchNorm1d(4)(r(1, 4)), LargerSize("batch")),
    ("layer norm", lambda: nn.LayerNorm(4)(r(2, 3)), Size(3, 4, -1)),
    ("group norm", lambda: nn.GroupNorm(4, 6), MultipleOf(4, name="num_channels")),
    ("lstm", lambda: nn.LSTM(4, 8)(r(2, 3, 5)), Size(5, 4)),
    ("lstm of four", lambda: nn.LSTM(4, 8)(r(2, 3, 5, 5)), Rank(4, 3)),
    ("lstm of integers", lambda: nn.LSTM(4, 8)(ids), Dtype("float32", "int64")),
    ("cell", lambda: nn.GRUCell(4, 8)(r(2, 3)), Size(3, 4)),
    ("attention", lambda: nn.MultiheadAttention(8, 2)(*[r(2, 3, 5)] * 3), Size(5, 8)),
    ("heads", lambda: nn.MultiheadAttention(9, 2), MultipleOf(0, name="embed_dim")),
    ("mask", lambda: nn.MultiheadAttention(8, 2)(*[r(2, 3, 8)] * 3, attn_mask=r(2, 16) > 0), Size(16, 2, 1)),
    ("padding", lambda: nn.MultiheadAttention(8, 2)(*[r(2, 3, 8)] * 3, key_padding_mask=r(2, 2) > 0), Size(2, 3, 0)),
    ("encoder", lambda: nn.TransformerEncoderLayer(8, 2)(r(2, 3, 5)), Size(5, 8)),
    ("sum", lambda: r(2, 3) + r(2, 4), Size(3, 4)),
    ("product", lambda: r(2, 3) @ r(2, 4), Size(3, 2)),
    ("batched product", lambda: torch.bmm(r(2, 3, 4), r(2, 3, 4)), Size(4, 3)),
    ("bmm of two", lambda: torch.bmm(r(3, 4), r(2, 3, 4)), Rank(0, 3)),
    ("cat", lambda: torch.cat([r(2, 3, 4), r(2, 3, 5)], 1), Size(5, 4)),
    ("cat of ranks", lambda: torch.cat([r(2, 3, 4), r(2, 3)], 1), Rank(2, 3)),
    ("view", lambda: r(2, 3).view(2, 5), Size(6, 10)),
    ("view of a part", lambda: r(2, 3).view(2, 5, -1), MultipleOf(5)),
    ("expand", lambda: r(2, 3).expand(2, 5), Size(3, 5)),
    ("permute", lambda: r(2, 3).permute(0, 2, 1), Rank(2, 3)),
    ("transpose", lambda: r(2, 3).transpose(1, 2), Rank(2, 3)),
    ("negative dimension", lambda: F.avg_pool2d(r(2, 3), 2), Rank(2, 3)),
    ("index", lambda: r(2, 3)[:, :, 0], Rank(2, 3)),
    ("index too far", lambda: r(2, 3)[torch.tensor([5])], UpperBound(2)),
    ("position too far", lambda: r(2, 3)[5], Size(2, 6, 0)),
    ("float index", lambda: r(2, 3)[r(3)], Dtype("int64", "float32")),
    ("boolean index", lambda: r(2, 3)[torch.ones(3).bool()], Size(3, 2, 0)),
    ("gather", lambda: r(2, 3).gather(1, r(2, 3)), Dtype("int64", "float32")),
    ("index_add", lambda: r(2, 3).index_add_(0, ids, r(2, 3)), Rank(2, 1)),
    ("cross entropy", lambda: F.cross_entropy(r(2, 3), r(2)), Dtype("int64", "float32")),
    ("class too far", lambda: F.cross_entropy(r(2, 3), torch.tensor([5, 6])), UpperBound()),
    ("targets", lambda: F.cross_entropy(r(2, 3), torch.tensor([0, 1, 2])), Size(3, 2)),
    ("pixels", lambda: F.cross_entropy(r(2, 3, 4, 4), torch.zeros(2).long()), Rank(1, 3)),
    ("probabilities", lambda: F.binary_cross_entropy(r(9, 9), r(9, 9)), ValueRange()),
    ("pairs", lambda: F.binary_cross_entropy(torch.rand(2, 3), torch.rand(2, 4)), Size(4, 3, 1)),
    ("float targets", lambda: F.binary_cross_entropy(torch.rand(2, 3), ids.clamp(0, 1)), Dtype("float32", "int64")),
    ("one hot", lambda: F.one_hot(r(2)), Dtype("int64", "float32")),
    ("pool", lambda: F.max_pool2d(r(2, 3, 1, 1), 2), LargerSize("space")),
    ("interpolate", lambda: F.interpolate(r(2, 3), scale_factor=2), Rank(2, 4)),
    ("bilinear", lambda: F.interpolate(r(2, 3, 4), scale_factor=2, mode="bilinear"), Rank(3, 4)),
    ("reflection", lambda: F.pad(r(2, 3, 2), (4, 4), mode="reflect"), LargerSize("space")),
    ("einsum ranks", lambda: torch.einsum("bhid,bijd->bhij", r(2, 3, 4), r(2, 3, 4, 5)), Rank(3, 4)),
    ("einsum sizes", lambda: torch.einsum("bi,ij->bj", r(2, 3), r(4, 5)), Size(3, 4)),
    ("masked fill", lambda: r(2, 3).masked_fill(r(2, 3), 0.0), Dtype("bool", "float32")),
    ("where", lambda: torch.where(r(2, 3), 1.0, 0.0), Dtype("bool", "float32")),
    ("invert", lambda: ~r(2), Dtype("bool")),
    ("and", lambda: r(2) & r(2), Dtype("bool", "float32")),
    ("bincount", lambda: torch.bincount(r(3)), Dtype("int64", "float32")),
    ("topk", lambda: torch.topk(r(3), 5), LargerSize("space")),
    ("split", lambda: r(2, 3, 8).split([3, 4], -1), Size(8, 7)),
    ("complex", lambda: torch.view_as_complex(r(2, 3)), Size(-1, 2, -1)),
    ("inverse", lambda: torch.linalg.inv(r(2, 3)), Size(2, 3)),
    ("not a float", lambda: torch.exp(5.0), ValueKind("tensor", "float")),  # type: ignore[arg-type]
    ("not a list", lambda: nn.Linear(3, 4)([r(2, 3)]), ValueKind("tensor", "list")),
    ("not nothing", lambda: nn.Linear(3, 4)(None), ValueKind("tensor", "NoneType")),
    ("overloads", lambda: nn.Conv2d(3, 4, 3)({"a": 1}), ValueKind("tensor", "dict")),
    ("tensors", lambda: torch.cat(r(2, 3)), ValueKind("tensors", "Tensor")),  # type: ignore[arg-type]
    ("size is a float", lambda: nn.Linear(3, 2.0), ValueKind("int", "float")),  # type: ignore[arg-type]
    ("size is a word", lambda: nn.Linear("a", 3), ValueKind("int", "str")),  # type: ignore[arg-type]
    ("unpack", four_of_three, Rank(3, 4)),
    ("attribute of None", lambda: None.shape, ValueKind("given", "NoneType", "shape")),  # type: ignore[attr-defined]
    ("None in a sum", lambda: r(2) + None, ValueKind("given", "NoneType")),
    ("shape of a number", lambda: (2).shape, ValueKind("tensor", "int", "shape")),  # type: ignore[attr-defined]
    ("key of a tensor", lambda: r(2)["a"], ValueKind("mapping")),
    ("missing key", lambda: {}["a"], ValueKind("mapping", "dict", "a")),
    ("length of a number", lambda: len(5), ValueKind("sequence", "int")),  # type: ignore[arg-type]
    ("one number", lambda: bool(r(2) > 0), ValueKind("number", "Tensor")),
    ("one element", lambda: r(2, 3).item(), ValueKind("number", "Tensor")),
    ("list too short", lambda: [r(2)][3], ItemCount(0)),
    ("missing", lambda: takes(1), MissingArguments(("b",))),  # type: ignore[call-arg]
    ("missing by name", lambda: takes(1, 2), MissingArguments(("c",))),  # type: ignore[call-arg]
    ("unexpected", lambda: takes(1, 2, c=1, d=2), UnexpectedArgument("d")),  # type: ignore[call-arg]
    ("word", lambda: mode("square"), OneOf(("linear", "cubic"))),
    (
        "padding mode",
        lambda: nn.Conv2d(3, 3, 3, padding_mode="odd"),
        OneOf(("circular", "reflect", "replicate", "zeros")),
    ),
    (
        "lengths too long",
        lambda: rnn.pack_padded_sequence(r(2, 3, 4), torch.tensor([1, 2, 3]), True, False),
        UpperBound(),
    ),
]


@pytest.mark.parametrize(("raises", "expected"), [pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_a_message_of_torch_is_read(raises: Callable[[], Any], expected: InputRequest) -> None:
    with pytest.raises(Exception) as caught:
        raises()
    assert expected in read_message(str(caught.value)), (str(caught.value), read_message(str(caught.value)))


EINOPS = [
    ("b c h w -> b (c h w)", (2, 3), {}, Rank(2, 4)),
    ("b c (h p) w -> b c h p w", (2, 3, 5, 5), {"p": 2}, MultipleOf(2, 5)),
    ("b (h d) -> b h d", (2, 10), {"h": 4}, MultipleOf(4, 10)),
]


@pytest.mark.parametrize(("pattern", "shape", "sizes", "expected"), EINOPS)
def test_a_message_of_einops_is_read(
    pattern: str, shape: tuple[int, ...], sizes: dict[str, int], expected: InputRequest
) -> None:
    einops = pytest.importorskip("einops")
    with pytest.raises(einops.EinopsError) as caught:
        einops.rearrange(r(*shape), pattern, **sizes)
    assert expected in read_message(str(caught.value))


# Messages as older versions and other libraries write them.
WRITTEN = [
    ("Error: Expected 4-dimensional input, but got 3-dimensional input of size [3, 8, 8] instead", None),
    ("Expected 4D (unbatched) or 5D (batched) input to conv3d, but got input of size: [2, 4, 8]", Rank(3, 5)),
    ("expected scalar type Long but found Float", Dtype("int64", "float32")),
    ("index 7 is out of bounds for dimension 1 with size 3", UpperBound(3)),
    (" Error while processing rearrange.\n Wrong shape: expected 4 dims. Received 2-dim tensor.", Rank(2, 4)),
    ("nothing that anybody knows", None),
]


@pytest.mark.parametrize(("message", "expected"), WRITTEN)
def test_messages_of_other_packages(message: str, expected: InputRequest | None) -> None:
    assert expected in read_message(message) if expected is not None else isinstance(read_message(message), list)


def test_every_reader_has_an_example() -> None:
    for pattern, reader in READERS:
        assert reader.__doc__
        assert isinstance(pattern, re.Pattern)
