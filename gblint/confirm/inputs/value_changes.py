"""Changes of other values in a call: types, optional arguments, keys and attributes, words, and lengths of lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from gblint.confirm.inputs.attempts import AttemptFailure
from gblint.confirm.inputs.by_parameter_name import BATCH, WIDTH
from gblint.confirm.inputs.error_requests import ValueKind
from gblint.confirm.inputs.guesser import Guesser
from gblint.confirm.inputs.tensor_changes import Change, suspect_tensors
from gblint.confirm.inputs.values import (
    CallInputs,
    GroupInput,
    Input,
    InputPath,
    PlainInput,
    TensorInput,
    TextInput,
)


def _suspect_leaves(call: CallInputs, failure: AttemptFailure, kinds: tuple[str, ...]) -> list[tuple[InputPath, Input]]:
    """Return the leaves of these Python types, those that the failing lines name first."""
    words: dict[str, int] = {}
    for depth, frame in enumerate(reversed(failure.frames)):
        for word in re.findall(r"[A-Za-z_]\w*", frame.line):
            words.setdefault(word, depth)
    leaves = [(path, leaf) for path, leaf in call.leaves() if not kinds or _type_name(leaf) in kinds]
    named = [each for each in leaves if str(each[0][0]) in words]
    return sorted(named, key=lambda each: words[str(each[0][0])]) or leaves


def _type_name(leaf: Input) -> str:
    """Return the name of the leaf's Python type."""
    if isinstance(leaf, TensorInput):
        return "Tensor"
    return type(leaf.value).__name__ if isinstance(leaf, PlainInput) else ""


def kind_changes(request: ValueKind, call: CallInputs, failure: AttemptFailure, guesser: Guesser) -> Iterator[Change]:
    """Replace values by values of another type."""
    if request.want == "given" or request.have == "NoneType":
        yield from _pass_optional(call, failure, guesser)
        return
    if request.want == "object" and request.part and (request.have in ("SimpleNamespace", "dict")):
        yield from _add_part(request.part, call, guesser)
        return
    if request.want == "mapping" and request.part:
        yield from _add_part(request.part, call, guesser)
    kinds = (request.have,) if request.have in ("int", "float", "str", "bool", "Tensor", "list", "tuple") else ()
    suspected = _suspect_leaves(call, failure, kinds)
    for order, (path, leaf) in enumerate(suspected[:4]):
        name = str(path[0])
        for cost, spec in _values_of_kind(request, leaf, name, guesser):
            yield cost + 0.2 * order, call.replaced(path, spec)
    if request.want == "tensor" and request.have in ("list", "tuple", "dict"):
        for name, value in zip(call.names, call.values):
            if isinstance(value, GroupInput) and value.items:
                yield 0.8, call.put(name, value.items[0])
    for path, leaf in suspected[:3]:
        for order, other in enumerate(guesser.alternatives(str(path[0]))[:6]):
            if len(path) == 1 and other.source() != leaf.source():
                yield 1.2 + 0.1 * order, call.put(str(path[0]), other)


def _values_of_kind(request: ValueKind, leaf: Input, name: str, guesser: Guesser) -> Iterator[tuple[float, Input]]:
    """Yield values of the requested kind in place of a leaf, with a cost."""
    match request.want:
        case "tensor" if not isinstance(leaf, TensorInput):
            yield (
                0.9,
                next(guesser.tensors(name, (name,), guesser.parameters[name]), TensorInput((BATCH, WIDTH)))
                if (name in guesser.parameters)
                else TensorInput((BATCH, WIDTH)),
            )
        case "tensors" if isinstance(leaf, TensorInput):
            yield 0.9, GroupInput("list", (leaf, leaf))
        case "sequence" if isinstance(leaf, (PlainInput, TensorInput)):
            if isinstance(leaf, PlainInput):
                yield from ((0.8 + 0.1 * count, PlainInput([leaf.value] * count)) for count in (2, 3, 1, 4))
            else:
                yield 1.2, GroupInput("list", (leaf, leaf))
        case "int" if isinstance(leaf, (PlainInput, TensorInput)):
            value = leaf.value if isinstance(leaf, PlainInput) else None
            first = value[0] if isinstance(value, (list, tuple)) and value else value
            yield 0.8, PlainInput(int(first) if isinstance(first, float) else first if isinstance(first, int) else 1)
            yield 1.0, PlainInput(WIDTH)
        case "number":
            found = guesser.plain_value(name) if name in guesser.parameters else None
            yield 0.9, found if isinstance(found, PlainInput) and not isinstance(found.value, bool) else PlainInput(1)
            yield 1.1, PlainInput(1)
            yield 1.2, PlainInput(0.5)
            if isinstance(leaf, TensorInput):
                yield 1.0, replace(leaf, shape=(), labels=(), fill="ones" if not leaf.is_integer else leaf.fill)
        case "mapping":
            yield 1.2, GroupInput("dict", ())
        case "object" if request.part and request.have not in ("Tensor", "Parameter"):
            yield 1.0, guesser.object_with((request.part,))
        case "object" if request.part and guesser.flow is not None:
            yield 1.5, GroupInput("call", (leaf,), (request.part,), "__import__('types').SimpleNamespace")
        case "callable":
            yield 0.8, TextInput("torch.nn.functional.relu")
            yield 0.9, TextInput("torch.nn.ReLU")
            yield 1.0, TextInput("torch.nn.LayerNorm")
        case _:
            return


