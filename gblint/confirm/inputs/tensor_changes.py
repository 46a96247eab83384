"""Changes of tensors in a call: sizes, ranks, dtypes and bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gblint.confirm.inputs.attempts import AttemptFailure
from gblint.confirm.inputs.by_parameter_name import BATCH, SIDE
from gblint.confirm.inputs.error_requests import Dtype, LargerSize, MultipleOf, Rank, Size, UpperBound
from gblint.confirm.inputs.values import CallInputs, InputPath, PlainInput, TensorInput

Change = tuple[float, CallInputs]
_IMAGE_SIDES = (8, 16, 24, 28, 32, 40, 48, 56, 64, 84, 96, 112, 128, 192, 224, 256)
_SIGNAL_LENGTHS = (64, 128, 256, 512, 1000, 1024, 2048, 4096, 8000, 16000, 44100)


def suspect_tensors(call: CallInputs, failure: AttemptFailure) -> list[tuple[InputPath, TensorInput]]:
    """Return the tensors from which the inputs of the failing operation were computed; all of the call if unknown."""
    every = [(path, leaf) for path, leaf in call.leaves() if isinstance(leaf, TensorInput)]
    suspected = [each for each in every if each[0] in failure.suspects]
    return suspected or every


def size_changes(request: Size, call: CallInputs, failure: AttemptFailure) -> Iterator[Change]:
    """Set a dimension of the size ``have`` to the size ``want``."""
    tensors = suspect_tensors(call, failure)
    matched = False
    if request.want >= 1:
        for path, tensor in tensors:
            for index, size in enumerate(tensor.shape):
                if size != request.have and not (request.have == -1 and index == len(tensor.shape) - 1):
                    continue
                matched = True
                elsewhere = request.dim is not None and request.dim not in (index, index - len(tensor.shape))
                cost = 1 + 0.4 * (index == 0) + 0.3 * elsewhere
                changed = tensor.with_size(index, request.want)
                if changed.fits:
                    yield cost, call.replaced(path, changed)
                    yield from _same_label_changes(call, path, index, request.want, cost)
        yield from _number_changes(request, call)
    if not matched:
        yield from _derived_size_changes(request, tensors, call)


def _same_label_changes(call: CallInputs, path: InputPath, index: int, want: int, cost: float) -> Iterator[Change]:
    """Change the dimension with the same label in every argument."""
    tensor = call.at(path)
    assert isinstance(tensor, TensorInput)
    label, size = tensor.label(index), tensor.shape[index]
    changed, count = call, 0
    for other, leaf in call.leaves():
        if isinstance(leaf, TensorInput):
            for place, name in enumerate(leaf.labels[: len(leaf.shape)]):
                if name == label and label and leaf.shape[place] == size:
                    found = changed.at(other)
                    assert isinstance(found, TensorInput)
                    changed, count = changed.replaced(other, found.with_size(place, want)), count + 1
    if count > 1:
        yield cost - 0.1, changed


def _number_changes(request: Size, call: CallInputs) -> Iterator[Change]:
    """Change a number argument that equals the size."""
    for path, leaf in call.leaves():
        if isinstance(leaf, PlainInput) and type(leaf.value) is int and leaf.value == request.have:
            yield 1.5, call.replaced(path, PlainInput(request.want))


def _derived_size_changes(
    request: Size, tensors: list[tuple[InputPath, TensorInput]], call: CallInputs
) -> Iterator[Change]:
    """Change dimensions whose size may be a multiple, a sum, or the result of convolutions."""
    have, want = request.have, request.want
    for path, tensor in tensors:
        for index, size in enumerate(tensor.shape):
            if index == 0 and len(tensor.shape) > 1:
                continue
            if have > 0 and (want * size) % have == 0 and want * size // have > 0 and have % max(size, 1) == 0:
                changed = tensor.with_size(index, want * size // have)
                if changed.fits and changed != tensor:
                    yield 1.6, call.replaced(path, changed)
            shifted = size + want - have
            if 0 < shifted < 4096 and shifted != size and abs(want - have) < 4096:
                yield (
                    1.8 + 0.1 * (index != len(tensor.shape) - 1),
                    call.replaced(path, tensor.with_size(index, shifted)),
                )
        yield from common_size_changes(path, tensor, call)


def common_size_changes(path: InputPath, tensor: TensorInput, call: CallInputs) -> Iterator[Change]:
    """Try images and signals of common sizes."""
    if len(tensor.shape) >= 4 or (len(tensor.shape) == 3 and tensor.label(1) in ("H",)):
        for order, side in enumerate(_IMAGE_SIDES):
            changed = replace(tensor, shape=(*tensor.shape[:-2], side, side))
            if changed.fits and changed != tensor:
                yield 2.2 + 0.02 * order, call.replaced(path, changed)
            if len(tensor.shape) == 5:
                cube = replace(tensor, shape=(1, tensor.shape[1], side, side, side))
                if cube.fits:
                    yield 2.15 + 0.02 * order, call.replaced(path, cube)
    elif len(tensor.shape) in (2, 3) and not tensor.is_integer:
        for order, length in enumerate(_SIGNAL_LENGTHS):
            changed = tensor.with_size(len(tensor.shape) - 1, length)
            if changed.fits:
                yield 2.6 + 0.02 * order, call.replaced(path, changed)


def rank_changes(request: Rank, call: CallInputs, failure: AttemptFailure) -> Iterator[Change]:
    """Change the number of dimensions."""
    if request.have == 0 and failure.ranks and failure.ranks[0] != request.want:
        request = Rank(failure.ranks[0], request.want)
    yield from _joint_rank_changes(request, call, failure)
    for path, tensor in suspect_tensors(call, failure):
        rank = len(tensor.shape)
        exact = request.have in (0, rank)
        delta = request.want - (rank if request.have == 0 else request.have)
        if delta == 0 or not 0 <= rank + delta <= 6:
            continue
        for cost, changed in _with_rank(tensor, rank + delta):
            yield cost + (0 if exact else 0.6), call.replaced(path, changed)


def _joint_rank_changes(request: Rank, call: CallInputs, failure: AttemptFailure) -> Iterator[Change]:
    """Change all tensors of one rank at once, for operations that stack or join them."""
    tensors = suspect_tensors(call, failure)
    for rank in sorted({len(tensor.shape) for _, tensor in tensors}, reverse=True):
        alike = [(path, tensor) for path, tensor in tensors if len(tensor.shape) == rank]
        want = rank + request.want - (request.have or rank)
        if len(alike) < 2 or want == rank or not 0 <= want <= 6:
            continue
        changed = call
        for path, tensor in alike:
            changed = changed.replaced(path, next(iter(_with_rank(tensor, want)))[1])
        yield 1.1, changed
    delta = request.want - request.have
    if request.have and len(tensors) > 1 and all(1 <= len(tensor.shape) + delta <= 6 for _, tensor in tensors):
        changed = call
        for path, tensor in tensors:
            changed = changed.replaced(path, next(iter(_with_rank(tensor, len(tensor.shape) + delta)))[1])
        yield 1.3, changed


def _with_rank(tensor: TensorInput, rank: int) -> Iterator[tuple[float, TensorInput]]:
    """Yield the tensor with more or fewer dimensions, the most likely layouts first, with a cost."""
    shape, have = tensor.shape, len(tensor.shape)
    bare = replace(tensor, labels=())
    if tensor.fill == "arange":
        bare = replace(bare, fill="integers", high=1)
    if rank > have:
        extra = rank - have
        side = shape[-1] if have >= 3 else SIDE
        options = [(*shape, *(side,) * extra)]
        if have >= 2:
            options.append((shape[0], *(16,) * extra, *shape[1:]))
            options.append((shape[0], *(1,) * extra, *shape[1:]))
            options.append((*shape, *(1,) * extra))
        options.append((BATCH,) * extra + shape)
        if have <= 1:
            options = [((BATCH,) * extra + shape), (*shape, *(16,) * extra)]
    else:
        options = [shape[:1] + shape[1 + have - rank :], shape[:rank], shape[have - rank :]]
        if have - rank == 1 and have >= 3:
            options.insert(1, (*shape[:-2], shape[-1]))
    for order, option in enumerate(dict.fromkeys(options)):
        changed = replace(bare, shape=option)
        if changed.fits:
            yield 1 + 0.25 * order, changed


def dtype_changes(request: Dtype, call: CallInputs, failure: AttemptFailure) -> Iterator[Change]:
    """Change the dtype."""
    tensors = suspect_tensors(call, failure)
    like = [each for each in tensors if each[1].dtype == request.have] if request.have else tensors
    for path, tensor in like or tensors:
        if tensor.dtype != request.want:
            yield (0.8 if like else 1.4), call.replaced(path, tensor.of_dtype(request.want))
    if len(like) > 1:
        changed = call
        for path, tensor in like:
            changed = changed.replaced(path, tensor.of_dtype(request.want))
        yield 1.2, changed


def bound_changes(request: UpperBound, call: CallInputs, failure: AttemptFailure) -> Iterator[Change]:
    """Make integers smaller."""
    for path, tensor in suspect_tensors(call, failure):
        if not tensor.is_integer:
            continue
        if tensor.fill == "full":
            for value in (tensor.high // 2, 1, 0):
                yield 1.0 + 0.1 * (value == 0), call.replaced(path, replace(tensor, high=value))
            continue
        bounds = [request.bound] if 0 < request.bound < tensor.high else []
        for bound in (*bounds, tensor.high // 2, 2, 1):
            if 0 < bound < tensor.high:
                yield 0.9 + 0.1 * (bound == 1), call.replaced(path, replace(tensor, fill="integers", high=bound))
        for index, size in enumerate(tensor.shape):
            # Position embeddings are tables too: a shorter sequence needs fewer positions.
            if index and size > 4:
                yield 1.6, call.replaced(path, tensor.with_size(index, size // 2))


def multiple_changes(request: MultipleOf, call: CallInputs, failure: AttemptFailure) -> Iterator[Change]:
    """Set numbers and sizes to a multiple."""
    for path, leaf in call.leaves():
        named = bool(request.name) and str(path[-1]) == request.name
        if isinstance(leaf, PlainInput) and type(leaf.value) is int:
            for value in dict.fromkeys((request.of, 64, 32, 16, 8, 4, 2, 1)):
                if value > 0 and value != leaf.value:
                    yield (0.6 if named else 1.4) + 0.01 * value.bit_length(), call.replaced(path, PlainInput(value))
    for path, tensor in suspect_tensors(call, failure):
        for index, size in enumerate(tensor.shape):
            if request.have and size != request.have:
                continue
            for value in {request.of * -(-size // request.of), request.of} if request.of > 0 else {64, 8, 48}:
                changed = tensor.with_size(index, value)
                if value != size and changed.fits:
                    yield 1 + 0.3 * (index == 0) + 0.2 * (not request.have), call.replaced(path, changed)
        if len(tensor.shape) >= 4:
            yield from common_size_changes(path, tensor, call)


def larger_changes(request: LargerSize, call: CallInputs, failure: AttemptFailure) -> Iterator[Change]:
    """Enlarge the batch or the spatial sizes."""
    tensors = suspect_tensors(call, failure)
    for factor in (2, 4, 8, 16):
        for path, tensor in tensors:
            if not tensor.shape:
                continue
            if request.what == "batch":
                changed = tensor.with_size(0, max(tensor.shape[0] * factor, 4))
            else:
                first = 2 if len(tensor.shape) > 2 else len(tensor.shape) - 1
                changed = replace(
                    tensor, shape=tensor.shape[:first] + tuple(size * factor for size in tensor.shape[first:])
                )
            if not changed.fits and request.what == "space":
                changed = changed.with_size(0, 1)
            if changed.fits:
                yield 0.8 + 0.1 * factor / 2, call.replaced(path, changed)
