"""Calls of a compiled object that are traced one by one, because the join of their arguments forgets something.

The join of ``[x]`` and ``[x, y]`` has no length, that of a vector and a matrix no number of dimensions, and that of two
functions is either of them.  Numbers that differ stay joined: Dynamo makes symbols of them in the second call.
"""

from __future__ import annotations

from gblint.entrypoints.module_modes import ModuleModes
from gblint.interp.domain import free_variables
from gblint.interp.domain.free_variables import CHOICES, FreeValues
from gblint.interp.state.call_args import Args
from gblint.interp.state.compilation import CompiledCall
from gblint.interp.state.entry import SingleCall
from gblint.values.base import UNKNOWN, Tensor, Union, Unknown, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.keys import key
from gblint.values.lattice import as_input
from gblint.values.objects import BoundMethod, Class, ExternalName, Function, Instance, Partial, is_nn_module

MAX_CALLS_APART = 4
"""Calls of one compiled object that are traced one by one, too."""
_NOTHING = Instance(ExternalName("object"))


def calls_apart(
    calls: list[CompiledCall],
    joined: Args | None,
    modes: ModuleModes,
    dropped: int = 0,
    assumed: Value | None = None,
    free: FreeValues = (),
) -> tuple[SingleCall, ...]:
    """Return the calls to trace one by one, each with its arguments; none if ``joined`` forgets nothing of them.

    modes: the comparison of the objects whose method is called.
    dropped: the number of leading arguments of the calls that are not arguments of the entry point.
    assumed: the object with which the entry point is traced if it is a method.
    free: the free variables with which it is traced if it is a function.
    """
    found: dict[object, list[SingleCall]] = {}
    for call in calls:
        receiver = call.args.pos[0] if dropped and call.args.pos else None
        functions = _held_by(receiver, assumed) if isinstance(receiver, Instance) else ()
        other = () if call.free == free else call.free
        args = None if joined is None else _alone(call, joined, dropped, needed=not (functions or other))
        if args is not None:
            named = tuple((name, key(value)) for name, value in sorted(args.kw.items()))
            holder = receiver if functions and isinstance(receiver, Instance) else None
            place = tuple(map(key, args.pos)), named, functions, free_variables.key_of(other)
            alike = found.setdefault(place, [])
            if all(each.receiver is not None and holder and modes.differ(holder, each.receiver) for each in alike):
                alike.append(SingleCall(args, call.module, call.node, holder, other))
    apart = tuple(call for alike in found.values() for call in alike)
    # Of a single call the join forgets nothing.
    differ = len(calls) > 1 or any(call.receiver is not None or call.free for call in apart)
    return apart if differ else ()


def has_more_functions(apart: tuple[SingleCall, ...]) -> bool:
    """Return whether the objects whose method is called hold more functions than are followed."""
    return len(apart) > MAX_CALLS_APART and any(call.receiver is not None for call in apart)


def _held_by(receiver: Instance, assumed: Value | None) -> tuple[object, ...]:
    """Return the functions that an object holds, and its objects of classes that the ``assumed`` one does not hold."""
    known = assumed.attrs if isinstance(assumed, Instance) else None
    found: list[object] = []
    for name, value in receiver.attrs.items():
        if any(map(_is_function, _parts(value))):
            found.append((name, key(value)))
        elif known is not None:
            assumed_value = known.get(name, UNKNOWN)
            classes, others = _classes_in(value), _classes_in(assumed_value)
            if _is_open(assumed_value) or any(each not in others for each in classes):
                found += [(name, id(each)) for each in classes]
    return tuple(found)


def _classes_in(value: Value) -> list[Class]:
    """Return the classes of an object, or of the objects in a container."""
    objects = [each for part in _parts(value) for each in members(part) if isinstance(each, Instance)]
    return [each.cls for each in objects if isinstance(each.cls, Class)]