def _pass_optional(call: CallInputs, failure: AttemptFailure, guesser: Guesser) -> Iterator[Change]:
    """Pass optional arguments that default to None."""
    words = {word for frame in failure.frames for word in re.findall(r"[A-Za-z_]\w*", frame.line)}
    absent = [name for name in guesser.optional() if name not in call and defaults_to_none(guesser, name)]
    absent += [name for name, value in zip(call.names, call.values) if value == PlainInput(None)]
    named = [name for name in absent if name in words]
    for order, name in enumerate(named or absent[:6]):
        for nth, value in enumerate(guesser.alternatives(name)[:4]):
            if value != PlainInput(None):
                yield 0.7 + 0.2 * order + 0.3 * nth, call.put(name, value)


def defaults_to_none(guesser: Guesser, name: str) -> bool:
    """Return whether the parameter's default is None."""
    return any(each.name == name and each.default is None for each in guesser.signature)


def _add_part(part: str, call: CallInputs, guesser: Guesser) -> Iterator[Change]:
    """Add an attribute to an object, or a key to a dict."""
    for name, value in zip(call.names, call.values):
        if not isinstance(value, GroupInput) or part in value.keys or len(value.keys) > 60:
            continue
        if value.kind == "dict" or value.head.endswith("SimpleNamespace"):
            if guesser.flow is None:
                item = guesser.plain_value(part)
            else:
                item = guesser.input_for_part(part, (name, ("key" if value.kind == "dict" else "attr", part)))
            yield 0.3, call.put(name, replace(value, items=(*value.items, item), keys=(*value.keys, part)))


def word_changes(words: tuple[str, ...], call: CallInputs, guesser: Guesser) -> Iterator[Change]:
    """Replace strings by one of the accepted words."""
    for path, leaf in call.leaves():
        if isinstance(leaf, PlainInput) and isinstance(leaf.value, str) and leaf.value not in words:
            for order, word in enumerate(words[:8]):
                yield 0.6 + 0.1 * order, call.replaced(path, PlainInput(word))


def count_changes(want: int, call: CallInputs, failure: AttemptFailure) -> Iterator[Change]:
    """Change the number of items of lists and tuples."""
    for name, value in zip(call.names, call.values):
        if isinstance(value, GroupInput) and value.kind in ("list", "tuple") and value.items:
            for count in [want] if want else [len(value.items) + 1, len(value.items) + 2]:
                items = (value.items * count)[: max(count, 1)]
                if count != len(value.items):
                    yield 0.8, call.put(name, replace(value, items=items))
        elif isinstance(value, PlainInput) and isinstance(value.value, (list, tuple)) and value.value:
            for count in [want] if want else [len(value.value) + 1, len(value.value) + 2]:
                yield 0.8, call.put(name, PlainInput(type(value.value)((*value.value, *value.value * count)[:count])))
    for path, tensor in suspect_tensors(call, failure):
        if want > 1:
            yield 1.4, call.replaced(path, GroupInput("tuple", (tensor,) * want))
        elif want == 0 and len(path) == 1:
            yield 1.6, call.replaced(path, GroupInput("list", (tensor,) * 3))
