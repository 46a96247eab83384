"""Arguments whose values are less precise than the annotation of the parameter."""

from __future__ import annotations

import ast

from gblint.interp.domain import parameter_names, parameter_usage, reach
from gblint.interp.evaluator import input_values
from gblint.interp.models.python import type_tests
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import (
    NONE,
    UNKNOWN,
    UNPASSED,
    Const,
    Scalar,
    Tensor,
    Union,
    Unknown,
    Value,
    is_text_member,
    members,
)
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import Class, Function, Instance


def with_annotation(interp: Interpreter, function: Function, parameter: ast.arg, value: Value) -> Value:
    """Return the value of an argument, refined by the annotation of its parameter.

    An unknown argument gets the annotated value, unless the annotation allows None.  The annotation and the use of the
    parameter replace a guessed tensor.  Of several alternatives with a tensor, those that match it are kept.
    """
    if parameter.annotation is None:
        return without_tensors(interp, function, parameter, value)
    unproven = isinstance(value, Tensor) and not value.proven
    several = isinstance(value, Union) and any(isinstance(v, Tensor) for v in value.members)
    usual = value.usual if isinstance(value, Union) else None
    is_open = isinstance(value, Union) and any(isinstance(v, Unknown) for v in value.members)
    object_ = not several and any(_is_any_object(v) for v in members(value))
    if value == UNPASSED or not (unproven or several or is_open or object_ or isinstance(value, Unknown)):
        return value
    place = ("annotation", id(parameter), id(function.scope))
    known = interp.caches.annotated_values.get(place)
    if known is None:
        known = input_values.annotated(interp, function, parameter)
        interp.caches.annotated_values[place] = known
    if is_open and all(isinstance(v, Tensor) for v in members(known)):
        value = reach.expected(join_all([known if isinstance(v, Unknown) else v for v in members(value)]), usual)
    if several:
        return _admitted(value, known)
    if object_:
        return _of_subclass(value, known)
    if is_open or (unproven and not type_tests.is_guess(value) and not _is_flag(known)):
        return value
    if type_tests.is_guess(value) and any(isinstance(v, (Tensor, Unknown)) for v in members(known)):
        return value
    return known if _is_precise(known) else value


def _is_precise(known: Value) -> bool:
    """Return whether an annotated value says more than an unknown argument: it admits neither None nor any string.

    Whoever annotates an enum of strings also passes plain strings.
    """
    found = members(known)
    return not (isinstance(known, Unknown) or NONE in found or any(map(is_text_member, found)))


def _is_any_object(value: Value) -> bool:
    """Return whether ``value`` stands for any instance of a class, as an annotation declares it."""
    return isinstance(value, Instance) and value.from_defaults and isinstance(value.cls, Class)


def _of_subclass(value: Value, known: Value) -> Value:
    """Drop the alternatives of ``value`` that are not instances of the annotated class; ``known`` is an instance of it.

    An object that is only known by a base class becomes an instance of the annotated class.
    """
    if not isinstance(known, Instance) or not isinstance(known.cls, Class):
        return value
    bases = known.cls.mro
    related, kept = False, list[Value]()
    for member in members(value):
        cls = member.cls if isinstance(member, Instance) else None
        related = related or (isinstance(cls, Class) and (known.cls in cls.mro or cls in bases))
        if isinstance(cls, Class) and known.cls in cls.mro:
            kept.append(member)
        elif _is_any_object(member):
            kept += [known] if cls in bases else []
        elif not isinstance(member, (Const, Scalar, Mapping, Unknown)):
            kept.append(member)
    if not related or (len(kept) == 1 and kept[0] is value):
        return value
    return join_all(kept)


def _admitted(value: Value, known: Value) -> Value:
    """Return the alternatives of ``value`` that match the annotation; ``known`` is its value.

    Only annotations for tensors, for numbers and for containers count. One for numbers rules out a tensor that only
    another annotation promises, one for a flag each tensor that nothing proves.
    """
    kinds = {type(v) for v in members(known) if v != NONE}
    if kinds == {Tensor}:
        kept = [v for v in members(value) if v == NONE or not isinstance(v, (Const, Scalar, Seq, Mapping, Instance))]
    elif kinds in ({Seq}, {Mapping}) and any(type(v) in kinds for v in members(value)):
        kept = [v for v in members(value) if not isinstance(v, Tensor)]
    elif kinds and kinds <= {Const, Scalar}:
        flag = _is_flag(known)
        kept = [v for v in members(value) if not (isinstance(v, Tensor) and (v.is_input or (flag and not v.proven)))]
        if all(v == NONE for v in kept):
            kept = list(members(known))
    else:
        return value
    return value if len(kept) == len(members(value)) else join_all(kept)


def _is_flag(known: Value) -> bool:
    """Return whether an annotation admits nothing but True and False."""
    return all(
        v.kind == "bool" if isinstance(v, Scalar) else isinstance(v, Const) and isinstance(v.value, bool)
        for v in members(known)
    )


def one_of(items: Value) -> Value:
    """Return the value of a parameter that gets one item of a list: unknown if tensors are among others in it."""
    found = [v for v in members(items) if v != NONE]
    mixed = len(found) > 1 and any(isinstance(v, Tensor) for v in found)
    return UNKNOWN if mixed and not all(isinstance(v, Tensor) for v in found) else items


def without_tensors(interp: Interpreter, function: Function, parameter: ast.arg, value: Value) -> Value:
    """Return an argument without the tensors that nothing proves, if the parameter is used as a number.

    These are guessed tensors, and tensors of a value that may also be something unknown, such as an item of ``*args``.
    """
    found = members(value)
    if not any(isinstance(v, Tensor) for v in found):
        return value
    is_open = any(isinstance(v, Unknown) for v in found)
    kept = [v for v in found if not (isinstance(v, Tensor) and (is_open or type_tests.is_guess(v)))]
    if len(kept) == len(found) or not parameter_usage.is_no_tensor(interp, function, parameter.arg):
        return value
    rest = join_all([*kept, UNKNOWN])
    return reach.expected(rest, value.usual) if isinstance(value, Union) else rest


def from_spread(interp: Interpreter, function: Function, parameter: ast.arg, value: Value) -> Value:
    """Return an item of ``*args`` or ``**kwargs`` as the value of a parameter that may get it.

    The items may be of all kinds, so that a parameter with the name of a number or an option does not get a tensor.
    """
    if len(parameter.arg) == 1 or not parameter_names.is_plain(parameter.arg):
        return without_tensors(interp, function, parameter, value)
    return join_all(UNKNOWN if isinstance(v, Tensor) else v for v in members(value))


def optional(default: Value, *given: Value, is_open: bool) -> Value:
    """Return the value of an argument that may be given.

    is_open: a mapping that the program makes may give it, so that the default is not usual.
    """
    value = join_all((default, *given))
    return reach.expected(value, default) if isinstance(default, Const) and not is_open else value


def is_plain(value: Value) -> bool:
    """Return whether a value is a number, a flag, a string or None: an option, rather than an object."""
    return all(isinstance(each, (Const, Scalar)) for each in members(value))
