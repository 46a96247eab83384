"""Readers of messages about sizes and ranks."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from gblint.confirm.inputs.error_requests import InputRequest, ItemCount, MultipleOf, Rank, Size
from gblint.confirm.inputs.messages._reader import Table, reader_for, sizes

READERS: Table = []
_reads = functools.partial(reader_for, READERS)


@_reads(r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)")
def matrices(match: re.Match[str]) -> Iterator[InputRequest]:
    """A linear layer or matrix product got another number of features."""
    _, inner, rows, _ = (int(each) for each in match.groups())
    yield Size(inner, rows)
    yield Size(rows, inner)


@_reads(r"size mismatch, got input \((\d+)\), mat \((\d+)x(\d+)\), vec \((\d+)\)")
def vector(match: re.Match[str]) -> Iterator[InputRequest]:
    """A product of a matrix and a vector."""
    yield Size(int(match[4]), int(match[3]))


@_reads(
    r"Given (?:groups|transposed)=\d+, weight of size \[[^\]]*\], expected input\[([^\]]*)\] to have "
    r"(\d+) channels, but got (\d+)"
)
def channels(match: re.Match[str]) -> Iterator[InputRequest]:
    """A convolution got another number of channels."""
    yield Size(int(match[3]), int(match[2]), 1)
    if int(match[2]) in sizes(match[1])[1:]:
        yield Size(int(match[3]), int(match[2]))


@_reads(r"running_mean should contain (\d+) elements not (\d+)")
def running_mean(match: re.Match[str]) -> Iterator[InputRequest]:
    """A batch norm got another number of features."""
    yield Size(int(match[1]), int(match[2]), 1)


@_reads(
    r"[Ee]xpected (?:input to be )?(\d)D?(?: \(unbatched\))?(?: or (\d)D?)?.{0,40}?(?:got|but "
    r"received) (?:input of size: \[([^\]]*)\]|(?:a )?(\d)-?D?)"
)
def rank(match: re.Match[str]) -> Iterator[InputRequest]:
    """A layer got a tensor of another rank."""
    have = len(sizes(match[3])) if match[3] else int(match[4])
    for want in (match[2], match[1]):
        if want:
            yield Rank(have, int(want))


@_reads(r"(?:Only|only|non-empty) (\d)D(?:, | or )(\d)D.*?(?:got (\d)D|expected for input)")
def one_of_two_ranks(match: re.Match[str]) -> Iterator[InputRequest]:
    """An operation on images or signals got a tensor of another rank."""
    have = int(match[3]) if match[3] else 0
    yield Rank(have, int(match[2]))
    yield Rank(have, int(match[1]))


@_reads(
    r"Got (\d)D input, but \w+ mode needs (\d)D input|batch\d must be a (\d)D tensor|input must be "
    r"(\d)[- ]?[dD]imensional"
)
def required_rank(match: re.Match[str]) -> Iterator[InputRequest]:
    """An operation requires a rank; other wordings."""
    yield Rank(int(match[1] or 0), int(match[2] or match[3] or match[4]))


@_reads(r"Wrong shape: expected (\d+) dims\. Received (\d+)-dim tensor")
def einops_rank(match: re.Match[str]) -> Iterator[InputRequest]:
    """An einops pattern names more or fewer dimensions."""
    yield Rank(int(match[2]), int(match[1]))


@_reads(
    r"Wrong shape: expected >=(\d+) dims\. Received (\d+)-dim tensor|has shape "
    r"torch\.Size\(\[([^\]]*)\]\), while pattern .* assumes at least (\d+) axes"
)
def einops_least_rank(match: re.Match[str]) -> Iterator[InputRequest]:
    """An einops pattern with an ellipsis."""
    yield Rank(int(match[2] or len(sizes(match[3] or ""))), int(match[1] or match[4]))


@_reads(r"Shape mismatch, can't divide axis of length (\d+) in chunks of (\d+)")
def einops_multiple(match: re.Match[str]) -> Iterator[InputRequest]:
    """A dimension of an einops pattern is not divisible."""
    yield MultipleOf(int(match[2]), int(match[1]))


@_reads(r"Shape mismatch, (\d+) != (\d+)")
def einops_size(match: re.Match[str]) -> Iterator[InputRequest]:
    """A dimension of an einops pattern has another size."""
    yield Size(int(match[1]), int(match[2]))
    yield Size(int(match[2]), int(match[1]))


@_reads(r"(not enough|too many) values to unpack \(expected (\d+)(?:, got (\d+))?\)")
def unpacked(match: re.Match[str]) -> Iterator[InputRequest]:
    """A shape or tuple has another number of parts; a plain tensor is unpacked along its first dimension."""
    want = int(match[2])
    have = int(match[3]) if match[3] else 0
    yield Rank(have, want)
    if have == 0 and match[1] == "too many":
        yield Rank(want + 1, want)
    yield ItemCount(want)
    if have:
        yield Size(have, want, 0)


@_reads(r"Dimension out of range \(expected to be in range of \[-(\d+), \d+\], but got (-?\d+)\)")
def dimension(match: re.Match[str]) -> Iterator[InputRequest]:
    """A dimension that the tensor does not have."""
    have, asked = int(match[1]), int(match[2])
    want = asked + 1 if asked >= 0 else -asked
    yield Rank(have, want)
    if want + 1 <= 4:
        yield Rank(have, want + 1)


@_reads(r"too many indices for tensor of dimension (\d+)")
def indices(match: re.Match[str]) -> Iterator[InputRequest]:
    """More indices than dimensions."""
    yield Rank(int(match[1]), int(match[1]) + 1)
    yield Rank(int(match[1]), int(match[1]) + 2)


@_reads(
    r"input\.dim\(\) = (\d+) is not equal to len\(dims\) = (\d+)|number of subscripts in the "
    r"equation \((?P<want>\d+)\) does not match the number of dimensions \((?P<have>\d+)\)"
)
def order(match: re.Match[str]) -> Iterator[InputRequest]:
    """permute() and einsum() name every dimension."""
    yield Rank(int(match[1] or match["have"]), int(match[2] or match["want"]))


@_reads(
    r"supposed to be a vector, but got dim: (\d+)|vector expected|1D tensor expected, but got (\d+)D"
    r"|must be (?:a )?1-?[dD](?:imensional)? tensor"
)
def vector_expected(match: re.Match[str]) -> Iterator[InputRequest]:
    """An index or lengths with more than one dimension."""
    yield Rank(int(match[1] or match[2] or 0), 1)


@_reads(r"same number of dimensions: got (\d+) and (\d+)")
def ranks_differ(match: re.Match[str]) -> Iterator[InputRequest]:
    """Concatenated tensors have different ranks."""
    yield Rank(int(match[2]), int(match[1]))
    yield Rank(int(match[1]), int(match[2]))


@_reads(r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)")
def broadcast(match: re.Match[str]) -> Iterator[InputRequest]:
    """Operands of an elementwise operation cannot be broadcast."""
    yield Size(int(match[1]), int(match[2]))
    yield Size(int(match[2]), int(match[1]))


@_reads(r"Expected size (\d+) but got size (\d+) for tensor number")
def concatenated(match: re.Match[str]) -> Iterator[InputRequest]:
    """torch.cat() of tensors with different sizes in another dimension."""
    yield Size(int(match[2]), int(match[1]))
    yield Size(int(match[1]), int(match[2]))


@_reads(r"batch2 tensor to be: \[(\d+), (\d+)\] but got: \[(\d+), (\d+)\]")
def batched_matrices(match: re.Match[str]) -> Iterator[InputRequest]:
    """A product of batches of matrices."""
    batch, inner, given_batch, rows = (int(each) for each in match.groups())
    for have, want in ((inner, rows), (rows, inner), (given_batch, batch), (batch, given_batch)):
        if have != want:
            yield Size(have, want)


@_reads(
    r"expanded size of the tensor \((-?\d+)\) must match the existing size \((\d+)\)|subscript \w "
    r"has size (\d+) for operand \d+ which does not broadcast with previously seen size (\d+)"
)
def expand_size(match: re.Match[str]) -> Iterator[InputRequest]:
    """expand() or einsum() with another size."""
    want, have = int(match[1] or match[3]), int(match[2] or match[4])
    yield Size(have, want)
    yield Size(want, have)


@_reads(
    r"Given normalized_shape=\[([^\]]*)\], expected input with shape \[[^\]]*\], but got input of size ?\[([^\]]*)\]"
)
def normalised(match: re.Match[str]) -> Iterator[InputRequest]:
    """A layer norm got another number of features."""
    for want, have in zip(reversed(sizes(match[1])), reversed(sizes(match[2]))):
        if want != have:
            yield Size(have, want, -1)
            yield Size(have, want)


@_reads(
    r"Expected (\d+), got (\d+)|got (\d+),? expected (\d+)|dimension of (\d+), but got (\d+)|should "
    r"contain (\d+) elements, but got (\d+)"
)
def expected_size(match: re.Match[str]) -> Iterator[InputRequest]:
    """An expected and an actual size, as recurrent layers and attention report them."""
    found = [int(each) for each in match.groups() if each]
    want, have = (found[1], found[0]) if match[3] else (found[0], found[1])
    yield Size(have, want)


@_reads(r"\.shape\[(\d+)\] to be (\d+), but got (\d+)")
def shape_at(match: re.Match[str]) -> Iterator[InputRequest]:
    """A mask of attention with another size."""
    yield Size(int(match[3]), int(match[2]), int(match[1]))


@_reads(r"[Tt]he shape of the .*?mask is (?:torch\.Size\()?[\[(]([^\])]*)[\])]\)?, but should be \(([^)]*)\)")
def mask_shape(match: re.Match[str]) -> Iterator[InputRequest]:
    """A two-dimensional mask of attention with another shape."""
    for place, (have, want) in enumerate(zip(sizes(match[1]), sizes(match[2]))):
        if have != want:
            yield Size(have, want, place)


@_reads(r"shape of the mask \[([^\]]*)\] at index (\d+) does not match the shape of the indexed tensor \[([^\]]*)\]")
def mask_index(match: re.Match[str]) -> Iterator[InputRequest]:
    """A boolean index has the shape of the indexed tensor."""
    place = int(match[2])
    mask, tensor = sizes(match[1]), sizes(match[3])
    if place < len(mask) and place < len(tensor):
        yield Size(mask[place], tensor[place], place)
    if len(mask) > len(tensor):
        yield Rank(len(tensor), len(mask))


@_reads(r"input batch_size \((\d+)\) to match target batch_size \((\d+)\)")
def batch_sizes(match: re.Match[str]) -> Iterator[InputRequest]:
    """Input and target of a loss have different batch sizes."""
    yield Size(int(match[2]), int(match[1]))
    yield Size(int(match[1]), int(match[2]))


@_reads(r"spatial targets supported \((\d)D tensors\) but got targets of dimension: (\d)")
def spatial_target(match: re.Match[str]) -> Iterator[InputRequest]:
    """A cross entropy over pixels."""
    yield Rank(int(match[2]), int(match[1]))


@_reads(
    r"target size \(torch\.Size\(\[([^\]]*)\]\)\) that is different to the input size \(torch\.Size\(\[([^\]]*)\]\)\)"
)
def target_size(match: re.Match[str]) -> Iterator[InputRequest]:
    """Input and target of a loss have different shapes."""
    have, want = sizes(match[1]), sizes(match[2])
    if len(have) != len(want):
        yield Rank(len(have), len(want))
    for place, (a, b) in enumerate(zip(have, want)):
        if a != b:
            yield Size(a, b, place)


@_reads(r"shape '\[([^\]]*)\]' is invalid for input of size (\d+)")
def view_shape(match: re.Match[str]) -> Iterator[InputRequest]:
    """view() to a shape with another number of elements."""
    wanted, have = sizes(match[1]), int(match[2])
    whole = 1
    for each in wanted:
        whole *= max(each, 1)
    if whole and -1 in wanted:
        for each in wanted:
            if each > 1:
                yield MultipleOf(each)
    elif whole != have:
        yield Size(have, whole)


@_reads(r"split_sizes to sum exactly to (\d+) .*?split_sizes=\[([^\]]*)\]")
def split(match: re.Match[str]) -> Iterator[InputRequest]:
    """split() into sizes with another sum."""
    yield Size(int(match[1]), sum(sizes(match[2])))


@_reads(r"must have a last dimension of size (\d+)|to have size (\d+) in last dimension")
def last_dimension(match: re.Match[str]) -> Iterator[InputRequest]:
    """The last dimension has another size."""
    yield Size(-1, int(match[1] or match[2]), -1)


@_reads(r"square matrices, but they are (\d+) by (\d+)")
def square(match: re.Match[str]) -> Iterator[InputRequest]:
    """A matrix that should be square."""
    yield Size(int(match[1]), int(match[2]))
    yield Size(int(match[2]), int(match[1]))
