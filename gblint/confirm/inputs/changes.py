"""Changes of a call after a failure: each has a cost, and the search tries the cheapest first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from gblint.confirm.inputs import by_parameter_name
from gblint.confirm.inputs.attempts import AttemptFailure, layer_requests
from gblint.confirm.inputs.by_parameter_name import WIDTH, dim_size
from gblint.confirm.inputs.error_requests import (
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
from gblint.confirm.inputs.guesser import COMMON_SHAPES, Guesser
from gblint.confirm.inputs.messages import read_message
from gblint.confirm.inputs.messages.asserts import check_requests
from gblint.confirm.inputs.tensor_changes import (
    Change,
    bound_changes,
    common_size_changes,
    dtype_changes,
    larger_changes,
    multiple_changes,
    rank_changes,
    size_changes,
    suspect_tensors,
)
from gblint.confirm.inputs.value_changes import count_changes, defaults_to_none, kind_changes, word_changes
from gblint.confirm.inputs.values import CallInputs, GroupInput, PlainInput, TensorInput


def changes(call: CallInputs, failure: AttemptFailure, guesser: Guesser) -> Iterator[Change]:
    """Yield the calls to try after ``call`` failed: those that the error suggests, then general changes."""
    requests = dict.fromkeys([*layer_requests(failure), *check_requests(failure), *read_message(failure.message)])
    for order, request in enumerate(requests):
        for cost, changed in changes_for(request, call, failure, guesser):
            yield cost + 0.15 * order, changed
    yield from _add_mentioned(call, failure, guesser)
    yield from _general_changes(call, failure, guesser)


def _add_mentioned(call: CallInputs, failure: AttemptFailure, guesser: Guesser) -> Iterator[Change]:
    """Pass optional parameters that the error message mentions."""
    words = set(re.findall(r"[A-Za-z_]\w*", failure.message))
    absent = [name for name in guesser.optional() if name in words and name not in call and len(name) > 2]
    if guesser.accepts_any:
        quoted = re.findall(r"[`'\"]([a-z_]{3,})[`'\"]", failure.message)
        absent += [name for name in quoted if name not in call and name not in absent]
    changed = call
    for name in absent:
        value = next((each for each in guesser.alternatives(name) if each != PlainInput(None)), None)
        if value is not None:
            changed = changed.put(name, value)
            yield 1.0, call.put(name, value)
    if len(absent) > 1:
        yield 0.8, changed
    yield from _add_mentioned_inside(words, call, guesser)


def _add_mentioned_inside(words: set[str], call: CallInputs, guesser: Guesser) -> Iterator[Change]:
    """Pass mentioned parameters of an object that is constructed for the call."""
    for name, value in zip(call.names, call.values):
        inner = guesser.guesser_for(value.head) if isinstance(value, GroupInput) and value.kind == "call" else None
        if inner is None or not isinstance(value, GroupInput):
            continue
        passed = {each.name for each in inner.signature[: value.keys.count("")]} | set(value.keys)
        added = [each.name for each in inner.signature if each.name in words - passed and len(each.name) > 2]
        for chosen in [added] if len(added) < 2 else [added, *([each] for each in added)]:
            items = [
                next((each for each in inner.alternatives(name) if each != PlainInput(None)), PlainInput(1))
                for name in chosen
            ]
            if chosen:
                yield 0.7, call.put(name, replace(value, items=(*value.items, *items), keys=(*value.keys, *chosen)))


def changes_for(request: InputRequest, call: CallInputs, failure: AttemptFailure, guesser: Guesser) -> Iterator[Change]:
    """Yield the changes that fulfil a request."""
    match request:
        case Size():
            yield from size_changes(request, call, failure)
        case Rank():
            yield from rank_changes(request, call, failure)
        case Dtype():
            yield from dtype_changes(request, call, failure)
        case UpperBound():
            yield from bound_changes(request, call, failure)
        case MissingArguments(names=names):
            changed = call
            for name in names:
                if guesser.accepts(name) and name not in call:
                    changed = changed.put(name, guesser.alternatives(name)[0])
            if changed is not call:
                yield 0.3, changed
        case UnexpectedArgument(name=name):
            if name in call:
                yield 0.3, call.drop(name)
        case MultipleOf():
            yield from multiple_changes(request, call, failure)
        case LargerSize():
            yield from larger_changes(request, call, failure)
        case ValueKind():
            yield from kind_changes(request, call, failure, guesser)
        case OneOf(words=words):
            yield from word_changes(words, call, guesser)
        case ItemCount(want=want):
            yield from count_changes(want, call, failure)
        case ValueRange():
            for path, tensor in suspect_tensors(call, failure):
                if not tensor.is_integer and tensor.fill != "uniform":
                    yield 0.5, call.replaced(path, replace(tensor, fill="uniform"))


def _general_changes(call: CallInputs, failure: AttemptFailure, guesser: Guesser) -> Iterator[Change]:
    """Yield changes that do not depend on the error."""
    suspected = {str(path[0]) for path in failure.suspects}
    for name, value in zip(call.names, call.values):
        for order, other in enumerate(guesser.alternatives(name)[:9]):
            if other.source() != value.source():
                yield 2.0 + 0.25 * order + 0.5 * (bool(suspected) and name not in suspected), call.put(name, other)
    if guesser.flow is None:
        return
    for path, tensor in suspect_tensors(call, failure):
        for order, dims in enumerate(COMMON_SHAPES):
            shape = tuple(dim_size(dim, guesser.known_sizes) for dim in dims)
            if len(shape) != len(tensor.shape):
                yield 3.0 + 0.2 * order, call.replaced(path, replace(tensor, shape=shape, labels=dims))
        yield 3.2, call.replaced(path, tensor.of_dtype("float32" if tensor.is_integer else "int64"))
        for cost, changed in common_size_changes(path, tensor, call):
            yield cost + 1.0, changed
    for order, name in enumerate(guesser.optional()):
        if name not in call and defaults_to_none(guesser, name) and order < 8:
            yield 3.4 + 0.1 * order, call.put(name, guesser.alternatives(name)[0])


def with_small_defaults(call: CallInputs, guesser: Guesser) -> Iterator[Change]:
    """Pass small numbers in place of large defaults: the target with its defaults is too large for an attempt."""
    changed = call
    for each in guesser.signature:
        if type(each.default) is int and each.default > WIDTH and each.name not in call:
            value = by_parameter_name.number_for(each.name, int)
            changed = changed.put(each.name, PlainInput(value))
    if changed is not call:
        yield 0.1, changed


def fits(call: CallInputs) -> bool:
    """Return whether every tensor of the call is small enough for an attempt."""
    return all(leaf.fits for _, leaf in call.leaves() if isinstance(leaf, TensorInput))