def _is_open(value: Value) -> bool:
    """Return whether nothing is known of a value or of its items, or only its class by an annotation."""
    if isinstance(value, Seq):
        return value.items is None and value.rest is not None and _is_open(value.rest)
    return any(isinstance(each, Unknown) or (isinstance(each, Instance) and each.partial) for each in members(value))


def _parts(value: Value) -> tuple[Value, ...]:
    """Return the items of a list, a tuple or a dict; any other value alone."""
    if isinstance(value, Instance) and "__items__" in value.attrs:
        return _parts(value.attrs["__items__"])  # an object of a subclass of list or dict
    if isinstance(value, Seq):
        return value.items or ()
    return tuple(item for _, item in value.entries) if isinstance(value, Mapping) else (value,)


def _is_function(value: Value) -> bool:
    return isinstance(value, (Function, Partial))


def _alone(call: CompiledCall, joined: Args, dropped: int, *, needed: bool) -> Args | None:
    """Return the arguments of a call as an entry point gets them.

    needed: None is returned if ``joined`` has all that is known of them.
    """
    given = call.args.drop(dropped)
    if given.star is not None or given.kwstar is not None or len(given.pos) > len(joined.pos):
        return None
    pos = tuple(_argument(own, both) for own, both in zip(given.pos, joined.pos))
    kw = {name: _argument(own, joined.kw.get(name, own)) for name, own in given.kw.items()}
    both = [*joined.pos[: len(pos)], *(joined.kw.get(name, value) for name, value in kw.items())]
    fewer = len(given.pos) < len(joined.pos) or len(kw) < len(joined.kw)
    return Args(pos, kw) if fewer or not needed or any(map(_forgets, both, (*pos, *kw.values()))) else None


def is_another(target: Value, others: list[Value], modes: ModuleModes) -> bool:
    """Return whether a target is to be traced besides ``others``, which are compiled at the same place.

    A function that a helper makes in each call calls the functions that are passed to the helper.  A method uses the
    objects that its own object holds.  Modules of one class take other branches if their flags and parts differ.
    """
    if not others:
        return True
    if isinstance(target, Instance) and is_nn_module(target):
        modules = [each for each in others if isinstance(each, Instance)]
        return len(modules) == len(others) and all(modes.differ(target, each) for each in modules)
    if isinstance(target, BoundMethod) and isinstance(target.receiver, Instance):
        receiver = target.receiver
        known = [v.receiver for v in others if isinstance(v, BoundMethod) and isinstance(v.receiver, Instance)]
        if known and all(modes.differ(receiver, each) for each in known):
            return True
        return _held_by(receiver, _NOTHING) not in [_held_by(each, _NOTHING) for each in known]
    if not isinstance(target, Function) or target.scope is None:
        return False
    return all(isinstance(other, Function) and _callables(other) != _callables(target) for other in others)


def _callables(function: Function) -> dict[str, object]:
    """Return the functions and objects around a nested function that it reads, by name."""
    cells = {} if function.scope is None else function.scope.cells
    read = free_variables.read_by(function)
    return {name: key(value) for name, value in cells.items() if name in read and isinstance(value, CHOICES)}


def _argument(own: Value, joined: Value) -> Value:
    return as_input(own) if _forgets(joined, own) else joined


def _forgets(joined: Value, own: Value) -> bool:
    """Return whether ``joined`` lacks a length, a rank, a size or a callable that ``own`` has."""
    if isinstance(own, Unknown) or joined == own:
        return False
    if isinstance(own, Tensor):
        found = [each for each in members(joined) if isinstance(each, Tensor)]
        return any(own.rank != each.rank or own.length not in (None, each.length) for each in found)
    if isinstance(own, Seq):
        if not isinstance(joined, Seq) or own.items is None:
            return own.items is not None
        return joined.items is None or any(map(_forgets, joined.items, own.items))
    if isinstance(own, Mapping):
        inner = dict(joined.entries) if isinstance(joined, Mapping) else {}
        return len(inner) != len(own.entries) or any(_forgets(inner.get(k, own), v) for k, v in own.entries)
    return isinstance(joined, Union) and isinstance(own, CHOICES)
