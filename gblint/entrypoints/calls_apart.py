"""Calls of a compiled object that are traced one by one, because the join of their arguments forgets something.

The join of ``[x]`` and ``[x, y]`` has no length, that of a vector and a matrix no number of dimensions, and that of two
functions is either of them.  Numbers that differ stay joined: Dynamo makes symbols of them in the second call.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from gblint.interp.state.call_args import Args
from gblint.interp.state.compilation import CompiledCall
from gblint.interp.state.entry import SingleCall
from gblint.runtime import ast_walk
from gblint.values.base import NONE, UNKNOWN, Const, Tensor, Union, Unknown, Value, as_input, members
from gblint.values.containers import Mapping, Seq
from gblint.values.keys import key
from gblint.values.objects import BoundMethod, Class, ExternalName, Function, Instance, Partial, is_nn_module

MAX_CALLS_APART = 4
"""Calls of one compiled object that are traced one by one, too."""
MAX_DEPTH_OF_PARTS = 4
MAX_PARTS_COMPARED = 4
"""Bounds of the comparison of two modules: how deep their parts are, and the parts of one list."""
_NOTHING = Instance(ExternalName("object"))
_CHOICES = (Function, BoundMethod, Class, Instance, Partial)


def calls_apart(
    calls: list[CompiledCall], joined: Args | None, dropped: int = 0, assumed: Value | None = None
) -> tuple[SingleCall, ...]:
    """Return the calls to trace one by one, each with its arguments; none if ``joined`` forgets nothing of them.

    dropped: the number of leading arguments of the calls that are not arguments of the entry point.
    assumed: the object with which the entry point is traced if it is a method.
    """
    found: dict[object, SingleCall] = {}
    for call in calls:
        receiver = call.args.pos[0] if dropped and call.args.pos else None
        functions = _held_by(receiver, assumed) if isinstance(receiver, Instance) else ()
        args = None if joined is None else _alone(call, joined, dropped, needed=not functions)
        if args is not None:
            named = tuple((name, key(value)) for name, value in sorted(args.kw.items()))
            holder = receiver if functions and isinstance(receiver, Instance) else None
            found.setdefault(
                (tuple(map(key, args.pos)), named, functions), SingleCall(args, call.module, call.node, holder)
            )
    several = len(found) > 1 or any(call.receiver is not None for call in found.values())
    return tuple(found.values()) if several else ()


def has_more_functions(apart: tuple[SingleCall, ...]) -> bool:
    """Return whether the objects whose method is called hold more functions than are followed."""
    return len(apart) > MAX_CALLS_APART and any(call.receiver is not None for call in apart)


def _held_by(receiver: Instance, assumed: Value | None) -> tuple[object, ...]:
    """Return the functions that an object holds, and the objects that the ``assumed`` one lacks, with their names."""
    known = assumed.attrs if isinstance(assumed, Instance) else None
    found: list[object] = []
    for name, value in receiver.attrs.items():
        if any(map(_is_function, _parts(value))):
            found.append((name, key(value)))
        elif known is not None and _is_open(known.get(name, UNKNOWN)):
            classes = [each.cls for each in _parts(value) if isinstance(each, Instance)]
            found += [(name, id(each)) for each in classes if isinstance(each, Class)]
    return tuple(found)


def _is_open(value: Value) -> bool:
    """Return whether nothing is known of a value, or only its class by an annotation."""
    return any(isinstance(each, Unknown) or (isinstance(each, Instance) and each.partial) for each in members(value))


def _parts(value: Value) -> tuple[Value, ...]:
    """Return the items of a list, a tuple or a dict; any other value alone."""
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


def is_another(target: Value, others: list[Value]) -> bool:
    """Return whether a target is to be traced besides ``others``, which are compiled at the same place.

    A function that a helper makes in each call calls the functions that are passed to the helper.  A method uses the
    objects that its own object holds.  Modules of one class take other branches if their flags and parts differ.
    """
    if not others:
        return True
    if isinstance(target, Instance) and is_nn_module(target):
        modules = [each for each in others if isinstance(each, Instance)]
        return len(modules) == len(others) and all(_differ(target, each) for each in modules)
    if isinstance(target, BoundMethod) and isinstance(target.receiver, Instance):
        return _held_by(target.receiver, _NOTHING) not in [
            _held_by(each.receiver, _NOTHING)
            for each in others
            if isinstance(each, BoundMethod) and isinstance(each.receiver, Instance)
        ]
    if not isinstance(target, Function) or target.scope is None:
        return False
    return all(isinstance(other, Function) and _callables(other) != _callables(target) for other in others)


def _differ(one: Value, other: Value, depth: int = 0) -> bool:
    """Return whether two modules surely take other branches.

    They do by a flag, by an attribute that a condition tests, by a function, by a part, or by the class of a part.
    """
    if isinstance(one, Const) and isinstance(other, Const):
        return isinstance(one.value, bool) and isinstance(other.value, bool) and one != other
    if isinstance(one, Function) and isinstance(other, Function):
        return one.node is not other.node
    if isinstance(one, Instance) and isinstance(other, Instance):
        if one.cls != other.cls or depth >= MAX_DEPTH_OF_PARTS:
            return one.cls != other.cls
        return any(
            _differ(value, other.attrs[name], depth + 1) or _differ_in_mode(one.cls, name, value, other.attrs[name])
            for name, value in one.attrs.items()
            if name in other.attrs
        )
    if isinstance(one, (Seq, Mapping)) and isinstance(other, (Seq, Mapping)) and depth < MAX_DEPTH_OF_PARTS:
        pairs = list(zip(_parts(one), _parts(other)))[:MAX_PARTS_COMPARED]
        return any(_differ(*pair, depth + 1) for pair in pairs)
    return NONE in (one, other) and any(map(is_nn_module, (one, other)))


def _differ_in_mode(cls: Value, name: str, one: Value, other: Value) -> bool:
    """Return whether the methods of a class may tell the values of an attribute apart: strings, None, or zero."""
    if isinstance(one, Unknown) or isinstance(other, Unknown) or one == other or not isinstance(cls, Class):
        return False
    if NONE in (one, other):
        return _reads(cls, name, _tested)
    if not isinstance(one, Const) or not isinstance(other, Const):
        return False
    if isinstance(one.value, str) and isinstance(other.value, str):
        return _reads(cls, name, _tested) or _reads(cls, name, _chosen_by)
    return bool(one.value) is not bool(other.value) and _reads(cls, name, _tested)


def _reads(cls: Class, name: str, parts_of: Callable[[ast.AST], list[ast.expr]]) -> bool:
    """Return whether an attribute is among the parts of a node in the methods of a class."""
    return any(
        isinstance(part, ast.Attribute) and part.attr == name
        for base in cls.mro
        for node in ast_walk.walk(base.node)
        for part in parts_of(node)
    )


def _tested(node: ast.AST) -> list[ast.expr]:
    """Return the parts of a condition."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, (ast.If, ast.IfExp)):
        return [node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test]
    return []


def _chosen_by(node: ast.AST) -> list[ast.expr]:
    """Return what may choose among functions or parts: the index of an item, and the arguments of a call."""
    if isinstance(node, ast.Subscript):
        return [node.slice]
    return [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else []


def _callables(function: Function) -> dict[str, object]:
    """Return the functions and objects around a nested function that it reads, by name."""
    cells = {} if function.scope is None else function.scope.cells
    read = {each.id for each in ast_walk.walk(function.node) if isinstance(each, ast.Name)}
    return {name: key(value) for name, value in cells.items() if name in read and isinstance(value, _CHOICES)}


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
    return isinstance(joined, Union) and isinstance(own, _CHOICES)
