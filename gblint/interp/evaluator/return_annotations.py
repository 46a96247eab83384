"""Return annotations: the values of what the evaluation of a function leaves unknown in its result."""

from __future__ import annotations

import ast

from gblint.interp.evaluator import input_values
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime.ast_walk import is_name
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import STR, UNKNOWN, Const, Scalar, Tensor, Union, Unknown, Value, is_text_member, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import changed_items, join_all
from gblint.values.objects import Class, Function, Instance, is_nn_module

MAX_ANNOTATION_DEPTH = 4
_TOLD = (Const, Instance, Mapping, Scalar, Seq, Tensor)


def filled(interp: Interpreter, function: Function, result: Value) -> Value:
    """Return the result of a call, with the values of the return annotation where it is unknown."""
    node = function.node
    if isinstance(node, (ast.Lambda, ast.AsyncFunctionDef)) or node.returns is None:
        return result
    if is_name(node.returns, "str") and any(isinstance(each, Tensor) for each in members(result)):
        # Annotations mix up numbers and tensors, but not text.
        return join_all(STR if isinstance(each, Tensor) else each for each in members(result))
    if not _is_open(result, 0):
        return result
    place = ("annotation", id(node), id(function.scope))
    known = interp.caches.annotated_values.get(place)
    if known is None:
        interp.caches.annotated_values[place] = UNKNOWN  # also where the annotation calls the function itself
        known = input_values.value_of(interp, node.returns, input_values.annotation_frame(function, interp))
        known = UNKNOWN if any(map(is_text_member, members(known))) else _without_bases(interp, known)
        interp.caches.annotated_values[place] = known
    return _fill(result, known)


def _is_open(value: Value, depth: int) -> bool:
    """Return whether a value is unknown, or a part of it."""
    if isinstance(value, Unknown):
        return value == UNKNOWN
    if depth > MAX_ANNOTATION_DEPTH:
        return False
    if isinstance(value, Union):
        return any(_is_open(v, depth + 1) for v in value.members)
    if isinstance(value, Seq):
        return any(_is_open(v, depth + 1) for v in (value.items if value.items is not None else (value.rest,)))
    if isinstance(value, Mapping):
        return any(_is_open(v, depth + 1) for v in _parts(value))
    return False


def _without_bases(interp: Interpreter, known: Value, depth: int = 0) -> Value:
    """Return the value of an annotation without the objects that may be of a subclass, which may do anything else."""
    if isinstance(known, Instance):
        return UNKNOWN if is_nn_module(known) or _has_subclasses(interp, known.cls) else known
    if depth > MAX_ANNOTATION_DEPTH:
        return known
    if isinstance(known, Union):
        return join_all(_without_bases(interp, v, depth + 1) for v in known.members)
    if isinstance(known, Seq):
        return changed_items(known, lambda v: _without_bases(interp, v, depth + 1))
    if isinstance(known, Mapping) and known.rest is not None:
        return replace(known, rest=_without_bases(interp, known.rest, depth + 1))
    return known


def _has_subclasses(interp: Interpreter, cls: Value) -> bool:
    """Return whether a class of the project has a base of the name of ``cls``; of a class without source, true."""
    if not isinstance(cls, Class):
        return True
    name = cls.name.rpartition(".")[2]
    # Most modules only use the class: their trees are not needed.
    for module in interp.project.mentioning((name,), name, ("base",)):
        for bindings in module.symbols.values():
            node = bindings[-1].node
            if isinstance(node, ast.ClassDef) and any(
                name == getattr(base, "attr", getattr(base, "id", "")) for base in node.bases
            ):
                return True
    return False


def _parts(value: Mapping) -> list[Value]:
    return [item for _, item in value.entries] + ([] if value.rest is None else [value.rest])


def _fill(value: Value, known: Value) -> Value:
    if isinstance(known, Unknown):
        return value
    if isinstance(value, Unknown):
        return _assumed(known) if value == UNKNOWN else value
    if isinstance(value, Union):
        new = join_all(_fill(v, known) for v in value.members)
        return replace(new, usual=value.usual) if isinstance(new, Union) else new
    if isinstance(value, Seq):
        return _fill_sequence(value, known)
    if isinstance(value, Mapping):
        inside = [v.rest for v in members(known) if isinstance(v, Mapping)]
        # ``dict[str, Tensor]`` is often said of keyword arguments of all kinds.
        if len(inside) == 1 and inside[0] is not None and not any(isinstance(v, Tensor) for v in members(inside[0])):
            entries = tuple((name, _fill(item, inside[0])) for name, item in value.entries)
            rest = None if value.rest is None else _fill(value.rest, inside[0])
            return replace(value, entries=entries, rest=rest)
    return value


def _fill_sequence(value: Seq, known: Value) -> Value:
    declared = [v for v in members(known) if isinstance(v, Seq)]
    if len(declared) != 1:
        return value
    told = declared[0]
    if value.items is None:
        return value if told.items is not None else changed_items(value, lambda item: _fill(item, told.rest))
    each = told.items if told.items is not None else (told.rest,) * len(value.items)
    if len(each) != len(value.items):
        return value
    return replace(value, items=tuple(_fill(item, kind) for item, kind in zip(value.items, each)))


def _assumed(known: Value) -> Value:
    """Return the value that an annotation declares for a result; nothing proves it, so its tensors are only likely.

    The result stays unknown if it may be an iterator, an object without source (the annotation does not say where it
    was made) or an array (the function may return a tensor if it is given one).
    """
    if not all(isinstance(v, _TOLD) and not (isinstance(v, Tensor) and v.ndarray) for v in members(known)):
        return UNKNOWN
    return join_all(replace(v, proven=False) if isinstance(v, Tensor) else v for v in members(known))
