"""From what an error asks for to other calls: each change has a cost, so that the likeliest is tried first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from gblint.confirm.inputs import by_parameter_name
from gblint.confirm.inputs.attempts import AttemptFailure, layer_requests
from gblint.confirm.inputs.by_parameter_name import BATCH, SIDE, WIDTH, dim_size
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
from gblint.confirm.inputs.recipes import (
    CallRecipe,
    GroupRecipe,
    PlainRecipe,
    Recipe,
    RecipePath,
    TensorRecipe,
    TextRecipe,
)

Change = tuple[float, CallRecipe]
_SIDES = (8, 16, 24, 28, 32, 40, 48, 56, 64, 84, 96, 112, 128, 192, 224, 256)
_LENGTHS = (64, 128, 256, 512, 1000, 1024, 2048, 4096, 8000, 16000, 44100)


def changes(call: CallRecipe, failure: AttemptFailure, guesser: Guesser) -> Iterator[Change]:
    """The calls to try after ``call`` failed: what the error asks for, then what might help anyway."""
    wishes = dict.fromkeys([*layer_requests(failure), *check_requests(failure), *read_message(failure.message)])
    for order, wish in enumerate(wishes):
        for cost, changed in granted(wish, call, failure, guesser):
            yield cost + 0.15 * order, changed
    yield from _mentioned(call, failure, guesser)
    yield from _anyway(call, failure, guesser)


def _mentioned(call: CallRecipe, failure: AttemptFailure, guesser: Guesser) -> Iterator[Change]:
    """The message names parameters that were left out."""
    words = set(re.findall(r"[A-Za-z_]\w*", failure.message))
    absent = [name for name in guesser.optional() if name in words and name not in call and len(name) > 2]
    if guesser.takes_any:
        quoted = re.findall(r"[`'\"]([a-z_]{3,})[`'\"]", failure.message)
        absent += [name for name in quoted if name not in call and name not in absent]
    changed = call
    for name in absent:
        value = next((each for each in guesser.alternatives(name) if each != PlainRecipe(None)), None)
        if value is not None:
            changed = changed.put(name, value)
            yield 1.0, call.put(name, value)
    if len(absent) > 1:
        yield 0.8, changed
    yield from _mentioned_inside(words, call, guesser)


def _mentioned_inside(words: set[str], call: CallRecipe, guesser: Guesser) -> Iterator[Change]:
    """The same for the arguments of an object that is made for the call."""
    for name, value in zip(call.names, call.values):
        inner = guesser.inner(value.head) if isinstance(value, GroupRecipe) and value.kind == "call" else None
        if inner is None or not isinstance(value, GroupRecipe):
            continue
        passed = {each.name for each in inner.signature[: value.keys.count("")]} | set(value.keys)
        added = [each.name for each in inner.signature if each.name in words - passed and len(each.name) > 2]
        for chosen in [added] if len(added) < 2 else [added, *([each] for each in added)]:
            items = [
                next((each for each in inner.alternatives(name) if each != PlainRecipe(None)), PlainRecipe(1))
                for name in chosen
            ]
            if chosen:
                yield 0.7, call.put(name, replace(value, items=(*value.items, *items), keys=(*value.keys, *chosen)))


def granted(wish: InputRequest, call: CallRecipe, failure: AttemptFailure, guesser: Guesser) -> Iterator[Change]:
    """The ways to give an error what it asks for."""
    match wish:
        case Size():
            yield from _sized(wish, call, failure)
        case Rank():
            yield from _ranked(wish, call, failure)
        case Dtype():
            yield from _of_dtype(wish, call, failure)
        case UpperBound():
            yield from _below(wish, call, failure)
        case MissingArguments(names=names):
            changed = call
            for name in names:
                if guesser.takes(name) and name not in call:
                    changed = changed.put(name, guesser.alternatives(name)[0])
            if changed is not call:
                yield 0.3, changed
        case UnexpectedArgument(name=name):
            if name in call:
                yield 0.3, call.drop(name)
        case MultipleOf():
            yield from _multiple(wish, call, failure)
        case LargerSize():
            yield from _larger(wish, call, failure)
        case ValueKind():
            yield from _of_kind(wish, call, failure, guesser)
        case OneOf(words=words):
            yield from _one_of(words, call, guesser)
        case ItemCount(want=want):
            yield from _counted(want, call, failure)
        case ValueRange():
            for path, tensor in _tensors(call, failure):
                if not tensor.is_integer and tensor.fill != "uniform":
                    yield 0.5, call.replaced(path, replace(tensor, fill="uniform"))


def _tensors(call: CallRecipe, failure: AttemptFailure) -> list[tuple[RecipePath, TensorRecipe]]:
    """The tensors of the call, those that the failing operation was made from where that is known."""
    every = [(path, leaf) for path, leaf in call.leaves() if isinstance(leaf, TensorRecipe)]
    suspected = [each for each in every if each[0] in failure.suspects]
    return suspected or every


def _sized(wish: Size, call: CallRecipe, failure: AttemptFailure) -> Iterator[Change]:
    tensors = _tensors(call, failure)
    matched = False
    if wish.want >= 1:
        for path, tensor in tensors:
            for index, size in enumerate(tensor.shape):
                if size != wish.have and not (wish.have == -1 and index == len(tensor.shape) - 1):
                    continue
                matched = True
                elsewhere = wish.dim is not None and wish.dim not in (index, index - len(tensor.shape))
                cost = 1 + 0.4 * (index == 0) + 0.3 * elsewhere
                changed = tensor.with_size(index, wish.want)
                if changed.fits:
                    yield cost, call.replaced(path, changed)
                    yield from _together(call, path, index, wish.want, cost)
        yield from _plain_sizes(wish, call)
    if not matched:
        yield from _derived(wish, tensors, call)


def _together(call: CallRecipe, path: RecipePath, index: int, want: int, cost: float) -> Iterator[Change]:
    """The same dimension, by its name, in every argument that has it."""
    tensor = call.at(path)
    assert isinstance(tensor, TensorRecipe)
    label, size = tensor.label(index), tensor.shape[index]
    changed, count = call, 0
    for other, leaf in call.leaves():
        if isinstance(leaf, TensorRecipe):
            for place, name in enumerate(leaf.labels[: len(leaf.shape)]):
                if name == label and label and leaf.shape[place] == size:
                    found = changed.at(other)
                    assert isinstance(found, TensorRecipe)
                    changed, count = changed.replaced(other, found.with_size(place, want)), count + 1
    if count > 1:
        yield cost - 0.1, changed


def _plain_sizes(wish: Size, call: CallRecipe) -> Iterator[Change]:
    """A number that was passed may be the size."""
    for path, leaf in call.leaves():
        if isinstance(leaf, PlainRecipe) and type(leaf.value) is int and leaf.value == wish.have:
            yield 1.5, call.replaced(path, PlainRecipe(wish.want))


def _derived(wish: Size, tensors: list[tuple[RecipePath, TensorRecipe]], call: CallRecipe) -> Iterator[Change]:
    """The size is none of the arguments' own: a multiple of one, a sum with one, or what an image comes to."""
    have, want = wish.have, wish.want
    for path, tensor in tensors:
        for index, size in enumerate(tensor.shape):
            if index == 0 and len(tensor.shape) > 1:
                continue
            if have > 0 and (want * size) % have == 0 and want * size // have > 0 and have % max(size, 1) == 0:
                changed = tensor.with_size(index, want * size // have)
                if changed.fits and changed != tensor:
                    yield 1.6, call.replaced(path, changed)
            moved = size + want - have
            if 0 < moved < 4096 and moved != size and abs(want - have) < 4096:
                yield 1.8 + 0.1 * (index != len(tensor.shape) - 1), call.replaced(path, tensor.with_size(index, moved))
        yield from _other_sizes(path, tensor, call)


def _other_sizes(path: RecipePath, tensor: TensorRecipe, call: CallRecipe) -> Iterator[Change]:
    """Images and signals of the usual sizes."""
    if len(tensor.shape) >= 4 or (len(tensor.shape) == 3 and tensor.label(1) in ("H",)):
        for order, side in enumerate(_SIDES):
            changed = replace(tensor, shape=(*tensor.shape[:-2], side, side))
            if changed.fits and changed != tensor:
                yield 2.2 + 0.02 * order, call.replaced(path, changed)
            if len(tensor.shape) == 5:
                cube = replace(tensor, shape=(1, tensor.shape[1], side, side, side))
                if cube.fits:
                    yield 2.15 + 0.02 * order, call.replaced(path, cube)
    elif len(tensor.shape) in (2, 3) and not tensor.is_integer:
        for order, length in enumerate(_LENGTHS):
            changed = tensor.with_size(len(tensor.shape) - 1, length)
            if changed.fits:
                yield 2.6 + 0.02 * order, call.replaced(path, changed)


def _ranked(wish: Rank, call: CallRecipe, failure: AttemptFailure) -> Iterator[Change]:
    if wish.have == 0 and failure.ranks and failure.ranks[0] != wish.want:
        wish = Rank(failure.ranks[0], wish.want)
    yield from _ranked_together(wish, call, failure)
    for path, tensor in _tensors(call, failure):
        rank = len(tensor.shape)
        exact = wish.have in (0, rank)
        delta = wish.want - (rank if wish.have == 0 else wish.have)
        if delta == 0 or not 0 <= rank + delta <= 6:
            continue
        for cost, changed in _with_rank(tensor, rank + delta):
            yield cost + (0 if exact else 0.6), call.replaced(path, changed)


def _ranked_together(wish: Rank, call: CallRecipe, failure: AttemptFailure) -> Iterator[Change]:
    """All the tensors that are alike at once: what was stacked or joined before it failed."""
    tensors = _tensors(call, failure)
    for rank in sorted({len(tensor.shape) for _, tensor in tensors}, reverse=True):
        alike = [(path, tensor) for path, tensor in tensors if len(tensor.shape) == rank]
        want = rank + wish.want - (wish.have or rank)
        if len(alike) < 2 or want == rank or not 0 <= want <= 6:
            continue
        changed = call
        for path, tensor in alike:
            changed = changed.replaced(path, next(iter(_with_rank(tensor, want)))[1])
        yield 1.1, changed
    delta = wish.want - wish.have
    if wish.have and len(tensors) > 1 and all(1 <= len(tensor.shape) + delta <= 6 for _, tensor in tensors):
        changed = call
        for path, tensor in tensors:
            changed = changed.replaced(path, next(iter(_with_rank(tensor, len(tensor.shape) + delta)))[1])
        yield 1.3, changed


def _with_rank(tensor: TensorRecipe, rank: int) -> Iterator[tuple[float, TensorRecipe]]:
    """The same tensor with more or fewer dimensions, the likeliest layouts first."""
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


def _of_dtype(wish: Dtype, call: CallRecipe, failure: AttemptFailure) -> Iterator[Change]:
    tensors = _tensors(call, failure)
    like = [each for each in tensors if each[1].dtype == wish.have] if wish.have else tensors
    for path, tensor in like or tensors:
        if tensor.dtype != wish.want:
            yield (0.8 if like else 1.4), call.replaced(path, tensor.of_dtype(wish.want))
    if len(like) > 1:
        changed = call
        for path, tensor in like:
            changed = changed.replaced(path, tensor.of_dtype(wish.want))
        yield 1.2, changed


def _below(wish: UpperBound, call: CallRecipe, failure: AttemptFailure) -> Iterator[Change]:
    for path, tensor in _tensors(call, failure):
        if not tensor.is_integer:
            continue
        if tensor.fill == "full":
            for value in (tensor.high // 2, 1, 0):
                yield 1.0 + 0.1 * (value == 0), call.replaced(path, replace(tensor, high=value))
            continue
        bounds = [wish.bound] if 0 < wish.bound < tensor.high else []
        for bound in (*bounds, tensor.high // 2, 2, 1):
            if 0 < bound < tensor.high:
                yield 0.9 + 0.1 * (bound == 1), call.replaced(path, replace(tensor, fill="integers", high=bound))
        for index, size in enumerate(tensor.shape):
            # Positions are looked up too: a shorter sequence has fewer of them.
            if index and size > 4:
                yield 1.6, call.replaced(path, tensor.with_size(index, size // 2))


def _multiple(wish: MultipleOf, call: CallRecipe, failure: AttemptFailure) -> Iterator[Change]:
    for path, leaf in call.leaves():
        named = bool(wish.name) and str(path[-1]) == wish.name
        if isinstance(leaf, PlainRecipe) and type(leaf.value) is int:
            for value in dict.fromkeys((wish.of, 64, 32, 16, 8, 4, 2, 1)):
                if value > 0 and value != leaf.value:
                    yield (0.6 if named else 1.4) + 0.01 * value.bit_length(), call.replaced(path, PlainRecipe(value))
    for path, tensor in _tensors(call, failure):
        for index, size in enumerate(tensor.shape):
            if wish.have and size != wish.have:
                continue
            for value in {wish.of * -(-size // wish.of), wish.of} if wish.of > 0 else {64, 8, 48}:
                changed = tensor.with_size(index, value)
                if value != size and changed.fits:
                    yield 1 + 0.3 * (index == 0) + 0.2 * (not wish.have), call.replaced(path, changed)
        if len(tensor.shape) >= 4:
            yield from _other_sizes(path, tensor, call)


def _larger(wish: LargerSize, call: CallRecipe, failure: AttemptFailure) -> Iterator[Change]:
    tensors = _tensors(call, failure)
    for factor in (2, 4, 8, 16):
        for path, tensor in tensors:
            if not tensor.shape:
                continue
            if wish.what == "batch":
                changed = tensor.with_size(0, max(tensor.shape[0] * factor, 4))
            else:
                first = 2 if len(tensor.shape) > 2 else len(tensor.shape) - 1
                changed = replace(
                    tensor, shape=tensor.shape[:first] + tuple(size * factor for size in tensor.shape[first:])
                )
            if not changed.fits and wish.what == "space":
                changed = changed.with_size(0, 1)
            if changed.fits:
                yield 0.8 + 0.1 * factor / 2, call.replaced(path, changed)


def _accused(call: CallRecipe, failure: AttemptFailure, kinds: tuple[str, ...]) -> list[tuple[RecipePath, Recipe]]:
    """The leaves that the failing lines name, or whose values they hold, among those of these Python types."""
    words: dict[str, int] = {}
    for depth, frame in enumerate(reversed(failure.frames)):
        for word in re.findall(r"[A-Za-z_]\w*", frame.line):
            words.setdefault(word, depth)
    leaves = [(path, leaf) for path, leaf in call.leaves() if not kinds or _kind(leaf) in kinds]
    named = [each for each in leaves if str(each[0][0]) in words]
    return sorted(named, key=lambda each: words[str(each[0][0])]) or leaves


def _kind(leaf: Recipe) -> str:
    if isinstance(leaf, TensorRecipe):
        return "Tensor"
    return type(leaf.value).__name__ if isinstance(leaf, PlainRecipe) else ""


def _of_kind(wish: ValueKind, call: CallRecipe, failure: AttemptFailure, guesser: Guesser) -> Iterator[Change]:
    if wish.want == "given" or wish.have == "NoneType":
        yield from _given(call, failure, guesser)
        return
    if wish.want == "object" and wish.part and (wish.have in ("SimpleNamespace", "dict")):
        yield from _with_part(wish.part, call, guesser)
        return
    if wish.want == "mapping" and wish.part:
        yield from _with_part(wish.part, call, guesser)
    kinds = (wish.have,) if wish.have in ("int", "float", "str", "bool", "Tensor", "list", "tuple") else ()
    accused = _accused(call, failure, kinds)
    for order, (path, leaf) in enumerate(accused[:4]):
        name = str(path[0])
        for cost, recipe in _as_kind(wish, leaf, name, guesser):
            yield cost + 0.2 * order, call.replaced(path, recipe)
    if wish.want == "tensor" and wish.have in ("list", "tuple", "dict"):
        for name, value in zip(call.names, call.values):
            if isinstance(value, GroupRecipe) and value.items:
                yield 0.8, call.put(name, value.items[0])
    for path, leaf in accused[:3]:
        for order, other in enumerate(guesser.alternatives(str(path[0]))[:6]):
            if len(path) == 1 and other.source() != leaf.source():
                yield 1.2 + 0.1 * order, call.put(str(path[0]), other)


def _as_kind(wish: ValueKind, leaf: Recipe, name: str, guesser: Guesser) -> Iterator[tuple[float, Recipe]]:
    match wish.want:
        case "tensor" if not isinstance(leaf, TensorRecipe):
            yield (
                0.9,
                next(guesser.tensors(name, (name,), guesser.parameters[name]), TensorRecipe((BATCH, WIDTH)))
                if (name in guesser.parameters)
                else TensorRecipe((BATCH, WIDTH)),
            )
        case "tensors" if isinstance(leaf, TensorRecipe):
            yield 0.9, GroupRecipe("list", (leaf, leaf))
        case "sequence" if isinstance(leaf, (PlainRecipe, TensorRecipe)):
            if isinstance(leaf, PlainRecipe):
                yield from ((0.8 + 0.1 * count, PlainRecipe([leaf.value] * count)) for count in (2, 3, 1, 4))
            else:
                yield 1.2, GroupRecipe("list", (leaf, leaf))
        case "int" if isinstance(leaf, (PlainRecipe, TensorRecipe)):
            value = leaf.value if isinstance(leaf, PlainRecipe) else None
            first = value[0] if isinstance(value, (list, tuple)) and value else value
            yield 0.8, PlainRecipe(int(first) if isinstance(first, float) else first if isinstance(first, int) else 1)
            yield 1.0, PlainRecipe(WIDTH)
        case "number":
            found = guesser.plain(name) if name in guesser.parameters else None
            yield 0.9, found if isinstance(found, PlainRecipe) and not isinstance(found.value, bool) else PlainRecipe(1)
            yield 1.1, PlainRecipe(1)
            yield 1.2, PlainRecipe(0.5)
            if isinstance(leaf, TensorRecipe):
                yield 1.0, replace(leaf, shape=(), labels=(), fill="ones" if not leaf.is_integer else leaf.fill)
        case "mapping":
            yield 1.2, GroupRecipe("dict", ())
        case "object" if wish.part and wish.have not in ("Tensor", "Parameter"):
            yield 1.0, guesser.object_with((wish.part,))
        case "object" if wish.part and guesser.flow is not None:
            yield 1.5, GroupRecipe("call", (leaf,), (wish.part,), "__import__('types').SimpleNamespace")
        case "callable":
            yield 0.8, TextRecipe("torch.nn.functional.relu")
            yield 0.9, TextRecipe("torch.nn.ReLU")
            yield 1.0, TextRecipe("torch.nn.LayerNorm")
        case _:
            return


def _given(call: CallRecipe, failure: AttemptFailure, guesser: Guesser) -> Iterator[Change]:
    """Something that may be left out is needed after all."""
    words = {word for frame in failure.frames for word in re.findall(r"[A-Za-z_]\w*", frame.line)}
    absent = [name for name in guesser.optional() if name not in call and _defaults_to_none(guesser, name)]
    absent += [name for name, value in zip(call.names, call.values) if value == PlainRecipe(None)]
    named = [name for name in absent if name in words]
    for order, name in enumerate(named or absent[:6]):
        for nth, value in enumerate(guesser.alternatives(name)[:4]):
            if value != PlainRecipe(None):
                yield 0.7 + 0.2 * order + 0.3 * nth, call.put(name, value)


def _defaults_to_none(guesser: Guesser, name: str) -> bool:
    return any(each.name == name and each.default is None for each in guesser.signature)


def _with_part(part: str, call: CallRecipe, guesser: Guesser) -> Iterator[Change]:
    """A record gets one more attribute, a dict one more key."""
    for name, value in zip(call.names, call.values):
        if not isinstance(value, GroupRecipe) or part in value.keys or len(value.keys) > 60:
            continue
        if value.kind == "dict" or value.head.endswith("SimpleNamespace"):
            if guesser.flow is None:
                item = guesser.plain(part)
            else:
                item = guesser.part(part, (name, ("key" if value.kind == "dict" else "attr", part)))
            yield 0.3, call.put(name, replace(value, items=(*value.items, item), keys=(*value.keys, part)))


def _one_of(words: tuple[str, ...], call: CallRecipe, guesser: Guesser) -> Iterator[Change]:
    for path, leaf in call.leaves():
        if isinstance(leaf, PlainRecipe) and isinstance(leaf.value, str) and leaf.value not in words:
            for order, word in enumerate(words[:8]):
                yield 0.6 + 0.1 * order, call.replaced(path, PlainRecipe(word))


def _counted(want: int, call: CallRecipe, failure: AttemptFailure) -> Iterator[Change]:
    for name, value in zip(call.names, call.values):
        if isinstance(value, GroupRecipe) and value.kind in ("list", "tuple") and value.items:
            for count in [want] if want else [len(value.items) + 1, len(value.items) + 2]:
                items = (value.items * count)[: max(count, 1)]
                if count != len(value.items):
                    yield 0.8, call.put(name, replace(value, items=items))
        elif isinstance(value, PlainRecipe) and isinstance(value.value, (list, tuple)) and value.value:
            for count in [want] if want else [len(value.value) + 1, len(value.value) + 2]:
                yield 0.8, call.put(name, PlainRecipe(type(value.value)((*value.value, *value.value * count)[:count])))
    for path, tensor in _tensors(call, failure):
        if want > 1:
            yield 1.4, call.replaced(path, GroupRecipe("tuple", (tensor,) * want))
        elif want == 0 and len(path) == 1:
            yield 1.6, call.replaced(path, GroupRecipe("list", (tensor,) * 3))


def _anyway(call: CallRecipe, failure: AttemptFailure, guesser: Guesser) -> Iterator[Change]:
    """What may help whatever the error says."""
    suspected = {str(path[0]) for path in failure.suspects}
    for name, value in zip(call.names, call.values):
        for order, other in enumerate(guesser.alternatives(name)[:9]):
            if other.source() != value.source():
                yield 2.0 + 0.25 * order + 0.5 * (bool(suspected) and name not in suspected), call.put(name, other)
    if guesser.flow is None:
        return
    for path, tensor in _tensors(call, failure):
        for order, dims in enumerate(COMMON_SHAPES):
            shape = tuple(dim_size(dim, guesser.known) for dim in dims)
            if len(shape) != len(tensor.shape):
                yield 3.0 + 0.2 * order, call.replaced(path, replace(tensor, shape=shape, labels=dims))
        yield 3.2, call.replaced(path, tensor.of_dtype("float32" if tensor.is_integer else "int64"))
        for cost, changed in _other_sizes(path, tensor, call):
            yield cost + 1.0, changed
    for order, name in enumerate(guesser.optional()):
        if name not in call and _defaults_to_none(guesser, name) and order < 8:
            yield 3.4 + 0.1 * order, call.put(name, guesser.alternatives(name)[0])


def shrunk(call: CallRecipe, guesser: Guesser) -> Iterator[Change]:
    """Small numbers in place of large defaults: the target as it is by default is too large for a try."""
    changed = call
    for each in guesser.signature:
        if type(each.default) is int and each.default > WIDTH and each.name not in call:
            value = by_parameter_name.number_for(each.name, int)
            changed = changed.put(each.name, PlainRecipe(value))
    if changed is not call:
        yield 0.1, changed


def small_enough(call: CallRecipe) -> bool:
    """Whether no tensor of the call is larger than a try may make."""
    return all(leaf.fits for _, leaf in call.leaves() if isinstance(leaf, TensorRecipe))
